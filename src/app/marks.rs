//! Marking sessions, for any command on many.

use super::effect::Effect;
use super::state::Model;
use crate::domain::id::SessionId;
use crate::domain::text;

/// Marks the selected session, or takes the mark off, and moves to the next row.
pub(super) fn toggle(model: &mut Model) -> Vec<Effect> {
    if let Some(id) = model.selected().cloned() {
        if !model.profile.marked.remove(&id) {
            model.profile.marked.insert(id);
        }
        super::commands::step(model, 1);
    }
    Vec::new()
}

/// What a command works on: the marked sessions in the order of the list, else the selected one.
pub(super) fn targets(model: &Model) -> Vec<SessionId> {
    if model.profile.marked.is_empty() {
        return model.selected().cloned().into_iter().collect();
    }
    model
        .record()
        .live_sessions()
        .filter(|s| model.profile.marked.contains(&s.id))
        .map(|s| s.id.clone())
        .collect()
}

/// Marks of sessions that are gone are gone.
pub(super) fn prune(model: &mut Model) {
    if model.profile.marked.is_empty() {
        return;
    }
    let profile = model.record().clone();
    let sessions = profile.by_id();
    model.profile.marked.retain(|id| sessions.get(id).is_some_and(|s| s.is_live()));
}

/// `api`, or `3 sessions`.
pub(super) fn words(model: &Model, ids: &[SessionId]) -> String {
    match ids {
        [one] => model.record().session(one).map(|s| text::clean(&s.title)).unwrap_or_default(),
        many => format!("{} sessions", many.len()),
    }
}
