//! Recovering tmux sessions that deck created but has no record of, not even in the trash.

use jiff::Timestamp;

use super::{Cx, OpResult};
use crate::domain::group::GroupPath;
use crate::domain::profile::Profile;
use crate::domain::session::{DesiredState, IdSource, Session, TmuxRef};
use crate::ports::mux::{PaneRow, RecordTags, SessionRef};

/// A pane whose session belongs to this home and profile, with what deck put on it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Orphan {
    row: PaneRow,
    tags: RecordTags,
}

/// Those of these panes whose session belongs to this home and profile, and the tmux sessions that belong to others.
///
/// # Errors
/// [`super::OpError`] when the server can't be asked.
pub(super) fn find_orphans(cx: &Cx, rows: &[PaneRow]) -> OpResult<(Vec<Orphan>, Vec<SessionRef>)> {
    let sessions: Vec<SessionRef> = rows.iter().map(|r| r.session.clone()).collect();
    let tags = cx.mux.record_tags(&sessions)?;
    let mut foreign = Vec::new();
    let mut ours = Vec::new();
    for (row, tags) in rows.iter().zip(tags) {
        // One that is gone by now is nobody's.
        let Some(tags) = tags else { continue };
        if tags.home == cx.installation.home_key && tags.profile == cx.profile.name.as_str() {
            ours.push(Orphan { row: row.clone(), tags });
        } else {
            foreign.push(row.session.clone());
        }
    }
    Ok((ours, foreign))
}

/// Puts records of these into a profile that has none. Returns whether that changed anything.
pub(super) fn take_back(profile: &mut Profile, orphans: &[Orphan], now: Timestamp) -> bool {
    let before = profile.sessions.len();
    for Orphan { row, tags } in orphans {
        let Some(id) = row.own_id() else { continue };
        if profile.session(id).is_some() {
            continue;
        }
        let mut session = Session::new(id.clone(), &crate::domain::text::clean(&tags.title), now);
        session.project_path = tags.path.clone();
        session.group_path = GroupPath::parse(&tags.group).unwrap_or_default();
        session.tool = tags.tool.clone();
        session.command = tags.command.clone();
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
    profile.sessions.len() > before
}
