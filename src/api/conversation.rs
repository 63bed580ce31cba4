//! Conversations: what their ends report, what they add up to, and which there are.

use jiff::Timestamp;
#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::Version;
use crate::domain::{conversation, session};

/// The end of a conversation. What isn't known is null.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Conversation {
    /// The file's size in bytes.
    pub bytes: Option<u64>,
    /// When it was last written to.
    pub used_at: Option<Timestamp>,
    pub last_prompt: Option<String>,
    pub last_response: Option<String>,
    /// The model that gave the last response.
    pub model: Option<String>,
    /// Tokens in the model's context.
    pub context_tokens: Option<u64>,
    /// How many fit into it, if the tool reports it.
    pub context_window: Option<u64>,
    /// What the conversation has cost so far in US dollars, if the tool reports it.
    pub cost_usd: Option<f64>,
}

impl From<&conversation::Digest> for Conversation {
    fn from(digest: &conversation::Digest) -> Self {
        Self {
            bytes: digest.bytes,
            used_at: digest.used_at,
            last_prompt: digest.last_prompt.clone(),
            last_response: digest.last_response.clone(),
            model: digest.model.clone(),
            context_tokens: digest.context_tokens,
            context_window: digest.context_window,
            cost_usd: digest.cost_usd,
        }
    }
}

/// What a conversation adds up to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Totals {
    /// The user's prompts.
    pub prompts: u64,
    /// Tokens that models read, with those from their caches.
    pub input_tokens: u64,
    /// Tokens that models wrote.
    pub output_tokens: u64,
    /// The answer that was counted last, where agents write one in several records.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<String>,
}

impl From<&conversation::Totals> for Totals {
    fn from(totals: &conversation::Totals) -> Self {
        Self {
            prompts: totals.prompts,
            input_tokens: totals.input_tokens,
            output_tokens: totals.output_tokens,
            last: totals.last_answer.clone(),
        }
    }
}

/// The id of a conversation that a session has or had.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct ResumeEntry {
    /// The agent's id of the conversation.
    pub id: String,
    pub source: IdSource,
    /// When deck learnt it.
    pub seen_at: Timestamp,
    /// Fields that a newer deck recorded.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl From<&session::ResumeEntry> for ResumeEntry {
    fn from(entry: &session::ResumeEntry) -> Self {
        let source = entry.source.into();
        Self { id: entry.id.clone(), source, seen_at: entry.seen_at, extra: entry.extra.clone() }
    }
}

/// How deck learnt the id of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum IdSource {
    /// deck made it and passed it to the agent.
    Minted,
    /// A headless run of the agent printed it.
    Captured,
    /// A hook or the agent's own report named it.
    Reported,
    /// The user gave it.
    Given,
}

impl From<session::IdSource> for IdSource {
    fn from(source: session::IdSource) -> Self {
        match source {
            session::IdSource::Minted => Self::Minted,
            session::IdSource::Captured => Self::Captured,
            session::IdSource::Reported => Self::Reported,
            session::IdSource::Given => Self::Given,
        }
    }
}

/// A conversation on this machine that no session has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct FoundConversation {
    pub schema_version: Version,
    /// The agent's id of it.
    pub id: String,
    pub tool: String,
    /// The folder in which it was started, where that is known.
    pub folder: Option<String>,
    /// The user's first prompt, or its title.
    pub first_prompt: Option<String>,
    /// When it was last written to.
    pub used_at: Option<Timestamp>,
    /// Its file's size in bytes.
    pub bytes: Option<u64>,
}

impl From<&conversation::Found> for FoundConversation {
    fn from(found: &conversation::Found) -> Self {
        Self {
            schema_version: Version,
            id: found.id.clone(),
            tool: found.tool.clone(),
            folder: found.folder.clone(),
            first_prompt: found.first_prompt.clone(),
            used_at: found.used_at,
            bytes: found.bytes,
        }
    }
}
