//! One message of a conversation.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Who says a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Speaker {
    User,
    Assistant,
    System,
}

impl Speaker {
    /// The word in records and on the command line.
    pub const fn word(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::System => "system",
        }
    }
}

/// A message, in the shape in which other programs read it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    pub id: String,
    #[serde(rename = "role")]
    pub speaker: Speaker,
    pub content: String,
    /// RFC 3339, as it was given: messages are in the order of their numbers, whatever a clock said.
    pub timestamp: String,
    /// What its author says about it, such as `agentType` and `tokens: {input, output}`; kept as given.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub metadata: Option<Map<String, Value>>,
    /// Keys of other programs.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// The most that one message may hold, in bytes.
pub const MAX_CONTENT: usize = 4 * 1024 * 1024;

/// Why a message is not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadMessage {
    #[error("the message has {0} bytes; at most {MAX_CONTENT} are taken")]
    TooLarge(usize),
    #[error("the message has a NUL at byte {0}")]
    Nul(usize),
    #[error("the message is not UTF-8 at byte {0}")]
    NotUtf8(usize),
    #[error("the message is empty")]
    Empty,
    #[error("invalid message id {0:?}: it must be 1 to 128 of the characters a-z, A-Z, 0-9, ., _, : and -")]
    Id(String),
}

/// The text of a message from bytes; with `lossy` what is no text is replaced by U+FFFD.
///
/// # Errors
/// [`BadMessage`] with its size, or with the place of what can't be.
pub fn content(bytes: Vec<u8>, lossy: bool) -> Result<String, BadMessage> {
    if bytes.len() > MAX_CONTENT {
        return Err(BadMessage::TooLarge(bytes.len()));
    }
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) if lossy => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        Err(error) => return Err(BadMessage::NotUtf8(error.utf8_error().valid_up_to())),
    };
    let text = match text.find('\0') {
        None => text,
        Some(_) if lossy => text.replace('\0', "\u{fffd}"),
        Some(at) => return Err(BadMessage::Nul(at)),
    };
    if text.is_empty() {
        return Err(BadMessage::Empty);
    }
    Ok(text)
}

/// Whether a text can be a message's id.
pub fn is_message_id(id: &str) -> bool {
    (1..=128).contains(&id.len())
        && id.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | ':' | '-'))
}

impl Message {
    /// The tokens that were really used for it, in and out, if its author says so.
    pub fn usage(&self) -> Option<(u64, u64)> {
        let tokens = self.metadata.as_ref()?.get("tokens")?;
        let of = |key: &str| tokens.get(key).and_then(Value::as_u64);
        Some((of("input").unwrap_or_default(), of("output")?))
    }

    /// The model that wrote it, if its author says so.
    pub fn model(&self) -> Option<&str> {
        self.metadata.as_ref()?.get("model")?.as_str()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_others_survive() {
        let text = r#"{"id":"m1","role":"assistant","content":"x","timestamp":"2026-01-17T12:25:05.000Z","metadata":{"agentType":"pm","tokens":{"input":500,"output":200},"z":[1]},"extra":{"a":1}}"#;
        let message: Message = serde_json::from_str(text).unwrap();
        assert_eq!(message.usage(), Some((500, 200)));
        assert_eq!(serde_json::to_string(&message).unwrap(), text);
    }

    #[test]
    fn what_is_no_text_is_named_with_its_place() {
        assert_eq!(content(b"ab\0c".to_vec(), false), Err(BadMessage::Nul(2)));
        assert_eq!(content(b"ab\xff".to_vec(), false), Err(BadMessage::NotUtf8(2)));
        assert_eq!(content(b"a\0b\xff".to_vec(), true).unwrap(), "a\u{fffd}b\u{fffd}");
        assert_eq!(content(vec![b'x'; MAX_CONTENT + 1], true), Err(BadMessage::TooLarge(MAX_CONTENT + 1)));
        assert_eq!(content(Vec::new(), true), Err(BadMessage::Empty));
        assert!(is_message_id("msg-1:a.b") && !is_message_id("a b") && !is_message_id(""));
    }
}
