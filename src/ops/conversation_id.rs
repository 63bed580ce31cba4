//! Learning a conversation's id: the tmux session's environment first, then the ledger.

use super::panes::find_row;
use super::{Cx, OpResult};
use crate::domain::id::{SessionId, is_conversation};
use crate::domain::session::IdSource;
use crate::ports::mux::{Tag, TagName};

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
