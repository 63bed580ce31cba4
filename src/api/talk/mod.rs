//! Conversations, in the shapes in which other programs keep them: keys are in camelCase, and those of others survive.

mod checkpoint;
mod request;

pub use checkpoint::{TalkCheckpoint, TalkCompactAnswer, TalkCompacted};
pub use request::{TalkContext, TalkRequest};

use std::collections::BTreeMap;

#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::Version;
use crate::domain::talk::{self, Kind, SessionFile, Speaker, TalkStatus};
use crate::ports::conversations;

/// A conversation without its messages.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Talk {
    pub schema_version: Version,
    pub id: String,
    /// `feature` or `task`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The role.
    pub agent_type: String,
    pub feature_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_state: Option<String>,
    pub created_at: String,
    pub updated_at: String,
    /// `active` or `archived`.
    pub status: String,
    /// The names of its files: `chat`, `checkpoint`, `context`, `agentDescription`.
    pub files: BTreeMap<String, String>,
    pub stats: TalkStats,
    /// The number of the last record of its log.
    pub seq: u64,
    /// The project's folder; the files are in its `.deck/conversations`.
    pub root: String,
    /// The session that has it; null for none.
    pub carrier: Option<TalkCarrier>,
    /// The messages that are not archived.
    pub messages: u64,
    pub tokens: TalkTokens,
    /// The checkpoint's version.
    pub checkpoint: u64,
    pub pins: Vec<TalkPin>,
    pub compaction: TalkCompaction,
    /// What is wrong with its files, though it can be used.
    pub problems: Vec<String>,
    /// Whether it was made by this command; only where one may be made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created: Option<bool>,
    /// Keys of other programs.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// Sums over a whole conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TalkStats {
    pub total_messages: u64,
    /// Used ones where the messages say so, else estimated.
    pub total_tokens: u64,
    pub total_compactions: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_compaction_at: Option<String>,
}

/// The session that has a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct TalkCarrier {
    /// Its id.
    pub session: String,
    /// The ids of the agent's own conversations, in their order.
    pub resume_ids: Vec<String>,
    /// The tokens in its context, as it said last; null if it hasn't.
    pub context_tokens: Option<u64>,
    /// How often it has replaced its context by a summary.
    pub compactions: u64,
}

/// How large a conversation is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct TalkTokens {
    /// Instructions, checkpoint and messages.
    pub size: u64,
    /// From here on it is compacted.
    pub threshold: u64,
    pub limit: u64,
    /// Whether `size` is an estimate.
    pub estimated: bool,
}

/// A text that is in every request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct TalkPin {
    pub number: u64,
    pub text: String,
    /// The message that it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl TalkPin {
    pub fn of(pin: &talk::Pin) -> Self {
        Self { number: pin.number, text: pin.text.clone(), message: pin.message.clone() }
    }
}

/// How it stands with compactions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TalkCompaction {
    /// Whether it needs compaction.
    pub due: bool,
    /// Whether that is under way.
    pub running: bool,
    /// How many in a row no model could write.
    pub without_model: u32,
    /// Why the last one failed; null if it didn't.
    pub error: Option<String>,
}

/// What isn't in the conversation's own files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TalkSize {
    pub tokens: TalkTokens,
    pub due: bool,
}

impl Talk {
    pub fn of(talk: &conversations::Talk, size: TalkSize, created: Option<bool>) -> Self {
        let state = &talk.state;
        let file = SessionFile::of(state, "jsonl");
        let word = |kind: Kind| kind.word().to_owned();
        let files = file.files.into_iter().filter_map(|(key, name)| Some((key, name.as_str()?.to_owned())));
        Self {
            schema_version: Version,
            id: state.id.to_string(),
            kind: word(state.subject.kind),
            agent_type: state.subject.role.clone(),
            feature_id: state.subject.feature.clone(),
            task_id: state.subject.task.clone(),
            task_state: state.subject.state.clone(),
            created_at: state.created_at.clone(),
            updated_at: state.updated_at.clone(),
            status: state.status.word().to_owned(),
            files: files.collect(),
            stats: TalkStats {
                total_messages: state.stats.total_messages,
                total_tokens: state.stats.total_tokens,
                total_compactions: state.stats.total_compactions,
                last_compaction_at: state.stats.last_compaction_at.clone(),
            },
            seq: state.seq,
            root: talk.root.to_string_lossy().into_owned(),
            carrier: state.carrier.as_ref().map(|carrier| TalkCarrier {
                session: carrier.session.clone(),
                resume_ids: carrier.resume_ids.clone(),
                context_tokens: carrier.context,
                compactions: carrier.compacted.len() as u64,
            }),
            messages: state.messages,
            tokens: size.tokens,
            checkpoint: state.version,
            pins: state.pins.iter().map(TalkPin::of).collect(),
            compaction: TalkCompaction {
                due: size.due && state.status == TalkStatus::Active,
                running: state.compactions.lease.is_some(),
                without_model: state.compactions.without_model,
                error: state.compactions.error.clone(),
            },
            problems: talk.problems.clone(),
            created,
            other: state.other.clone(),
        }
    }
}

