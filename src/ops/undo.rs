//! Undoing: what was deleted comes back, what was arranged is as it was before.

use std::collections::{BTreeSet, HashMap};

use jiff::Timestamp;

use super::mcp_servers::{self, McpServersError};
use super::panes::{is_of, panes};
use super::{Cx, OpError, OpResult, handoff, worktree};
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
    /// Worktrees that had been removed and were made again.
    pub worktrees: Vec<UndoneWorktree>,
}

/// A worktree that is made again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndoneWorktree {
    pub path: String,
    /// Why it could not be made.
    pub error: Option<String>,
}

/// Brings back the deleted session that `name` means; without one, undoes what one command deleted or arranged
/// last.
///
/// # Errors
/// [`OpError::NothingToUndo`], or that no deleted session has this name.
pub fn undo(cx: &Cx, name: Option<&str>) -> OpResult<Undone> {
    let kept = if name.is_none() { undo_file(cx)? } else { None };
    if name.is_none() {
        handoff::undo(cx)?;
    }
    let (mut undone, retitled, back) = transact(&*cx.profile.store, |profile| {
        let before: HashMap<SessionId, String> =
            profile.sessions.iter().map(|s| (s.id.clone(), s.title.clone())).collect();
        let removed: BTreeSet<SessionId> =
            profile.sessions.iter().filter(|s| is_removed(s)).map(|s| s.id.clone()).collect();
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
        let is_back = |s: &&Session| removed.contains(&s.id) && !is_removed(s) && s.is_live();
        let back: Vec<Session> = profile.sessions.iter().filter(is_back).cloned().collect();
        Ok((Undone { titles, restored, change, worktrees: Vec::new() }, retitled, back))
    })?;
    if let Some(error) = kept {
        return Err(error);
    }
    undone.worktrees = make_again(cx, &back);
    // It is undone: where tmux can't be told, only its own lists keep the other title.
    if let Err(error) = retitle(cx, &retitled) {
        tracing::warn!(%error, "can't tell tmux the titles of sessions");
    }
    Ok(undone)
}

/// Puts back the file that was changed last, if that is what is undone. Returns why it was left, if it was: then what was done
/// before it can still be undone.
fn undo_file(cx: &Cx) -> OpResult<Option<OpError>> {
    let profile = cx.profile.store.load()?.profile;
    let Some(change) = profile.changes.last().filter(|c| Some(c.at) >= profile.last_deletion()) else {
        return Ok(None);
    };
    let Some(file) = &change.file else { return Ok(None) };
    match mcp_servers::put_back(cx, file) {
        Ok(()) => Ok(None),
        Err(error @ OpError::McpServers(McpServersError::ChangedSince { .. })) => Ok(Some(error)),
        Err(error) => Err(error),
    }
}

/// Whether the worktree that a session works in was removed.
fn is_removed(session: &Session) -> bool {
    session.place.as_ref().is_some_and(|place| place.removed_at.is_some())
}

/// Makes the worktrees of these sessions again, each once.
fn make_again(cx: &Cx, sessions: &[Session]) -> Vec<UndoneWorktree> {
    let mut made: Vec<UndoneWorktree> = Vec::new();
    for session in sessions {
        let Some(path) = session.place.as_ref().map(|place| place.worktree.clone()) else { continue };
        if made.iter().any(|other| other.path == path) {
            continue;
        }
        let error = worktree::restore(cx, session).err().map(|error| error.to_string());
        made.push(UndoneWorktree { path, error });
    }
    made
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
