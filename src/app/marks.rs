//! Marking sessions, for any command on many.

use super::effect::Effect;
use super::state::Model;
use crate::domain::id::SessionId;
use crate::domain::text;
use crate::domain::tree::{Row, RowKey, in_row_order};

/// Marks the selected session, or takes the mark off, and moves to the next row; on a group, does that to all of its
/// sessions.
pub(super) fn toggle(model: &mut Model) -> Vec<Effect> {
    if model.group().is_some() {
        let ids = of_group(model);
        let are_marked = ids.iter().all(|id| model.profile.marked.contains(id));
        for id in ids {
            if are_marked {
                model.profile.marked.remove(&id);
            } else {
                model.profile.marked.insert(id);
            }
        }
        super::commands::step(model, 1);
        return Vec::new();
    }
    if let Some(id) = model.selected().cloned() {
        if !model.profile.marked.remove(&id) {
            model.profile.marked.insert(id);
        }
        super::commands::step(model, 1);
    }
    Vec::new()
}

/// Marks every session that the list shows: with a filter, those that match.
pub(super) fn mark_all(model: &mut Model) -> Vec<Effect> {
    let shown = shown(model);
    model.profile.marked.extend(shown);
    count(model)
}

/// Marks what is not marked of what the list shows, and takes the other marks off.
pub(super) fn invert(model: &mut Model) -> Vec<Effect> {
    for id in shown(model) {
        if !model.profile.marked.remove(&id) {
            model.profile.marked.insert(id);
        }
    }
    count(model)
}

fn count(model: &mut Model) -> Vec<Effect> {
    let words = format!("{} marked", text::counted(model.profile.marked.len(), "session"));
    model.flash(words);
    Vec::new()
}

/// The sessions that the list shows, those of folded groups too.
fn shown(model: &Model) -> Vec<SessionId> {
    if model.view.filter.is_off() {
        return in_row_order(model.record(), |_| true);
    }
    let of_row = |key: RowKey| match key {
        RowKey::Session(id) => Some(id),
        RowKey::Group(_) | RowKey::Shell(_) | RowKey::Shells => None,
    };
    model.view.rows.iter().map(Row::key).filter_map(of_row).collect()
}

/// The sessions of the selected group and its subgroups.
fn of_group(model: &Model) -> Vec<SessionId> {
    let Some(path) = model.group() else { return Vec::new() };
    in_row_order(model.record(), |s| s.group_path.is_within(path))
}

/// Whether a command would work on all sessions of a group.
pub(super) fn is_on_group(model: &Model) -> bool {
    model.profile.marked.is_empty() && model.group().is_some()
}

/// What a command works on: the marked sessions in the order of the list, else the selected one, or all of the
/// selected group.
pub(super) fn targets(model: &Model) -> Vec<SessionId> {
    if is_on_group(model) {
        return of_group(model);
    }
    if model.profile.marked.is_empty() {
        return model.selected().cloned().into_iter().collect();
    }
    in_row_order(model.record(), |s| model.profile.marked.contains(&s.id))
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
