//! A checkpoint: the compressed past of a conversation.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What there is to know of what was said, in the shape in which other programs read it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Checkpoint {
    /// It grows by one with each; the empty one at the beginning is 1.
    pub version: u64,
    pub created_at: String,
    pub updated_at: String,
    pub summary: Summary,
    pub compaction_info: CompactionInfo,
    pub stats: CheckpointStats,
    /// What deck itself keeps besides the lists.
    #[serde(skip_serializing_if = "Kept::is_empty")]
    pub kept: Kept,
    /// Keys of other programs.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl Default for Checkpoint {
    fn default() -> Self {
        Self {
            version: 1,
            created_at: String::new(),
            updated_at: String::new(),
            summary: Summary::default(),
            compaction_info: CompactionInfo::default(),
            stats: CheckpointStats::default(),
            kept: Kept::default(),
            other: Map::new(),
        }
    }
}

/// The five lists.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Summary {
    pub completed: Vec<String>,
    pub in_progress: Vec<String>,
    pub pending: Vec<String>,
    pub blockers: Vec<String>,
    pub decisions: Vec<String>,
}

impl Summary {
    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        self.lists().iter().all(|(_, list)| list.is_empty())
    }

    /// The lists with their names.
    pub fn lists(&self) -> [(&'static str, &Vec<String>); 5] {
        [
            ("completed", &self.completed),
            ("inProgress", &self.in_progress),
            ("pending", &self.pending),
            ("blockers", &self.blockers),
            ("decisions", &self.decisions),
        ]
    }
}

/// What was compressed, and how.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CompactionInfo {
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
    /// The tool, and its model where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The last message that is in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upto_message_id: Option<String>,
    /// The number of the last record that is in it; 0 for none.
    #[serde(skip_serializing_if = "is_zero")]
    pub upto: u64,
    /// Which compaction wrote it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub attempt: String,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Sums over all that was compressed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CheckpointStats {
    pub total_compactions: u64,
    pub total_messages: u64,
    pub total_tokens: u64,
}

/// What deck keeps itself, whatever a model writes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Kept {
    /// The user's own words, newest first, with the ids of their messages.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub user_messages: Vec<KeptMessage>,
    /// What was tried and did not work.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failed_approaches: Vec<String>,
    /// Names, ports, ids, commands that worked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<String>,
}

impl Kept {
    /// Whether nothing is kept.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A message of the user's, word for word, or cut in its middle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KeptMessage {
    pub id: String,
    pub content: String,
    /// Whether its middle was left out; it is whole in the archive.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub cut: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_programs_checkpoint_stays_as_it_is() {
        let text = include_str!("../../../tests/fixtures/conversations/checkpoint.json");
        let value: Value = serde_json::from_str(text).unwrap();
        let checkpoint: Checkpoint = serde_json::from_value(value.clone()).unwrap();
        assert_eq!((checkpoint.version, checkpoint.summary.decisions.len()), (3, 2));
        assert_eq!(serde_json::to_value(&checkpoint).unwrap(), value);
    }
}
