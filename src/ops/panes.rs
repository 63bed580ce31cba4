//! Which panes there are, and what each of them is to this deck: the one place that decides it.

use super::{Cx, OpResult};
use crate::domain::id::SessionId;
use crate::domain::session::Session;
use crate::ports::MuxError;
use crate::ports::mux::{PaneList, PaneRow, ServerId};

/// What a pane is to this deck.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PaneRole {
    /// The agent of this session, which may be another profile's, or have lost its record.
    Agent(SessionId),
    /// Anything else.
    Other,
}

/// What a pane is, among these sessions: the agent of the session whose id it carries, or, if deck was cut off
/// before it could put the id there, of the one that it was made for by its name.
pub(super) fn role<'a>(cx: &Cx, row: &PaneRow, sessions: impl IntoIterator<Item = &'a Session>) -> PaneRole {
    let by_name = || {
        let made_for = sessions.into_iter().find(|session| {
            let adopted = session.tmux.adopted.as_ref();
            row.name == session.tmux.name
                && [&cx.installation.socket, &session.tmux.socket].contains(&row.server())
                // Of a session that was just adopted, the pane that was.
                && adopted.is_none_or(|a| row.pane.pane == a.pane)
        });
        made_for.map(|session| session.id.clone())
    };
    row.own_id().cloned().or_else(by_name).map_or(PaneRole::Other, PaneRole::Agent)
}

/// Whether a pane is the agent's of this session.
pub(super) fn is_of(cx: &Cx, row: &PaneRow, session: &Session) -> bool {
    matches!(role(cx, row, [session]), PaneRole::Agent(id) if id == session.id)
}

/// The servers to look at for these sessions: deck's own, and those on which they were adopted.
pub fn servers<'a>(cx: &Cx, sessions: impl IntoIterator<Item = &'a Session>) -> Vec<ServerId> {
    let mut all = vec![cx.installation.socket.clone()];
    for session in sessions {
        let server = cx.server_of(session);
        if !all.contains(server) {
            all.push(server.clone());
        }
    }
    all
}

/// The panes on the servers of these sessions; none where no server runs.
pub(super) fn panes<'a>(cx: &Cx, sessions: impl IntoIterator<Item = &'a Session>) -> OpResult<PaneList> {
    match cx.mux.panes(&servers(cx, sessions), None) {
        Err(MuxError::NoServer(_)) => Ok(PaneList::default()),
        other => Ok(other?),
    }
}

/// The agent's pane of a session, dead or alive.
pub(super) fn find_row(cx: &Cx, session: &Session) -> OpResult<Option<PaneRow>> {
    let list = panes(cx, [session])?;
    list.reached(cx.server_of(session))?;
    Ok(list.rows.into_iter().find(|row| is_of(cx, row, session)))
}
