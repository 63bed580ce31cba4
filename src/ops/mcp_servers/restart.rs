//! Starting a session again so that it loads what is attached to it.

use super::McpServersError;
use crate::domain::id::SessionId;
use crate::domain::status::StatusKind;
use crate::ops::{Cx, OpError, OpResult, Watcher};

/// Starts a session again that does nothing. What it does would be lost otherwise.
///
/// # Errors
/// [`McpServersError::NotIdle`] when it is at work, asks something, or can't be looked at; others when it can't be started.
pub fn restart_if_idle(cx: &Cx, id: &SessionId) -> OpResult<()> {
    let snapshot = Watcher::of([id.clone()]).tick(cx)?;
    let state = snapshot.state(id).ok_or_else(|| OpError::Missing(id.clone()))?;
    let verdict = &state.verdict;
    let session = cx.session(id)?;
    if !matches!(verdict.kind(), StatusKind::Idle | StatusKind::Done) || verdict.unsure.is_some() {
        let status =
            if verdict.unsure.is_some() { "in a state that isn't confirmed" } else { verdict.status.word() };
        return Err(McpServersError::NotIdle { session: session.name(), status: status.to_owned() }.into());
    }
    crate::ops::restart(cx, id, false)?;
    Ok(())
}
