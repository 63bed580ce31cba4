//! What can go wrong between deck and the multiplexer.

use super::ServerId;
use crate::domain::hint::Hint;
use crate::ports::Busy;

/// Why a server gave no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Silence {
    /// Its process is stopped.
    Stopped(i32),
    /// Anything else, in words.
    Failed(String),
}

impl Silence {
    /// What an error says about the server.
    pub fn of(error: &MuxError) -> Self {
        match error {
            MuxError::Stopped(pid) | MuxError::Unreached { why: Self::Stopped(pid), .. } => {
                Self::Stopped(*pid)
            }
            other => Self::Failed(other.to_string()),
        }
    }

    /// One thing to do about it, if there is one.
    pub fn hint(&self) -> Option<Hint> {
        match self {
            Self::Stopped(pid) => Some(Hint::ContinueProcess(*pid)),
            Self::Failed(_) => None,
        }
    }
}

impl std::fmt::Display for Silence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Stopped(pid) => write!(f, "its process {pid} is stopped"),
            Self::Failed(words) => f.write_str(words),
        }
    }
}

/// What went wrong between deck and the multiplexer.
#[derive(Debug, thiserror::Error)]
pub enum MuxError {
    /// The server is locked, and the caller no longer waits for that.
    #[error("interrupted")]
    Cancelled,
    /// The program is not installed.
    #[error("tmux is not installed")]
    NotInstalled,
    /// The program is older than deck can work with.
    #[error("tmux {found} is too old: deck needs {needed}")]
    TooOld {
        /// The version found.
        found: String,
        /// The oldest that works.
        needed: &'static str,
    },
    /// No server runs on the socket.
    #[error("no tmux server on socket {:?}", .0.as_str())]
    NoServer(ServerId),
    /// The connection broke.
    #[error("lost the connection to the tmux server: {0}")]
    Closed(String),
    /// No answer in time.
    #[error("the tmux server didn't respond within {0} s")]
    TimedOut(u64),
    /// One of several servers can't be asked.
    #[error("can't reach the tmux server on socket {:?}: {why}", .server.as_str())]
    Unreached {
        /// Which.
        server: ServerId,
        why: Silence,
    },
    /// The server is stopped, so it answers nobody.
    #[error("the tmux server (process {0}) is stopped")]
    Stopped(i32),
    /// Another process has the server's lock.
    #[error("the tmux server is {0}")]
    Busy(Busy),
    /// A command was refused.
    #[error("tmux refused {command}: {message}")]
    Refused {
        /// The command's name.
        command: String,
        /// The server's words.
        message: String,
    },
    /// An answer of the server that can't be understood.
    #[error("unexpected answer from tmux to {command}: {answer:?}")]
    Unexpected {
        /// The command's name.
        command: String,
        /// What came.
        answer: String,
    },
    /// Something that can't be passed.
    #[error("can't pass {0} to tmux: it contains a NUL character")]
    Unpassable(&'static str),
    /// It could not be started.
    #[error("can't start tmux")]
    Start(#[source] std::io::Error),
}
