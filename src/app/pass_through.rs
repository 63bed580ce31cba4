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
pub use crate::ops::PaneInput;

const LEAVE: Key = Key::ctrl('q');

/// The mode of typing into a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassThrough {
    pub session: SessionId,
    /// What had all the room before.
    zoom: Zoom,
}

/// Begins to type into the selected session.
pub(super) fn begin(model: &mut Model) -> Vec<Effect> {
    let Some(session) = model.selected().cloned() else { return Vec::new() };
    if !lives(model, &session) {
        model.notify(format!("not running; press {} to start it", model.app.keymap.key("restart")));
        return Vec::new();
    }
    let to = PassThrough { session: session.clone(), zoom: model.view.zoom };
    model.mode.begin_pass_through(to);
    if model.layout() == Layout::Narrow || model.view.zoom == Zoom::List {
        model.view.zoom = Zoom::Preview;
    }
    model.view.scrolled = 0;
    vec![Effect::Acknowledge(session)]
}

/// Whether a session has a living agent to type to.
pub(super) fn lives(model: &Model, session: &SessionId) -> bool {
    model.state(session).and_then(|l| l.row.as_ref()).is_some_and(|r| r.facts.dead.is_none())
}

/// Leaves the mode; the user has seen the screen.
pub(super) fn leave(model: &mut Model) -> Vec<Effect> {
    let Some(pass_through) = model.mode.end_pass_through() else { return Vec::new() };
    model.view.zoom = pass_through.zoom;
    vec![Effect::Acknowledge(pass_through.session)]
}

/// Leaves the mode when its agent is gone, or another session is selected.
pub(super) fn check(model: &mut Model) {
    let Some(pass_through) = model.mode.pass_through() else { return };
    let (session, is_here) = (pass_through.session.clone(), model.selected() == Some(&pass_through.session));
    if !lives(model, &session) || !is_here {
        model.view.zoom = pass_through.zoom;
        model.mode.end_pass_through();
        if is_here {
            model.notify("the agent exited; you're back in deck");
        }
    }
}

/// Typing into a session counts as seeing it when a turn ends there.
pub(super) fn seen(model: &Model) -> Vec<Effect> {
    let session = model.mode.pass_through().map(|t| &t.session).filter(|_| model.app.focused);
    let is_over =
        |id: &&SessionId| model.state(id).is_some_and(|l| l.verdict.reason == Some(Reason::Finished));
    session.filter(is_over).cloned().map(Effect::Acknowledge).into_iter().collect()
}

/// Takes a key.
pub(super) fn key(model: &mut Model, key: Key) -> Vec<Effect> {
    let Some(session) = model.mode.pass_through().map(|t| t.session.clone()) else { return Vec::new() };
    if key == LEAVE {
        return leave(model);
    }
    let typed = match key {
        Key { code: KeyCode::Char(c), ctrl: false, alt: false, .. } => Some(PaneInput::Text(c.to_string())),
        key => key_name(&key.to_string()).map(PaneInput::Key),
    };
    typed.map(|typed| Effect::Type(session, typed)).into_iter().collect()
}

/// Takes a paste.
pub(super) fn paste(model: &Model, text: &str) -> Vec<Effect> {
    let effect = |t: &PassThrough| Effect::Type(t.session.clone(), PaneInput::Paste(text.to_owned()));
    model.mode.pass_through().map(effect).into_iter().collect()
}

/// Takes a turn of the wheel.
pub(super) fn wheel(model: &Model, up: bool) -> Vec<Effect> {
    let effect = |t: &PassThrough| Effect::Type(t.session.clone(), PaneInput::Wheel(up));
    model.mode.pass_through().map(effect).into_iter().collect()
}
