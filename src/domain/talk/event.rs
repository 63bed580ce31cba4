//! The records of a conversation's log: the truth about it, from which everything else is made.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::message::Message;
use super::state::State;
use crate::domain::conversation::Bookmark;

/// The version of the log's records. A log of a newer one is only read.
pub const LOG_VERSION: u32 = 1;

/// One line of the log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Its number in the conversation: one more than the one before, whatever was archived meanwhile.
    pub seq: u64,
    /// When it was written, RFC 3339.
    pub at: String,
    #[serde(flatten)]
    pub event: Event,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// The first record.
    Created {
        log: u32,
        state: Box<State>,
    },
    /// Stands at the head of a log whose beginning was archived: what that comes to. It has the number of the last record
    /// that was archived.
    Base {
        log: u32,
        state: Box<State>,
    },
    MessageAdded {
        message: Message,
        tokens: u64,
        /// Whether the sums that the conversation was made with have it already.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        known: bool,
    },
    Archived,
    Unarchived,
    /// All messages up to a number were archived; the checkpoint stays.
    Cleared {
        upto: u64,
    },
    CompactionStart(Lease),
    CompactionComplete(Complete),
    CompactionError {
        attempt: String,
        reason: String,
    },
    /// A checkpoint was replaced by the one before it, and its messages are back.
    CompactionUndone {
        attempt: String,
        version: u64,
        restored: u64,
        upto: u64,
        messages: u64,
        tokens: u64,
    },
    Pinned {
        pin: Pin,
    },
    Unpinned {
        number: u64,
    },
    /// Values of the context that the user gives; null takes one away.
    ContextSet {
        values: Map<String, Value>,
    },
    Carried {
        session: String,
        resume_id: Option<String>,
    },
    Detached,
    /// The transcript of its session was read so far. It comes with the messages that were in it.
    TranscriptRead {
        bookmark: Bookmark,
        /// The tokens in the context of the session's agent by then, if it says so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        context: Option<u64>,
    },
    /// The agent of its session replaced its own context by a summary.
    AgentCompacted {
        /// What names that compaction.
        id: String,
        /// The file of the checkpoint of the session that was made for it, if one could be.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        checkpoint: Option<String>,
    },
    /// The agent's description was written again.
    Described {
        tokens: u64,
    },
}

impl Event {
    /// Its word.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Created { .. } => "created",
            Self::Base { .. } => "base",
            Self::MessageAdded { .. } => "message_added",
            Self::Archived => "archived",
            Self::Unarchived => "unarchived",
            Self::Cleared { .. } => "cleared",
            Self::CompactionStart(_) => "compaction_start",
            Self::CompactionComplete(_) => "compaction_complete",
            Self::CompactionError { .. } => "compaction_error",
            Self::CompactionUndone { .. } => "compaction_undone",
            Self::Pinned { .. } => "pinned",
            Self::Unpinned { .. } => "unpinned",
            Self::ContextSet { .. } => "context_set",
            Self::Carried { .. } => "carried",
            Self::Detached => "detached",
            Self::TranscriptRead { .. } => "transcript_read",
            Self::AgentCompacted { .. } => "agent_compacted",
            Self::Described { .. } => "described",
        }
    }
}

/// Who compacts a conversation, and what: nobody else does meanwhile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lease {
    pub attempt: String,
    /// The last record that is compacted.
    pub upto: u64,
    /// The process, and when it was started in the clock of its machine.
    pub pid: i32,
    pub started: u64,
    /// When the lease ends in any case, RFC 3339.
    pub until: String,
}

/// A compaction that is done: from here on the checkpoint of that version counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Complete {
    pub attempt: String,
    /// The checkpoint's.
    pub version: u64,
    pub upto: u64,
    /// The messages behind that, and their tokens.
    pub messages: u64,
    pub tokens: u64,
    /// The tokens of the checkpoint.
    pub checkpoint_tokens: u64,
    /// `model` or `deterministic`.
    pub method: String,
}

/// A text that is in every request, whatever is compacted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Pin {
    pub number: u64,
    pub text: String,
    /// The message that it is.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub message: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_one_line_that_names_its_event() {
        let record =
            Record { seq: 7, at: "2026-01-01T00:00:00.000Z".into(), event: Event::Unpinned { number: 2 } };
        let text = serde_json::to_string(&record).unwrap();
        assert_eq!(text, r#"{"seq":7,"at":"2026-01-01T00:00:00.000Z","event":"unpinned","number":2}"#);
        assert_eq!(serde_json::from_str::<Record>(&text).unwrap(), record);
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["event"], record.event.word());
    }
}
