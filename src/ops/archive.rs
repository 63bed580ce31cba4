//! Archiving: a session is hidden with its conversation kept, and can be restored.

use super::panes::find_row;
use super::stop::{Terminals, stop};
use super::{Cx, OpError, OpResult, guard};
use crate::domain::guard::Act;
use crate::domain::id::SessionId;
use crate::domain::session::Session;
use crate::domain::worker::Worker;

/// Puts a session away; one that runs is stopped first.
///
/// # Errors
/// [`OpError`] when it can't be stopped or written.
pub fn archive(cx: &Cx, id: &SessionId) -> OpResult<Session> {
    let session = cx.session(id)?;
    guard::check(cx, Act::End, &session)?;
    if find_row(cx, &session)?.is_some() || session.workers.iter().any(Worker::is_terminal) {
        stop(cx, id, Terminals::End)?;
    }
    let now = cx.clock.now();
    cx.arrange("archived {}", |profile| {
        let session = profile.session_mut(id).filter(|s| s.deleted_at.is_none());
        let session = session.ok_or_else(|| OpError::Missing(id.clone()))?;
        (session.archived_at, session.updated_at) = (Some(now), now);
        Ok(session.clone())
    })
}

/// The archived sessions, latest first.
///
/// # Errors
/// [`OpError`] when the profile can't be read.
pub fn archived(cx: &Cx) -> OpResult<Vec<Session>> {
    let profile = cx.profile.store.load()?.profile;
    let is_away = |s: &&Session| s.archived_at.is_some() && s.deleted_at.is_none();
    let mut all: Vec<Session> = profile.sessions.iter().filter(is_away).cloned().collect();
    all.sort_by_key(|s| std::cmp::Reverse(s.archived_at));
    Ok(all)
}

/// Restores an archived session. It is stopped.
///
/// # Errors
/// [`OpError::Missing`] when there is none.
pub fn unarchive(cx: &Cx, id: &SessionId) -> OpResult<Session> {
    let now = cx.clock.now();
    cx.arrange("restored {} from the archive", |profile| {
        let session = profile
            .session_mut(id)
            .filter(|s| s.deleted_at.is_none() && s.archived_at.is_some())
            .ok_or_else(|| OpError::Missing(id.clone()))?;
        (session.archived_at, session.updated_at) = (None, now);
        Ok::<_, OpError>(session.clone())
    })
}
