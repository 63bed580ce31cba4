//! Checkpoints of conversations, and what a compaction came to.

#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::Talk;
use crate::api::Version;
use crate::domain::talk;

/// A checkpoint.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TalkCheckpoint {
    pub schema_version: Version,
    pub version: u64,
    pub created_at: String,
    pub updated_at: String,
    pub summary: TalkSummary,
    pub compaction_info: TalkCompactionInfo,
    pub stats: TalkCheckpointStats,
    pub kept: TalkKept,
    /// Keys of other programs.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// The lists of a checkpoint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TalkSummary {
    pub completed: Vec<String>,
    pub in_progress: Vec<String>,
    pub pending: Vec<String>,
    pub blockers: Vec<String>,
    pub decisions: Vec<String>,
}

/// What was compressed, and how.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TalkCompactionInfo {
    pub messages_compacted: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oldest_message_timestamp: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newest_message_timestamp: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compacted_at: Option<String>,
    /// `model` or `deterministic`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// The tool that wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upto_message_id: Option<String>,
}

/// Sums over all that was compressed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TalkCheckpointStats {
    pub total_compactions: u64,
    pub total_messages: u64,
    pub total_tokens: u64,
}

/// What deck keeps itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TalkKept {
    /// The user's own words, newest first.
    pub user_messages: Vec<TalkKeptMessage>,
    pub failed_approaches: Vec<String>,
    pub facts: Vec<String>,
}

/// A message of the user's, word for word, or cut in its middle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct TalkKeptMessage {
    pub id: String,
    pub content: String,
    pub cut: bool,
}

impl From<talk::Checkpoint> for TalkCheckpoint {
    fn from(of: talk::Checkpoint) -> Self {
        let (summary, info, stats, kept) = (of.summary, of.compaction_info, of.stats, of.kept);
        Self {
            schema_version: Version,
            version: of.version,
            created_at: of.created_at,
            updated_at: of.updated_at,
            summary: TalkSummary {
                completed: summary.completed,
                in_progress: summary.in_progress,
                pending: summary.pending,
                blockers: summary.blockers,
                decisions: summary.decisions,
            },
            compaction_info: TalkCompactionInfo {
                messages_compacted: info.messages_compacted,
                oldest_message_timestamp: info.oldest_message_timestamp,
                newest_message_timestamp: info.newest_message_timestamp,
                compacted_at: info.compacted_at,
                method: info.method,
                model: info.model,
                upto_message_id: info.upto_message_id,
            },
            stats: TalkCheckpointStats {
                total_compactions: stats.total_compactions,
                total_messages: stats.total_messages,
                total_tokens: stats.total_tokens,
            },
            kept: TalkKept {
                user_messages: kept
                    .user_messages
                    .into_iter()
                    .map(|m| TalkKeptMessage { id: m.id, content: m.content, cut: m.cut })
                    .collect(),
                failed_approaches: kept.failed_approaches,
                facts: kept.facts,
            },
            other: of.other,
        }
    }
}

/// A conversation that was compacted, or whose last compaction was undone.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TalkCompactAnswer {
    pub schema_version: Version,
    pub conversation: Talk,
    /// Null if a compaction was undone.
    pub result: Option<TalkCompacted>,
}

/// What a compaction came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TalkCompacted {
    /// The checkpoint's.
    pub version: u64,
    /// Tokens of checkpoint and messages, estimated.
    pub before: u64,
    pub after: u64,
    /// `model` or `deterministic`.
    pub method: String,
    /// The tool that wrote it; null if none did.
    pub model: Option<String>,
    /// How many open items the model had dropped and deck put back.
    pub put_back: usize,
    /// Why no model wrote it; null if one did.
    pub without_model: Option<String>,
}

impl TalkCompacted {
    pub fn of(done: &crate::ops::talk::Done) -> Self {
        let info = &done.checkpoint.compaction_info;
        Self {
            version: done.checkpoint.version,
            before: done.before,
            after: done.after,
            method: info.method.clone().unwrap_or_default(),
            model: info.model.clone(),
            put_back: done.put_back,
            without_model: done.without_model.clone(),
        }
    }
}
