//! Repositories that deck knows by name.
//!
//! Invariant: a repository is known again by the folder that all its worktrees share.

mod add;
mod list;
mod remove;
mod set;

pub use add::add;
pub(super) use add::register;
pub use list::{Known, known, list, located, resolve};
pub use remove::remove;
pub use set::set;
