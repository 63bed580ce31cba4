//! The workers of a session, with what is known of each now.

use jiff::Timestamp;

use crate::domain::id::SessionId;
use crate::domain::profile::Profile;
use crate::domain::session::Session;
use crate::domain::status::Exit;
use crate::domain::worker::{Tab, Worker, tabs};
use crate::ops::panes::{is_of, panes};
use crate::ops::{Cx, OpResult};
use crate::ports::mux::{PaneFacts, PaneRef, PaneRow, TerminalRow};

/// One worker, as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// The number of its tab, from 1.
    pub tab: usize,
    pub id: String,
    /// What it is: `agent`, `terminal`, `diff`, `markdown`, `link`, or the word of a newer deck.
    pub kind: String,
    pub name: String,
    /// Whether something runs in it; none of what nothing runs in.
    pub alive: Option<bool>,
    /// How it ended.
    pub exit: Option<Exit>,
    pub pane: Option<PaneRef>,
    /// Its record, if it is no agent.
    pub record: Option<Worker>,
    /// The session that it is, if it is an agent.
    pub agent: Option<SessionId>,
    /// The command that it runs, if it was given one.
    pub command: Option<String>,
    pub created_at: Timestamp,
}

/// The workers of a session, from what is known of panes.
pub fn listed<'a>(
    profile: &Profile,
    session: &Session,
    agent: impl Fn(&SessionId) -> Option<&'a PaneRow>,
    terminals: &[TerminalRow],
) -> Vec<Listed> {
    let one = |(at, tab): (usize, &Tab)| {
        let of = |own: &Session| {
            let row = agent(&own.id);
            (
                row.map(|r| (&r.pane, &r.facts)),
                Some(own.id.clone()),
                Some(own.command.clone()),
                own.created_at,
            )
        };
        let (pane, agent, command, created_at) = match tab {
            Tab::Agent => of(session),
            Tab::Further(further) => of(further),
            Tab::Worker(worker) => {
                let row = terminals.iter().find(|r| r.of == session.id && r.worker == worker.id);
                (row.map(|r| (&r.pane, &r.facts)), None, worker.command.clone(), worker.created_at)
            }
        };
        let runs = agent.is_some() || matches!(tab, Tab::Worker(w) if w.is_terminal());
        let is_alive = |(_, facts): &(&PaneRef, &PaneFacts)| facts.dead.is_none();
        Listed {
            tab: at + 1,
            id: tab.id(session),
            kind: tab.kind(session),
            name: tab.name(session),
            alive: runs.then(|| pane.as_ref().is_some_and(is_alive)),
            exit: pane.as_ref().and_then(|(_, facts)| facts.dead.clone()),
            pane: pane.map(|(pane, _)| pane.clone()),
            record: if let Tab::Worker(worker) = tab { Some((*worker).clone()) } else { None },
            agent,
            command,
            created_at,
        }
    };
    tabs(profile, session).iter().enumerate().map(one).collect()
}

/// The workers of a session, as they are now.
///
/// # Errors
/// [`crate::ops::OpError`] when the profile can't be read or a server not be asked.
pub fn list(cx: &Cx, session: &Session) -> OpResult<Vec<Listed>> {
    let profile = cx.profile.store.load()?.profile;
    let list = panes(cx, profile.live_sessions())?;
    list.reached(cx.server_of(session))?;
    let agent = |id: &SessionId| {
        let session = profile.session(id)?;
        list.rows.iter().find(|row| is_of(cx, row, session))
    };
    Ok(listed(&profile, session, agent, &list.terminals))
}
