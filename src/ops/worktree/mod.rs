//! Worktrees: which there are, making one for a session, what is in the way of removing it.
//!
//! Invariants: git keeps the list of worktrees; nothing that polls starts it.

mod error;
mod find;
mod list;
mod lock;

pub use error::PlaceError;
pub use find::{Named, find};
pub use list::{Listed, Unasked, entries, list, state_of};
pub(super) use list::{facts_of, main_of};
pub use lock::{lock, unlock};
