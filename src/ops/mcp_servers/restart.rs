//! Starting a session again so that it loads what is attached to it.

use super::McpServersError;
use crate::domain::guard::Act;
use crate::domain::id::SessionId;
use crate::domain::status::StatusKind;
use crate::ops::{Cx, OpError, OpResult, Watcher, guard};

/// Refuses an agent that wants the server started again which these sessions share, by their ids: their calls would end.
///
/// # Errors
/// The refusal; others when the profile can't be read.
pub fn check_restart_shared(cx: &Cx, sessions: &[String]) -> OpResult<()> {
    let profile = cx.profile.store.load()?.profile;
    let shared =
        profile.sessions.iter().filter(|session| sessions.iter().any(|id| session.id.as_str() == id));
    shared.into_iter().try_for_each(|session| guard::check(cx, Act::Configure, session))
}

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
