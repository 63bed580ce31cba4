//! Why a session has its status, in a word or two.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::evidence::{BlockKind, BusyKind, Exit, FailKind};

/// Why a session has its status. Its text is what users see and what JSON carries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Reason {
    /// Running: what kind of work.
    Busy(BusyKind),
    /// Waiting: what is asked.
    Blocked(BlockKind),
    /// Waiting: a turn ended and its user hasn't looked.
    Finished,
    /// Error: what failed.
    Failed(FailKind),
    /// Starting: its worktree is set up.
    Setup,
    /// Error: the setup of its worktree failed with this code.
    SetupExited(i32),
    /// Error: its worktree's folder is gone.
    FolderGone,
    /// Error: the tmux session is gone.
    Gone,
    /// Error or stopped: the process ended, and it is unknown how.
    Ended,
    /// How the process ended.
    Exited(i32),
    /// A signal ended the process.
    Killed(String),
}

impl Reason {
    /// Those whose text is always the same.
    pub fn fixed() -> impl Iterator<Item = &'static Self> {
        WORDS.iter().map(|(_, reason)| reason)
    }

    /// The reason for the end of a process, when it is known.
    pub fn of_exit(exit: &Exit) -> Option<Self> {
        match exit {
            Exit::Missing => Some(Self::Gone),
            Exit::Code(code) => Some(Self::Exited(*code)),
            Exit::Signal(name) => Some(Self::Killed(name.clone())),
            Exit::NotYetKnown => None,
            Exit::Unknown | Exit::ToShell => Some(Self::Ended),
        }
    }
}

/// Fixed words and the reasons they stand for.
const WORDS: &[(&str, Reason)] = &[
    ("thinking", Reason::Busy(BusyKind::Thinking)),
    ("tool", Reason::Busy(BusyKind::Tool)),
    ("retrying", Reason::Busy(BusyKind::Retrying(None))),
    ("background task", Reason::Busy(BusyKind::Background)),
    ("compacting", Reason::Busy(BusyKind::Compacting)),
    ("active", Reason::Busy(BusyKind::Active)),
    ("permission", Reason::Blocked(BlockKind::Permission)),
    ("question", Reason::Blocked(BlockKind::Question)),
    ("plan", Reason::Blocked(BlockKind::Plan)),
    ("trust", Reason::Blocked(BlockKind::Trust)),
    ("login", Reason::Blocked(BlockKind::Login)),
    ("dialog", Reason::Blocked(BlockKind::Dialog)),
    ("finished", Reason::Finished),
    ("api error", Reason::Failed(FailKind::Api)),
    ("auth", Reason::Failed(FailKind::Auth)),
    ("limit", Reason::Failed(FailKind::Limit)),
    ("setup", Reason::Setup),
    ("folder gone", Reason::FolderGone),
    ("gone", Reason::Gone),
    ("ended", Reason::Ended),
];

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Busy(BusyKind::Retrying(Some(n))) => write!(f, "retrying {n}"),
            Self::Exited(code) => write!(f, "exited {code}"),
            Self::SetupExited(code) => write!(f, "setup exited {code}"),
            Self::Killed(signal) => write!(f, "killed {signal}"),
            other => f.write_str(WORDS.iter().find(|(_, r)| r == other).map_or("", |(w, _)| w)),
        }
    }
}

/// A text that is not a reason.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid status reason {0:?}")]
pub struct BadReason(String);

impl FromStr for Reason {
    type Err = BadReason;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Some((_, reason)) = WORDS.iter().find(|(w, _)| *w == text) {
            return Ok(reason.clone());
        }
        if let Some(code) = text.strip_prefix("setup exited ").and_then(|code| code.parse().ok()) {
            return Ok(Self::SetupExited(code));
        }
        let (word, rest) = text.split_once(' ').ok_or_else(|| BadReason(text.to_owned()))?;
        match (word, rest.parse::<i32>()) {
            ("exited", Ok(code)) => Ok(Self::Exited(code)),
            ("retrying", Ok(n)) => Ok(Self::Busy(BusyKind::Retrying(u32::try_from(n).ok()))),
            ("killed", _) => Ok(Self::Killed(rest.to_owned())),
            _ => Err(BadReason(text.to_owned())),
        }
    }
}

impl From<Reason> for String {
    fn from(reason: Reason) -> Self {
        reason.to_string()
    }
}

impl TryFrom<String> for Reason {
    type Error = BadReason;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_reads_back() {
        let more = [
            Reason::Exited(3),
            Reason::Exited(-1),
            Reason::SetupExited(3),
            Reason::Killed("KILL".into()),
            Reason::Busy(BusyKind::Retrying(Some(4))),
        ];
        for reason in WORDS.iter().map(|(_, r)| r.clone()).chain(more) {
            let text = reason.to_string();
            assert!(!text.is_empty());
            assert_eq!(text.parse(), Ok(reason));
        }
        assert!("nonsense".parse::<Reason>().is_err());
    }
}
