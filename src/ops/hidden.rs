//! A program of deck's own in the background: it runs in a session on deck's tmux server that is in no profile, so no list
//! shows it.

use super::{Cx, OpResult};
use crate::domain::id::SessionId;
use crate::ports::MuxError;
use crate::ports::mux::{NewSession, PaneRow};

/// The pane of a program in the background, dead or alive, by the name of its session.
///
/// # Errors
/// [`super::OpError`] when the server can't be asked.
pub fn hidden(cx: &Cx, name: &str) -> OpResult<Option<PaneRow>> {
    let list = match cx.mux.panes(std::slice::from_ref(&cx.installation.socket), None) {
        Err(MuxError::NoServer(_)) => return Ok(None),
        other => other?,
    };
    Ok(list.rows.into_iter().find(|row| row.name == name && row.own_id().is_none()))
}

/// Runs a program in the background, with its caller's environment and folder. One that has ended makes room.
///
/// # Errors
/// [`super::OpError`] when it can't be run, also if one with this name runs.
pub fn run_hidden(cx: &Cx, name: &str, script: String) -> OpResult<()> {
    if let Some(row) = hidden(cx, name)?.filter(|row| row.facts.dead.is_some()) {
        cx.mux.kill(&row.session)?;
    }
    let mut env = super::agent_env::callers_own(cx);
    // An agent's user is not asked by what their agent has started.
    env.extend(
        cx.caller.inside.as_ref().map(SessionId::to_string).map(|id| ("DECK_SESSION_ID".to_owned(), id)),
    );
    env.extend(cx.installation.deck_home.clone().map(|home| ("DECK_HOME".to_owned(), home)));
    let (name, dir) = (name.to_owned(), cx.caller.cwd.display().to_string());
    cx.mux.create(&NewSession { name, dir, script, env, size: super::UNSEEN, tags: Vec::new() })?;
    Ok(())
}

/// What a program in the background has printed last, if it has ended: and it makes room. None while it runs, and without one.
///
/// # Errors
/// [`super::OpError`] when the server can't be asked.
pub fn end_of_hidden(cx: &Cx, name: &str) -> OpResult<Option<String>> {
    let Some(row) = hidden(cx, name)?.filter(|row| row.facts.dead.is_some()) else { return Ok(None) };
    let text = cx.mux.screens(std::slice::from_ref(&row.pane))?.into_iter().next().flatten();
    cx.mux.kill(&row.session)?;
    Ok(Some(text.unwrap_or_default()))
}
