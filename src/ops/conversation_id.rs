//! Learning a conversation's id: the tmux session's environment first, then the ledger.

use std::time::Duration;

use super::panes::find_row;
use super::{Cx, OpResult};
use crate::domain::id::{SessionId, is_conversation};
use crate::domain::session::IdSource;
use crate::ports::mux::{Tag, TagName};

/// How often an id is looked for.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Makes `conversation` the session's id: in its tmux session's environment, on its options, and
/// in the ledger. Returns whether it was news to the ledger.
///
/// # Errors
/// [`super::OpError`] when the session is gone.
pub fn record_conversation_id(
    cx: &Cx,
    id: &SessionId,
    conversation: &str,
    source: IdSource,
) -> OpResult<bool> {
    if !is_conversation(conversation) {
        tracing::warn!(session = %id, "ignored an invalid conversation id");
        return Ok(false);
    }
    let session = cx.session(id)?;
    if let Some(row) = find_row(cx, &session)? {
        if let Some(name) = cx.tools.tool(&session.tool).and_then(|e| e.tool.session_id_env.clone()) {
            cx.mux.set_environment(&row.session, &name, conversation)?;
        }
        cx.mux.tag(&row.session, &[Tag::new(TagName::ResumeId, conversation)])?;
    }
    if session.resume.id.as_deref() == Some(conversation) {
        return Ok(false);
    }
    let now = cx.clock.now();
    cx.change_session(id, |s| {
        s.resume.record(conversation, source, now);
    })?;
    Ok(true)
}

/// Waits until the session's tmux session carries a conversation's id.
///
/// # Errors
/// [`super::OpError`] when it can't be asked.
pub fn wait_for_session_id(cx: &Cx, id: &SessionId, timeout: Duration) -> OpResult<Option<String>> {
    let session = cx.session(id)?;
    for _ in 0..=timeout.as_millis() / POLL_INTERVAL.as_millis() {
        let row = find_row(cx, &session)?;
        if let Some(found) = row.as_ref().and_then(|r| r.conversation().map(str::to_owned)) {
            return Ok(Some(found));
        }
        if row.is_none_or(|r| r.facts.dead.is_some()) {
            return Ok(None);
        }
        cx.pause(POLL_INTERVAL)?;
    }
    Ok(None)
}
