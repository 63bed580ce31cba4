//! Worktrees: which there are, making one for a session, what it is set up with.
//!
//! Invariants: git keeps the list of worktrees; nothing that polls starts it; what a repository brings runs only with its
//! user's consent to that content.

mod add;
mod copies;
mod error;
mod find;
mod list;
mod lock;
mod make;
mod plan;
mod removal;
mod restore;
mod setup;
mod trust;
mod words;

pub use add::add;
pub use error::PlaceError;
pub use find::{Named, find};
pub use list::{Listed, Unasked, entries, list, state_of};
pub(super) use list::{facts_of, main_of};
pub use lock::{lock, unlock};
pub(super) use make::{complete, put_place};
pub(super) use plan::register;
pub use plan::{How, WorktreePlan, WorktreeWish, branch_title, plan};
pub use removal::{
    FinishPlan, FinishWish, Finished, Leftover, MergeWish, PruneKind, finish, plan_finish, prune, prune_one,
};
pub use restore::restore;
pub use setup::{Consented, SetupContent, SetupRun};
pub(super) use setup::{check_consent, due as due_setup, repository_of};
pub use trust::{Allow, Trusted, setup_ended, skip_setup, trust, want_setup};
