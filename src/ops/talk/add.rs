//! Adding a message.

use serde_json::{Map, Value};

use super::{TalkError, due, time};
use crate::domain::talk::{BadMessage, Event, Message, Speaker, TalkStatus, estimate, is_message_id};
use crate::ops::{Cx, OpResult};
use crate::ports::conversations::Talk;

/// A message to add.
#[derive(Debug, Clone, PartialEq)]
pub struct NewMessage {
    pub speaker: Speaker,
    pub content: String,
    /// Its id; none for a new one.
    pub id: Option<String>,
    /// The tokens that were really used, in and out.
    pub tokens: Option<(u64, u64)>,
    pub metadata: Map<String, Value>,
}

/// A message that is in the conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct Added {
    pub message: Message,
    pub seq: u64,
    /// Whether it was there already.
    pub was_there: bool,
    /// Whether the conversation needs compaction now.
    pub is_due: bool,
}

/// Adds a message. One of an id that is there already is not added again, and must have the same words.
///
/// # Errors
/// [`TalkError`]; nothing is added then.
pub fn add(cx: &Cx, talk: &Talk, new: &NewMessage) -> OpResult<Added> {
    let now = time(cx);
    let mut metadata = new.metadata.clone();
    if let Some((input, output)) = new.tokens {
        metadata.insert("tokens".to_owned(), serde_json::json!({ "input": input, "output": output }));
    }
    if new.speaker == Speaker::Assistant && !metadata.contains_key("agentType") {
        metadata.insert("agentType".to_owned(), talk.state.subject.role.clone().into());
    }
    let id = match &new.id {
        Some(id) if !is_message_id(id) => return Err(TalkError::Message(BadMessage::Id(id.clone())).into()),
        Some(id) => id.clone(),
        None => format!("msg-{}", cx.clock.new_conversation_id()),
    };
    let message = Message {
        id,
        speaker: new.speaker,
        content: new.content.clone(),
        timestamp: now.clone(),
        metadata: Some(metadata).filter(|metadata| !metadata.is_empty()),
        other: Map::new(),
    };
    let tokens = estimate(&message.content);
    let (root, talk_id) = (&talk.root, &talk.state.id);
    let mut there = None;
    let mut failed: Option<TalkError> = None;
    let mut seq = 0;
    let state = cx
        .conversations
        .change(root, talk_id, &now, &mut |state| {
            if state.status == TalkStatus::Archived {
                failed = Some(TalkError::Archived(talk_id.clone()));
                return Vec::new();
            }
            if state.carrier.is_some() && new.speaker != Speaker::System {
                failed = Some(TalkError::SpeaksForItself { id: talk_id.clone() });
                return Vec::new();
            }
            if new.id.is_some() {
                match cx.conversations.message(root, talk_id, &message.id) {
                    Ok(None) => {}
                    Ok(Some(found)) => {
                        there = Some(found);
                        return Vec::new();
                    }
                    Err(error) => {
                        failed = Some(error.into());
                        return Vec::new();
                    }
                }
            }
            seq = state.seq + 1;
            vec![Event::MessageAdded { message: message.clone(), tokens, known: false }]
        })
        .map_err(TalkError::from)?;
    if let Some(failed) = failed {
        return Err(failed.into());
    }
    let is_due = due(cx, &state);
    match there {
        Some(found)
            if found.message.content == message.content && found.message.speaker == message.speaker =>
        {
            Ok(Added { message: found.message, seq: found.seq, was_there: true, is_due })
        }
        Some(found) => Err(TalkError::OtherContent { id: talk_id.clone(), message: found.message.id }.into()),
        None => {
            super::request::learn(cx, talk, &message, seq);
            Ok(Added { message, seq, was_there: false, is_due })
        }
    }
}
