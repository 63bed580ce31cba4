//! What a session's record says of the conversation that it carries.

use serde::{Deserialize, Serialize};

use super::id::TalkId;

/// The conversation that a session carries: its agent is the one that talks in it.
///
/// The session's record decides who carries what; the conversation's log follows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Carries {
    /// The project's folder that the conversation is in.
    pub root: String,
    pub id: TalkId,
    /// The role that talks in it.
    pub role: String,
    /// Whether the agent has replaced its own context by a summary since it was last given back what that may lack.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub compacted: bool,
}

/// How the first prompt begins that tells an agent what it carries. In the record it is nobody's words.
pub fn carried_line(id: &TalkId) -> String {
    format!("Conversation {id}: this session carries it.")
}
