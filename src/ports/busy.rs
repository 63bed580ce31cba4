//! A lock that others keep: who has it, and what can be done about it.

use std::time::Duration;

use crate::domain::hint::Hint;

/// The process that has a lock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// Its id.
    pub pid: i32,
    /// Its command line.
    pub command: String,
    /// Whether it is stopped, by ctrl-z for example: it keeps the lock until it is continued or ended.
    pub stopped: bool,
}

/// A lock that could not be taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Busy {
    /// How long it was waited for.
    pub waited: Duration,
    /// Who has it, where that is known.
    pub holder: Option<Holder>,
}

/// Why a lock was not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotTaken {
    /// Others keep it.
    Busy(Busy),
    /// Whoever wanted it no longer waits.
    Cancelled,
}

impl Busy {
    /// One thing to do about it.
    pub fn hint(&self) -> Option<Hint> {
        self.holder.as_ref().filter(|h| h.stopped).map(|h| Hint::ReleaseLock(h.pid))
    }
}

impl std::error::Error for Busy {}

impl std::fmt::Display for Busy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let seconds = self.waited.as_secs();
        match &self.holder {
            Some(Holder { pid, command, stopped: true }) => {
                write!(f, "locked by process {pid} ({command}), which is stopped")
            }
            Some(Holder { pid, command, .. }) => {
                write!(f, "still locked by process {pid} ({command}) after {seconds} s")
            }
            None => write!(f, "still locked by another process after {seconds} s"),
        }
    }
}
