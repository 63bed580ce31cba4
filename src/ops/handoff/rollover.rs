//! Continuing a session's work in a new conversation of the same agent, since the context of the old one is full.
//!
//! Invariants: as for a handoff, the intent is on disk first and the packet is sent once; the old conversation's id stays in the
//! session's record, and nothing of it is removed.

use std::time::Duration;

use super::{
    HandoffError, Receipt, Wish, await_receipt, begun, catch_up, lock_file, mark, packet_file, ready,
};
use crate::domain::handoff::{HandoffState, is_packet};
use crate::domain::id::SessionId;
use crate::domain::talk::{Message, OnFull, Speaker};
use crate::ops::restart::restart_with;
use crate::ops::send::{SendOptions, paste_when_ready, typed};
use crate::ops::talk::TalkError;
use crate::ops::{Cx, OpError, OpResult};
use crate::ports::conversations::{Page, Talk};
use crate::ports::transact;

/// How many messages are looked at for the beginning of a conversation.
const LOOKED_AT: usize = 500;

/// Begins a new conversation of a session that is idle, with what must be known of the old one as its first prompt.
///
/// # Errors
/// [`HandoffError`] and others. Once the new conversation has begun, the old one's id is in the session's record.
pub fn roll_over(cx: &Cx, id: &SessionId) -> OpResult<Receipt> {
    let session = cx.session(id)?;
    let file = lock_file(cx, id);
    let failed = |source| OpError::CheckpointFile { file: file.clone(), source };
    let held = cx.host.hold(&file, Duration::ZERO, &cx.cancel).map_err(failed)?;
    let held = held.ok_or_else(|| HandoffError::UnderWay(session.name()))?;
    let done = under_lock(cx, id);
    cx.host.release(&file, held);
    done
}

fn under_lock(cx: &Cx, id: &SessionId) -> OpResult<Receipt> {
    let session = cx.session(id)?;
    let wish = Wish { to: session.tool.clone(), keep: true, ..Wish::default() };
    let ready = ready(cx, id, &wish, true)?;
    if let Some(carries) = &session.carries {
        catch_up(cx, carries);
    }
    if let Some(text) = typed(cx, &session)?.filter(|text| !text.trim().is_empty()) {
        return Err(OpError::Unsent { session: session.name(), text });
    }
    let file = packet_file(cx, &ready.id);
    let failed = |source| OpError::CheckpointFile { file: file.clone(), source };
    cx.host.put(&file, &ready.packet).map_err(failed)?;
    begun(cx, id, &wish, &ready)?;
    transact(&*cx.profile.store, |profile| {
        if let Some(session) = profile.session_mut(id) {
            session.handoff = Some(ready.id.clone());
        }
        Ok::<_, OpError>(())
    })?;
    cx.host.reached("rollover-begun");
    let restarted = restart_with(cx, id, true, Some(&ready.packet));
    let restarted = restarted.inspect_err(|error| give_up(cx, &ready.id, id, &error.to_string()))?;
    mark(cx, &ready.id, Some(id), HandoffState::Begun)?;
    cx.host.reached("rollover-started");
    if let Some(text) = restarted.launched.plan.paste.clone() {
        paste_when_ready(cx, id, &text, SendOptions::default())?;
    }
    let receipt = await_receipt(cx, &cx.session(id)?, &ready)?;
    mark(cx, &ready.id, Some(id), HandoffState::Done)?;
    Ok(receipt)
}

/// Whether the context of the session that carries a conversation is full, and a new conversation of its agent would be less so:
/// not right after one was begun, and never where the packet alone fills it.
///
/// # Errors
/// When the log can't be read.
pub fn is_due(cx: &Cx, of: &Talk) -> OpResult<bool> {
    let (Some(carrier), Some(role)) = (&of.state.carrier, cx.installation.roles.get(&of.state.subject.role))
    else {
        return Ok(false);
    };
    let is_full = carrier.context.is_some_and(|context| context >= role.threshold());
    if role.on_full != OnFull::Rollover || !is_full {
        return Ok(false);
    }
    let page = Page { limit: LOOKED_AT, before: None, archive: true };
    let all = cx.conversations.messages(&of.root, &of.state.id, &page).map_err(TalkError::from)?;
    let messages: Vec<Message> = all.into_iter().map(|numbered| numbered.message).collect();
    Ok(has_moved_on(&messages, &carrier.bookmark.conversation, role.threshold()))
}

/// Whether somebody has said something since a new conversation was begun with a packet, and that alone did not fill it.
fn has_moved_on(messages: &[Message], conversation: &str, threshold: u64) -> bool {
    let source =
        |m: &Message| m.metadata.as_ref()?.get("source")?.get("transcript")?.as_str().map(str::to_owned);
    let is_packet = |m: &Message| {
        m.speaker == Speaker::System
            && is_packet(&m.content)
            && source(m).is_some_and(|transcript| transcript == conversation)
    };
    let Some(at) = messages.iter().rposition(is_packet) else { return true };
    let since = messages.get(at + 1..).unwrap_or_default();
    let first = since.iter().find(|m| m.speaker == Speaker::Assistant).and_then(Message::usage);
    let filled_at_once = first.is_some_and(|(input, output)| input + output >= threshold);
    !filled_at_once && since.iter().any(|m| m.speaker == Speaker::User)
}

fn give_up(cx: &Cx, handoff: &str, id: &SessionId, why: &str) {
    if let Err(error) = mark(cx, handoff, Some(id), HandoffState::Failed(why.to_owned())) {
        tracing::warn!(%error, "can't record that a new conversation was not begun");
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::*;

    fn message(speaker: Speaker, content: &str, transcript: &str, used: u64) -> Message {
        let metadata = json!({"source": {"transcript": transcript}, "tokens": {"input": used, "output": 0}});
        Message {
            id: content.into(),
            speaker,
            content: content.into(),
            timestamp: String::new(),
            metadata: metadata.as_object().cloned(),
            other: Map::new(),
        }
    }

    #[test]
    fn a_new_conversation_is_not_left_at_once_and_not_for_one_that_would_be_as_full() {
        let (user, agent, system) = (Speaker::User, Speaker::Assistant, Speaker::System);
        let packet = "Handoff ho-1a2b3c4d: you continue";
        let mut all = vec![message(user, "first", "old", 0), message(agent, "answer", "old", 950)];
        assert!(has_moved_on(&all, "old", 900), "the first one, which was begun without a packet");
        all.push(message(system, packet, "new", 0));
        assert!(!has_moved_on(&all, "new", 900), "nothing was said in it yet");
        all.push(message(agent, "received", "new", 300));
        assert!(!has_moved_on(&all, "new", 900), "only the packet was answered");
        all.push(message(user, "go on", "new", 0));
        all.push(message(agent, "grown", "new", 950));
        assert!(has_moved_on(&all, "new", 900));
        // The packet alone fills it: another one would, too.
        assert!(!has_moved_on(&all, "new", 200));
    }
}
