//! The last status of a session: kept on the tmux session, so that every deck continues from it.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::evidence::Source;
use super::{Reason, Status};

/// The version of the format. A memory of another version is ignored.
const VERSION: u32 = 1;

/// A change of status that waits for a second poll.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pending {
    /// Where it would go.
    pub to: Status,
    /// When it was first seen.
    pub at: Timestamp,
}

/// The last answer about a session, one line of JSON on the session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memory {
    v: u32,
    /// The last status.
    pub status: Status,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// Since when, by the evidence's own time.
    pub since: Timestamp,
    /// The source that decided.
    pub source: Source,
    /// What is asked, or what went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asks: Option<String>,
    /// A change that waits for a second poll.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending: Option<Pending>,
    /// Since when no evidence supports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsure: Option<Timestamp>,
}

impl Memory {
    /// A memory of a settled answer.
    pub const fn new(status: Status, reason: Option<Reason>, since: Timestamp, source: Source) -> Self {
        Self { v: VERSION, status, reason, since, source, asks: None, pending: None, unsure: None }
    }

    /// Reads the option's value; `None` for none, for another version, and for what can't be read.
    pub fn parse(text: &str) -> Option<Self> {
        serde_json::from_str::<Self>(text).ok().filter(|m| m.v == VERSION)
    }

    /// The option's value.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_back_and_ignores_other_versions() {
        let at = Timestamp::UNIX_EPOCH;
        let memory = Memory::new(Status::Waiting, Some(Reason::Finished), at, Source::Report);
        assert_eq!(Memory::parse(&memory.to_json()), Some(memory.clone()));
        assert!(!memory.to_json().contains('\n'));
        assert_eq!(Memory::parse(&memory.to_json().replace("\"v\":1", "\"v\":2")), None);
        assert_eq!(Memory::parse("no json"), None);
    }
}
