//! Typing into a session from here: keys go straight to its agent until ctrl-q.
//!
//! Invariants: what is typed carries the session that it was typed into; nothing is typed into a
//! session that has no living agent.

use super::effect::Effect;
use super::key::{Key, KeyCode};
use super::state::{Layout, Model, Zoom};
use crate::domain::id::SessionId;
use crate::domain::key_name::key_name;
use crate::domain::status::Reason;
use crate::domain::worker::WorkerId;
pub use crate::ops::PaneInput;

const LEAVE: Key = Key::ctrl('q');

/// The mode of typing into a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassThrough {
    pub session: SessionId,
    /// The terminal beside its agent, if it is that which is typed into.
    pub terminal: Option<WorkerId>,
    /// What had all the room before.
    zoom: Zoom,
}

/// Begins to type into the selected session.
pub(super) fn begin(model: &mut Model) -> Vec<Effect> {
    let Some(session) = model.selected().cloned() else { return Vec::new() };
    if let Some(listed) = model.terminal() {
        let terminal = listed.record.as_ref().map(|record| record.id.clone());
        if listed.alive != Some(true) {
            let key = model.app.keymap.key("restart-worker");
            model.notify(format!("nothing runs in it; {key} runs it again"));
            return Vec::new();
        }
        let zoom = model.view.zoom;
        enter(model, PassThrough { session, terminal, zoom });
        return Vec::new();
    }
    if !lives(model, &session) {
        model.notify(format!("not running; press {} to start it", model.app.keymap.key("restart")));
        return Vec::new();
    }
    let zoom = model.view.zoom;
    enter(model, PassThrough { session: session.clone(), terminal: None, zoom });
    vec![Effect::Acknowledge(session)]
}

fn enter(model: &mut Model, to: PassThrough) {
    model.mode.begin_pass_through(to);
    if model.layout() == Layout::Narrow || model.view.zoom == Zoom::List {
        model.view.zoom = Zoom::Preview;
    }
    model.view.scrolled = 0;
}

/// Whether what is typed into still lives.
fn is_alive(model: &Model, to: &PassThrough) -> bool {
    match &to.terminal {
        None => lives(model, &to.session),
        Some(worker) => model.state(&to.session).is_some_and(|state| {
            state.workers.iter().any(|listed| listed.id == worker.as_str() && listed.alive == Some(true))
        }),
    }
}

/// Whether a session has a living agent to type to.
pub(super) fn lives(model: &Model, session: &SessionId) -> bool {
    model.state(session).and_then(|l| l.row.as_ref()).is_some_and(|r| r.facts.dead.is_none())
}

/// Leaves the mode; the user has seen the screen.
pub(super) fn leave(model: &mut Model) -> Vec<Effect> {
    let Some(pass_through) = model.mode.end_pass_through() else { return Vec::new() };
    model.view.zoom = pass_through.zoom;
    // Who looked at a terminal has not seen the agent.
    let is_agent = pass_through.terminal.is_none();
    is_agent.then_some(Effect::Acknowledge(pass_through.session)).into_iter().collect()
}

/// Leaves the mode when its agent is gone, or another session is selected.
pub(super) fn check(model: &mut Model) {
    let Some(pass_through) = model.mode.pass_through() else { return };
    let is_here = model.selected() == Some(&pass_through.session);
    if !is_alive(model, pass_through) || !is_here {
        let what = if pass_through.terminal.is_some() { "the terminal's program" } else { "the agent" };
        model.view.zoom = pass_through.zoom;
        model.mode.end_pass_through();
        if is_here {
            model.notify(format!("{what} exited; you're back in deck"));
        }
    }
}

/// Typing into a session counts as seeing it when a turn ends there.
pub(super) fn seen(model: &Model) -> Vec<Effect> {
    let typing = model.mode.pass_through().filter(|t| t.terminal.is_none());
    let session = typing.map(|t| &t.session).filter(|_| model.app.focused);
    let is_over =
        |id: &&SessionId| model.state(id).is_some_and(|l| l.verdict.reason == Some(Reason::Finished));
    session.filter(is_over).cloned().map(Effect::Acknowledge).into_iter().collect()
}

/// Takes a key.
pub(super) fn key(model: &mut Model, key: Key) -> Vec<Effect> {
    let Some((session, terminal)) =
        model.mode.pass_through().map(|t| (t.session.clone(), t.terminal.clone()))
    else {
        return Vec::new();
    };
    if key == LEAVE {
        return leave(model);
    }
    let typed = match key {
        Key { code: KeyCode::Char(c), ctrl: false, alt: false, .. } => Some(PaneInput::Text(c.to_string())),
        key => key_name(&key.to_string()).map(PaneInput::Key),
    };
    typed.map(|typed| Effect::Type(session, terminal, typed)).into_iter().collect()
}

/// Takes a paste.
pub(super) fn paste(model: &Model, text: &str) -> Vec<Effect> {
    let effect = |t: &PassThrough| {
        Effect::Type(t.session.clone(), t.terminal.clone(), PaneInput::Paste(text.to_owned()))
    };
    model.mode.pass_through().map(effect).into_iter().collect()
}

/// Takes a turn of the wheel.
pub(super) fn wheel(model: &Model, up: bool) -> Vec<Effect> {
    let effect = |t: &PassThrough| Effect::Type(t.session.clone(), t.terminal.clone(), PaneInput::Wheel(up));
    model.mode.pass_through().map(effect).into_iter().collect()
}
