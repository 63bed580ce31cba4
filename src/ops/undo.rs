//! Undoing: what was deleted comes back, what was arranged is as it was before.

use std::collections::HashMap;

use jiff::Timestamp;

use super::panes::{is_of, panes};
use super::{Cx, OpError, OpResult};
use crate::domain::id::SessionId;
use crate::domain::profile::{Profile, Restored};
use crate::domain::resolve::{ResolveError, resolve_in};
use crate::domain::session::Session;
use crate::ports::mux::{Tag, TagName};
use crate::ports::transact;

/// What an undo brought back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undone {
    /// Titles of sessions.
    pub titles: Vec<String>,
    /// Everything, by id and path.
    pub restored: Restored,
    /// What was undone, in words, such as `moved api to work`; nothing if it was a deletion.
    pub change: Option<String>,
}

/// Brings back the deleted session that `name` means; without one, undoes what one command deleted or arranged
/// last.
///
/// # Errors
/// [`OpError::NothingToUndo`], or that no deleted session has this name.
pub fn undo(cx: &Cx, name: Option<&str>) -> OpResult<Undone> {
    let (undone, retitled) = transact(&*cx.profile.store, |profile| {
        let before: HashMap<SessionId, String> =
            profile.sessions.iter().map(|s| (s.id.clone(), s.title.clone())).collect();
        let (restored, change) = match name {
            None => last(profile),
            Some(name) => {
                let deleted = || profile.sessions.iter().filter(|s| s.deleted_at.is_some());
                let id = match resolve_in(deleted(), name, None) {
                    Ok(session) => session.id.clone(),
                    Err(ResolveError::Missing { name, .. }) => {
                        let titles = deleted().map(|s| s.title.clone()).collect();
                        return Err(OpError::NotInTrash { name, titles });
                    }
                    Err(other) => return Err(other.into()),
                };
                (profile.undo_delete_of(&id), None)
            }
        };
        if restored == Restored::default() && change.is_none() {
            return Err(OpError::NothingToUndo);
        }
        let titles =
            restored.sessions.iter().filter_map(|id| profile.session(id)).map(|s| s.title.clone()).collect();
        let is_renamed = |s: &&Session| before.get(&s.id).is_some_and(|title| *title != s.title);
        let retitled: Vec<Session> = profile.live_sessions().filter(is_renamed).cloned().collect();
        Ok((Undone { titles, restored, change }, retitled))
    })?;
    // It is undone: where tmux can't be told, only its own lists keep the other title.
    if let Err(error) = retitle(cx, &retitled) {
        tracing::warn!(%error, "can't tell tmux the titles of sessions");
    }
    Ok(undone)
}

/// When what [`undo`] would undo was done; nothing if there is nothing.
///
/// # Errors
/// [`OpError`] when the profile can't be read.
pub fn last_undoable(cx: &Cx) -> OpResult<Option<Timestamp>> {
    let profile = cx.profile.store.load()?.profile;
    Ok(profile.changes.last().map(|c| c.at).max(profile.last_deletion()))
}

/// Undoes whatever was done last.
fn last(profile: &mut Profile) -> (Restored, Option<String>) {
    let arranged = profile.changes.last().map(|c| c.at);
    if arranged.is_some()
        && arranged >= profile.last_deletion()
        && let Some(undone) = profile.undo_change()
    {
        return (Restored { sessions: undone.sessions, groups: Vec::new() }, Some(undone.words));
    }
    (profile.undo_delete(), None)
}

/// Puts the titles that sessions have again on those that run.
fn retitle(cx: &Cx, sessions: &[Session]) -> OpResult<()> {
    if sessions.is_empty() {
        return Ok(());
    }
    for row in panes(cx, sessions)?.rows {
        if let Some(session) = sessions.iter().find(|s| is_of(cx, &row, s)) {
            cx.mux.tag(&row.session, &[Tag::new(TagName::Title, &session.title)])?;
        }
    }
    Ok(())
}
