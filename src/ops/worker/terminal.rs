//! The windows of terminals: making one, ending it, bringing back those that were lost with their server.

use std::collections::BTreeMap;

use crate::domain::id::SessionId;
use crate::domain::quote::sh;
use crate::domain::session::{DesiredState, Session};
use crate::domain::worker::Worker;
use crate::ops::agent_env::environment;
use crate::ops::panes::panes;
use crate::ops::{Cx, OpResult};
use crate::ports::mux::{NewSession, NewWindow, RespawnWindow, SessionRef, Tag, TagName, TerminalRow};

/// What is printed in a terminal that takes the place of a lost one.
const LOST: &str = "deck: this terminal is new; the output of the one before was lost with its tmux server";

/// What became of a terminal that was brought back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Returned {
    pub name: String,
    /// Why it could not be made again.
    pub error: Option<String>,
}

/// What became of terminals, in words; empty for none.
pub fn returned_words(all: &[Returned]) -> String {
    let (failed, made): (Vec<_>, Vec<_>) = all.iter().partition(|r| r.error.is_some());
    let mut words = String::new();
    if !made.is_empty() {
        let names: Vec<&str> = made.iter().map(|r| r.name.as_str()).collect();
        words.push_str(&format!("; new terminals in place of the lost ones: {}", names.join(", ")));
    }
    for one in failed {
        words.push_str(&format!(
            "; couldn't restore {}: {}",
            one.name,
            one.error.as_deref().unwrap_or_default()
        ));
    }
    words
}

/// The terminals of a session that have a pane, dead or alive. A pane may set its options itself: one that names a worker
/// which the session doesn't have is none.
///
/// # Errors
/// [`crate::ops::OpError`] when the server can't be asked.
pub fn panes_of(cx: &Cx, session: &Session) -> OpResult<Vec<TerminalRow>> {
    let list = panes(cx, [session])?;
    list.reached(cx.server_of(session))?;
    let is_known = |row: &TerminalRow| session.workers.iter().any(|w| w.is_terminal() && w.id == row.worker);
    Ok(list.terminals.into_iter().filter(|row| row.of == session.id && is_known(row)).collect())
}

/// The folder that a terminal begins in.
pub(super) fn folder(session: &Session, worker: &Worker) -> String {
    if worker.dir.is_empty() {
        return session.project_path.clone();
    }
    format!("{}/{}", session.project_path.trim_end_matches('/'), worker.dir)
}

/// What its pane runs: a shell, or its command as it was given.
fn script(cx: &Cx, command: Option<&str>, note: Option<&str>) -> String {
    let note = note.map(|note| format!("printf '%s\\n' {}\n", sh(note))).unwrap_or_default();
    let shell = cx.caller.var("SHELL").unwrap_or("/bin/sh");
    let Some(command) = command else { return format!("{note}exec {}\n", sh(shell)) };
    let settle = (cx.mux.publish().settle)();
    format!("{note}sh -c {}\ncode=$?\n{settle}exit $code\n", sh(command))
}

/// Makes the pane of a terminal: a window of the session's tmux session, which is made if there is none.
pub(super) fn make(
    cx: &Cx,
    session: &Session,
    worker: &Worker,
    command: Option<&str>,
    note: Option<&str>,
) -> OpResult<()> {
    let dir = folder(session, worker);
    if !cx.host.is_dir(std::path::Path::new(&dir)) {
        return Err(crate::ops::launch::no_folder(cx, std::path::Path::new(&dir)));
    }
    let script = script(cx, command, note);
    if let Some(there) = session_ref(cx, session)? {
        let path = cx.mux.environment(&[(there.clone(), "PATH".to_owned())])?.into_iter().next().flatten();
        let window = NewWindow {
            session: there,
            name: window_name(worker),
            worker: worker.id.clone(),
            dir,
            script,
            path,
        };
        cx.mux.create_window(&window)?;
        return Ok(());
    }
    let entry = cx.tools.tool(&session.tool);
    let new = NewSession {
        name: session.tmux.name.clone(),
        dir,
        script,
        env: environment(cx, session, entry.as_ref())?,
        size: cx.caller.size,
        tags: tags(cx, session),
    };
    cx.mux.create_with_terminal(&new, &worker.id)?;
    Ok(())
}

/// What tells every deck whose the tmux session is.
fn tags(cx: &Cx, session: &Session) -> Vec<Tag> {
    vec![
        Tag::new(TagName::Id, session.id.as_str()),
        Tag::new(TagName::Home, &cx.installation.home_key),
        Tag::new(TagName::Profile, &cx.profile.name),
        Tag::new(TagName::Title, &session.title),
        Tag::new(TagName::Tool, &session.tool),
        Tag::new(TagName::Command, &session.command),
        Tag::new(TagName::Path, &session.project_path),
        Tag::new(TagName::Group, session.group_path.as_str()),
    ]
}