/// A message.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct TalkMessage {
    pub id: String,
    /// `user`, `assistant` or `system`.
    pub role: String,
    pub content: String,
    /// RFC 3339, as it was given.
    pub timestamp: String,
    /// What its author says about it, such as `agentType` and `tokens`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
    /// Keys of other programs.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl From<talk::Message> for TalkMessage {
    fn from(message: talk::Message) -> Self {
        let word = |speaker: Speaker| speaker.word().to_owned();
        Self {
            id: message.id,
            role: word(message.speaker),
            content: message.content,
            timestamp: message.timestamp,
            metadata: message.metadata,
            other: message.other,
        }
    }
}

/// Messages, oldest first.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TalkMessages {
    pub schema_version: Version,
    pub messages: Vec<TalkMessage>,
    /// Of the whole conversation, with those that were archived.
    pub total_messages: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oldest_message_timestamp: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newest_message_timestamp: Option<String>,
}

impl From<talk::ChatFile> for TalkMessages {
    fn from(chat: talk::ChatFile) -> Self {
        Self {
            schema_version: Version,
            messages: chat.messages.into_iter().map(TalkMessage::from).collect(),
            total_messages: chat.total_messages,
            oldest_message_timestamp: chat.oldest_message_timestamp,
            newest_message_timestamp: chat.newest_message_timestamp,
        }
    }
}

/// A message that was added.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TalkAdded {
    pub schema_version: Version,
    pub conversation: String,
    pub message: TalkMessage,
    /// The number of its record.
    pub seq: u64,
    /// False if a message of this id was there already.
    pub added: bool,
    /// `due` if the conversation needs compaction now; else null.
    pub compaction: Option<String>,
}

/// What happened in a conversation: a record of its log.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct TalkEvent {
    #[serde(rename = "schemaVersion")]
    pub schema_version: Version,
    /// Its number: what comes later has a larger one.
    pub seq: u64,
    pub at: String,
    /// The conversation's id.
    pub conversation: String,
    /// `created`, `message_added`, `archived`, `unarchived`, `cleared`, `compaction_start`, `compaction_complete`,
    /// `compaction_error`, `compaction_undone`, `pinned`, `unpinned`, `context_set`, `carried`, `transcript_read`, `agent_compacted`,
    /// `detached` or `described`.
    pub event: String,
    /// What else it says, by event: a `message`, a `pin`, a `version` …
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

impl TalkEvent {
    pub fn of(conversation: &talk::TalkId, record: &talk::Record) -> Self {
        let value = serde_json::to_value(&record.event).unwrap_or_default();
        let mut more = value.as_object().cloned().unwrap_or_default();
        more.remove("event");
        // What deck itself reads of it.
        for key in ["state", "log"] {
            more.remove(key);
        }
        Self {
            schema_version: Version,
            seq: record.seq,
            at: record.at.clone(),
            conversation: conversation.to_string(),
            event: record.event.word().to_owned(),
            more,
        }
    }
}

/// What the role's agents are told.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TalkDescription {
    pub schema_version: Version,
    pub agent_type: String,
    pub role_instructions: String,
    pub tool_instructions: String,
    pub created_at: String,
    /// Keys of other programs.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl From<talk::Description> for TalkDescription {
    fn from(of: talk::Description) -> Self {
        Self {
            schema_version: Version,
            agent_type: of.agent_type,
            role_instructions: of.role_instructions,
            tool_instructions: of.tool_instructions,
            created_at: of.created_at,
            other: of.other,
        }
    }
}

/// Messages that were archived at once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TalkCleared {
    pub schema_version: Version,
    pub conversation: String,
    /// How many messages were archived.
    pub archived_messages: u64,
}

/// A conversation that was removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TalkRemoved {
    pub schema_version: Version,
    pub conversation: String,
    pub root: String,
}

/// The files that were written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TalkExported {
    pub schema_version: Version,
    pub conversation: String,
    pub files: Vec<String>,
}
