//! Finishing and removing a worktree: everything that would be lost is found first, then git removes it, by its own rules.
//!
//! Invariants: no code here removes a file, but that conversations are moved first; git does, and only what was looked at a moment before; each step is noted before
//! and after, and a run that was killed is continued by the next one.

mod check;
mod conclude;
mod conversations;
mod finish;
mod journal;
mod plan;
mod prune;
mod teardown;

pub(super) use conclude::forget_gone;
pub use finish::{Finished, finish};
pub use plan::{FinishPlan, FinishWish, MergeWish, plan_finish};
pub use prune::{Leftover, PruneKind, prune, prune_one};