/// Its tmux session, if that is there: its agent's, or that of its terminals alone.
fn session_ref(cx: &Cx, session: &Session) -> OpResult<Option<SessionRef>> {
    let list = panes(cx, [session])?;
    list.reached(cx.server_of(session))?;
    let of_agent = list
        .rows
        .iter()
        .find(|row| crate::ops::panes::is_of(cx, row, session))
        .map(|row| row.session.clone());
    let of_terminal =
        || list.terminals.iter().find(|row| row.of == session.id).map(|row| row.session.clone());
    Ok(of_agent.or_else(of_terminal))
}

/// Names of windows are tmux's own: what may be in them is what may be in a session's.
fn window_name(worker: &Worker) -> String {
    let name: String = worker
        .name
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
        .take(20)
        .collect();
    if name.is_empty() { "terminal".to_owned() } else { name }
}

/// Runs a terminal's command, or a shell, in its pane again, or in a new one.
pub(super) fn run_again(cx: &Cx, session: &Session, worker: &Worker) -> OpResult<()> {
    let row = panes_of(cx, session)?.into_iter().find(|row| row.worker == worker.id);
    let Some(row) = row else { return make(cx, session, worker, worker.command.as_deref(), None) };
    if row.facts.dead.is_none() {
        end(cx, session, &row)?;
    }
    let script = script(cx, worker.command.as_deref(), None);
    cx.mux.respawn_window(&RespawnWindow { pane: row.pane, dir: folder(session, worker), script })?;
    Ok(())
}

/// Ends what runs in a terminal's pane.
pub(super) fn end(cx: &Cx, session: &Session, row: &TerminalRow) -> OpResult<()> {
    let Some(pid) = row.facts.pid.filter(|_| row.facts.dead.is_none()) else { return Ok(()) };
    let failed = |source| crate::ops::OpError::End { session: session.name(), source };
    cx.host.end_group(pid).map_err(failed)
}

/// Ends all terminals of a session, and closes their panes.
pub(in crate::ops) fn end_all(cx: &Cx, session: &Session) -> OpResult<()> {
    cx.change_session(&session.id, |s| {
        s.workers.iter_mut().for_each(|w| w.wanted = DesiredState::Stopped);
    })?;
    for row in panes_of(cx, session)? {
        end(cx, session, &row)?;
        cx.mux.close(&row.pane)?;
    }
    Ok(())
}

/// The sessions with terminals that should be there and have no pane: lost with their server, also of sessions that don't run.
///
/// # Errors
/// [`crate::ops::OpError`] when the profile can't be read or the server not be asked.
pub fn with_lost_terminals(cx: &Cx) -> OpResult<Vec<SessionId>> {
    let profile = cx.profile.store.load()?.profile;
    let wanted =
        |s: &&Session| s.workers.iter().any(|w| w.is_terminal() && w.wanted == DesiredState::Running);
    let mut lost = Vec::new();
    for session in profile.live_sessions().filter(wanted).filter(|s| s.tmux.adopted.is_none()) {
        let there = panes_of(cx, session)?;
        let is_lost = |w: &&Worker| {
            w.is_terminal() && w.wanted == DesiredState::Running && there.iter().all(|row| row.worker != w.id)
        };
        if session.workers.iter().any(|w| is_lost(&w)) {
            lost.push(session.id.clone());
        }
    }
    Ok(lost)
}

/// Makes the terminals of a session again that should be there and have no pane. What their commands did is not done again:
/// each gets a shell, unless `rerun`.
pub fn bring_back(cx: &Cx, id: &SessionId, rerun: bool) -> OpResult<Vec<Returned>> {
    let session = cx.session(id)?;
    let wanted = |w: &&Worker| w.is_terminal() && w.wanted == DesiredState::Running;
    if session.tmux.adopted.is_some() || !session.workers.iter().any(|w| wanted(&w)) {
        return Ok(Vec::new());
    }
    let there: BTreeMap<_, _> =
        panes_of(cx, &session)?.into_iter().map(|row| (row.worker.clone(), row)).collect();
    let lost = session.workers.iter().filter(wanted).filter(|w| !there.contains_key(&w.id));
    let one = |worker: &Worker| {
        let command = worker.command.as_deref().filter(|_| rerun);
        let made = make(cx, &session, worker, command, Some(LOST));
        Returned { name: worker.name.clone(), error: made.err().map(|error| error.to_string()) }
    };
    Ok(lost.map(one).collect())
}
