//! The files of a conversation in the shapes in which other programs read and write them.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::id::{Subject, TalkId};
use super::message::Message;
use super::state::{State, Stats, TalkStatus};

/// `session_<id>.json`: what a conversation is, with its sums.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionFile {
    pub id: TalkId,
    #[serde(flatten)]
    pub subject: Subject,
    pub created_at: String,
    pub updated_at: String,
    #[serde(default)]
    pub status: TalkStatus,
    /// The names of its files, by what they are.
    #[serde(default)]
    pub files: Map<String, Value>,
    #[serde(default)]
    pub stats: Stats,
    /// Keys of other programs.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl SessionFile {
    /// What a state says. `chat` is how the name of the file with the messages ends.
    pub fn of(state: &State, chat: &str) -> Self {
        let id = &state.id;
        let files = json!({
            "chat": format!("chat_{id}.{chat}"),
            "checkpoint": format!("checkpoint_{id}.json"),
            "context": format!("context_{id}.json"),
            "agentDescription": format!("agent-description_{id}.json"),
        });
        Self {
            id: id.clone(),
            subject: state.subject.clone(),
            created_at: state.created_at.clone(),
            updated_at: state.updated_at.clone(),
            status: state.status,
            files: files.as_object().cloned().unwrap_or_default(),
            stats: state.stats.clone(),
            other: state.other.clone(),
        }
    }
}

/// `chat_<id>.json`: messages.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ChatFile {
    pub messages: Vec<Message>,
    /// Of the whole conversation, with those that were archived.
    pub total_messages: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oldest_message_timestamp: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newest_message_timestamp: Option<String>,
    /// Keys of other programs.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl ChatFile {
    /// These messages out of so many.
    pub fn new(messages: Vec<Message>, total_messages: u64) -> Self {
        Self {
            oldest_message_timestamp: messages.first().map(|m| m.timestamp.clone()),
            newest_message_timestamp: messages.last().map(|m| m.timestamp.clone()),
            total_messages,
            messages,
            other: Map::new(),
        }
    }
}

/// `agent-description_<id>.json`: what the role's agents are told.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Description {
    pub agent_type: String,
    pub role_instructions: String,
    pub tool_instructions: String,
    pub created_at: String,
    /// Keys of other programs.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_another_program_are_read_whole_and_written_alike() {
        fn same<T: Serialize + serde::de::DeserializeOwned>(text: &str) -> T {
            let value: Value = serde_json::from_str(text).unwrap();
            let read: T = serde_json::from_value(value.clone()).unwrap();
            assert_eq!(serde_json::to_value(&read).unwrap(), value);
            read
        }
        let session: SessionFile = same(include_str!("../../../tests/fixtures/conversations/session.json"));
        assert_eq!((session.id.as_str(), session.stats.total_messages), ("pm-feature-my-feature", 42));
        let chat: ChatFile = same(include_str!("../../../tests/fixtures/conversations/chat.json"));
        assert_eq!((chat.messages.len(), chat.total_messages), (2, 42));
        let description: Description =
            same(include_str!("../../../tests/fixtures/conversations/agent-description.json"));
        assert_eq!(description.agent_type, "pm");
        let mut state = State::new(session.subject.clone(), &session.created_at);
        state.updated_at.clone_from(&session.updated_at);
        state.stats = session.stats.clone();
        assert_eq!(SessionFile::of(&state, "json"), session);
    }
}
