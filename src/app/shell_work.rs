//! What the user has done with a headless shell.

use crate::domain::shell::JobId;

/// Work on one shell, as an effect carries it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShellWork {
    /// List its jobs.
    ListJobs,
    /// Read all that a job printed.
    ReadOutput(JobId),
    /// Put that on the clipboard.
    CopyOutput(JobId),
    /// Run a line in it.
    Run(String),
    /// End a job with all its processes.
    Kill(JobId),
    /// End it; with its jobs, if that is said.
    End {
        /// Whether jobs that run are ended, too.
        kill: bool,
    },
    /// Open it as a session.
    Open,
}

impl ShellWork {
    /// Whether deck finishes it before it quits.
    pub const fn changes(&self) -> bool {
        match self {
            Self::Kill(_) | Self::End { .. } | Self::Open | Self::Run(_) => true,
            Self::ListJobs | Self::ReadOutput(_) | Self::CopyOutput(_) => false,
        }
    }
}
