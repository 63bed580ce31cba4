//! What can go wrong with workers.

use crate::domain::hint::Hint;
use crate::domain::session::SessionName;

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WorkerError {
    #[error("session {session} has no worker {name:?}")]
    NoWorker {
        session: SessionName,
        name: String,
        /// Those that it has, with their numbers.
        names: Vec<String>,
    },
    #[error("session {session} has a worker {name:?} already")]
    NameTaken { session: SessionName, name: String },
    #[error(
        "invalid name {0:?} for a worker: it must be a text of up to 64 bytes, not a number, without colons"
    )]
    BadName(String),
    #[error("worker {name:?} is a {kind}, which has no terminal")]
    NoTerminal { name: String, kind: String },
    #[error("worker {name:?} of session {session} is a {kind}, and no session")]
    NotASession { session: SessionName, name: String, kind: String },
    #[error("worker {name:?} is a {kind}, and no diff")]
    NoDiff { name: String, kind: String },
    #[error("terminal {name:?} of session {session} isn't running")]
    NotRunning { session: SessionName, name: String },
    #[error("terminal {name:?} of session {session} is still running")]
    StillRunning { session: SessionName, name: String },
    #[error("session {session} still has terminals that run: {}", names.join(", "))]
    TerminalsRun { session: SessionName, names: Vec<String> },
    #[error("session {0} was adopted: deck makes no window on a tmux server of yours")]
    Adopted(SessionName),
    #[error("the agent of session {0} is its first worker: it can't be {1}")]
    OwnAgent(SessionName, &'static str),
    #[error("file {file:?} {why}")]
    BadFile { file: String, why: String },
    #[error("the address {0:?} is neither http nor https")]
    BadUrl(String),
    #[error("a {kind} needs {what}")]
    Missing { kind: &'static str, what: &'static str },
}

impl WorkerError {
    /// What its user can do about it.
    pub fn hint(&self) -> Option<Hint> {
        Some(match self {
            Self::NoWorker { names, .. } => Hint::UseOneOf(names.clone()),
            Self::NameTaken { .. } => Hint::UseOtherName,
            Self::NotRunning { session, name } => Hint::RestartWorker(session.clone(), name.clone()),
            Self::StillRunning { session, name } => Hint::StopWorker(session.clone(), name.clone()),
            Self::TerminalsRun { session, .. } => Hint::StopFirst(session.clone()),
            Self::NotASession { session, .. } | Self::OwnAgent(session, _) => {
                Hint::NameOnlySession(session.clone())
            }
            Self::BadName(_)
            | Self::NoTerminal { .. }
            | Self::NoDiff { .. }
            | Self::Adopted(_)
            | Self::BadFile { .. }
            | Self::BadUrl(_)
            | Self::Missing { .. } => return None,
        })
    }
}
