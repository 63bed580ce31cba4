//! Titles, groups and order of sessions: what a user sees, not what runs.

use super::create::clean_title;
use super::panes::find_row;
use super::{Cx, OpError, OpResult};
use crate::domain::group::GroupPath;
use crate::domain::id::SessionId;
use crate::domain::session::Session;
use crate::domain::tree::Slot;
use crate::ports::mux::{Tag, TagName};

/// Gives a session another title. Its name on the tmux server stays.
///
/// # Errors
/// [`OpError`] when the title is empty or taken, or the session gone.
pub fn rename(cx: &Cx, id: &SessionId, title: &str) -> OpResult<Session> {
    let title = clean_title(title)?;
    let now = cx.clock.now();
    let before = cx.session(id)?.title;
    let session = cx.arrange(&format!("renamed {before} to {title}"), |profile| {
        if profile.live_sessions().any(|s| s.title == title && s.id != *id) {
            return Err(OpError::TitleTaken(title.clone()));
        }
        let session = profile.session_mut(id).filter(|s| s.deleted_at.is_none());
        let session = session.ok_or_else(|| OpError::Missing(id.clone()))?;
        session.title.clone_from(&title);
        session.updated_at = now;
        Ok(session.clone())
    })?;
    if let Some(row) = find_row(cx, &session)? {
        cx.mux.tag(&row.session, &[Tag::new(TagName::Title, &session.title)])?;
    }
    Ok(session)
}

/// Puts sessions into a group, which is made if it is missing; the root takes them out of any.
///
/// # Errors
/// [`OpError`] when one is gone; then none is moved.
pub fn move_to(cx: &Cx, ids: &[SessionId], group: &GroupPath) -> OpResult<()> {
    let now = cx.clock.now();
    let words = if group.is_root() { "ungrouped {}".to_owned() } else { format!("moved {{}} to {group}") };
    cx.arrange(&words, |profile| {
        profile.ensure_group(group);
        for id in ids {
            let order = profile.next_session_order(group);
            let session = profile.session_mut(id).ok_or_else(|| OpError::Missing(id.clone()))?;
            if session.group_path != *group {
                session.group_path = group.clone();
                session.order = order;
                session.updated_at = now;
            }
        }
        Ok(())
    })
}

/// Moves a session among its siblings by `by` places.
///
/// # Errors
/// [`OpError`] when it is gone.
pub fn reorder(cx: &Cx, id: &SessionId, by: i64) -> OpResult<()> {
    // Its neighbours get other numbers; what was moved is this one.
    let words = format!("moved {} in its group", cx.session(id)?.title);
    cx.arrange(&words, |profile| {
        if profile.reorder_session(id, by) { Ok(()) } else { Err(OpError::Missing(id.clone())) }
    })
}

/// Puts a session beside another one, or at the end of a group.
///
/// # Errors
/// [`OpError`] when it is gone, or what it should be next to.
pub fn place(cx: &Cx, id: &SessionId, slot: &Slot) -> OpResult<()> {
    let now = cx.clock.now();
    let words = format!("moved {}", cx.session(id)?.title);
    cx.arrange(&words, |profile| {
        if !profile.place_session(id, slot) {
            return Err(OpError::Missing(id.clone()));
        }
        if let Some(session) = profile.session_mut(id) {
            session.updated_at = now;
        }
        Ok(())
    })
}

/// Gives sessions the order in which they are named. Returns the order they had.
///
/// # Errors
/// [`OpError`] when the profile can't be written.
pub fn arrange(cx: &Cx, ids: &[SessionId]) -> OpResult<Vec<SessionId>> {
    cx.arrange("sorted {}", |profile| {
        let before = profile.arrangement();
        profile.arrange_sessions(ids);
        Ok(before)
    })
}
