//! Recovering tmux sessions that deck created but has no record of, not even in the trash.

use super::{Cx, OpError, OpResult};
use crate::domain::group::GroupPath;
use crate::domain::session::{DesiredState, IdSource, Session, TmuxRef};
use crate::ports::mux::{PaneRow, SessionRef};
use crate::ports::transact;

/// Makes records for the panes whose session belongs to this home and profile. Returns the
/// tmux sessions that belong to others.
///
/// # Errors
/// [`OpError`] when the server can't be asked or the profile not be written.
pub fn recover_orphans(cx: &Cx, rows: &[PaneRow]) -> OpResult<Vec<SessionRef>> {
    let sessions: Vec<SessionRef> = rows.iter().map(|r| r.session.clone()).collect();
    let tags = cx.mux.record_tags(&sessions)?;
    let mut foreign = Vec::new();
    let mut ours = Vec::new();
    for (row, belongs) in rows.iter().zip(tags) {
        // One that is gone by now is nobody's.
        let Some(belongs) = belongs else { continue };
        if belongs.home == cx.installation.home_key && belongs.profile == cx.profile.name.as_str() {
            ours.push((row, belongs));
        } else {
            foreign.push(row.session.clone());
        }
    }
    if ours.is_empty() {
        return Ok(foreign);
    }
    let now = cx.clock.now();
    transact(&*cx.profile.store, |profile| {
        for (row, belongs) in &ours {
            let Some(id) = row.own_id() else { continue };
            if profile.session(id).is_some() {
                continue;
            }
            let mut session = Session::new(id.clone(), &crate::domain::text::clean(&belongs.title), now);
            session.project_path = belongs.path.clone();
            session.group_path = GroupPath::parse(&belongs.group).unwrap_or_default();
            session.tool = belongs.tool.clone();
            session.command = belongs.command.clone();
            session.order = profile.next_session_order(&session.group_path);
            session.wanted = DesiredState::Running;
            session.tmux = TmuxRef {
                socket: row.server().clone(),
                name: row.name.clone(),
                adopted: row.tags.adopted.clone(),
                ..TmuxRef::default()
            };
            if let Some(conversation) = row.conversation() {
                session.resume.record(conversation, IdSource::Reported, now);
            }
            profile.ensure_group(&session.group_path);
            profile.sessions.push(session);
        }
        Ok::<_, OpError>(())
    })?;
    Ok(foreign)
}
