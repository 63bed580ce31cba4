//! What is done to the workers of a session, and to its worktree.

use crate::domain::worker::WorkerId;
use crate::ops::worker::NewWorker;
use crate::ops::worktree::FinishWish;

/// One thing to do. The session is named beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WorkerWork {
    /// Add a worker, and show it.
    Add(Box<NewWorker>),
    /// Add a further agent, of this tool.
    AddAgent(String),
    /// Remove a worker; and whether what runs in it is ended, as its user confirmed.
    Remove(WorkerId, bool),
    /// Run the command of a terminal again.
    Restart(WorkerId),
    /// Read the file of a worker.
    Read(WorkerId),
    /// Report what finishing the worktree comes to; the number distinguishes answers.
    PlanFinish(u64, Box<FinishWish>),
    /// Finish the worktree.
    Finish(Box<FinishWish>),
    /// List the worktrees of the session's repository.
    Worktrees,
    /// Have the setup of the worktree run again at the next start.
    SetupAgain,
}

impl WorkerWork {
    /// Whether it changes anything.
    pub const fn changes(&self) -> bool {
        !matches!(self, Self::Read(_) | Self::PlanFinish(..) | Self::Worktrees)
    }
}
