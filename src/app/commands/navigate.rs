//! Moving through the list, folding, and jumping to the next session that needs the user.

use super::{A_ROW, Command, always, on_row};
use crate::app::effect::Effect;
use crate::app::geometry::list_height;
use crate::app::state::Model;
use crate::domain::group::GroupPath;
use crate::domain::tree::RowKey;

/// The command that opens what is selected.
pub(super) const OPEN: &str = "open";
/// The command that goes to who needs the user.
pub(in crate::app) const NEXT: &str = "next";

pub(super) const COMMANDS: &[Command] = &[
    Command {
        id: OPEN,
        title: "attach",
        doc: "Attach to the session (ctrl-q detaches). On a group: fold or unfold it.",
        keys: &["enter"],
        footer: Some(0),
        applies: on_row,
        needs: A_ROW,
        run: open,
    },
    Command {
        id: NEXT,
        title: "next",
        doc: "Go to the session that needs you most; again: to the next one.",
        keys: &["space"],
        footer: Some(1),
        applies: always,
        needs: "",
        run: next,
    },
    Command {
        id: "down",
        title: "down",
        doc: "Go one row down.",
        keys: &["j", "down"],
        footer: None,
        applies: on_row,
        needs: A_ROW,
        run: |m| moved(m, 1),
    },
    Command {
        id: "up",
        title: "up",
        doc: "Go one row up.",
        keys: &["k", "up"],
        footer: None,
        applies: on_row,
        needs: A_ROW,
        run: |m| moved(m, -1),
    },
    Command {
        id: "first",
        title: "first",
        doc: "Go to the first row.",
        keys: &["g g", "home"],
        footer: None,
        applies: on_row,
        needs: A_ROW,
        run: |m| moved(m, i64::MIN / 2),
    },
    Command {
        id: "last",
        title: "last",
        doc: "Go to the last row.",
        keys: &["G", "end"],
        footer: None,
        applies: on_row,
        needs: A_ROW,
        run: |m| moved(m, i64::MAX / 2),
    },
    Command {
        id: "half-down",
        title: "half a page down",
        doc: "Go half a page down.",
        keys: &["ctrl-d"],
        footer: None,
        applies: on_row,
        needs: A_ROW,
        run: |m| half(m, 1),
    },
    Command {
        id: "half-up",
        title: "half a page up",
        doc: "Go half a page up.",
        keys: &["ctrl-u"],
        footer: None,
        applies: on_row,
        needs: A_ROW,
        run: |m| half(m, -1),
    },
    Command {
        id: "fold",
        title: "fold",
        doc: "Fold the group, or go to the row's group.",
        keys: &["h", "left"],
        footer: None,
        applies: on_row,
        needs: A_ROW,
        run: fold,
    },
    Command {
        id: "unfold",
        title: "unfold",
        doc: "Unfold the group.",
        keys: &["l", "right"],
        footer: None,
        applies: on_row,
        needs: A_ROW,
        run: unfold,
    },
    Command {
        id: "fold-toggle",
        title: "fold or unfold",
        doc: "Fold or unfold the row's group.",
        keys: &["z"],
        footer: None,
        applies: on_row,
        needs: A_ROW,
        run: toggle,
    },
    Command {
        id: "fold-all",
        title: "fold all",
        doc: "Fold all groups, or unfold them if all are folded.",
        keys: &["Z"],
        footer: None,
        applies: on_row,
        needs: A_ROW,
        run: toggle_all,
    },
];

/// Moves the selection by `by` rows, as far as it goes.
pub(in crate::app) fn step(model: &mut Model, by: i64) {
    let last = i64::try_from(model.view.rows.len()).unwrap_or(i64::MAX) - 1;
    let at = model.index().and_then(|i| i64::try_from(i).ok()).unwrap_or(0);
    let to = usize::try_from(at.saturating_add(by).clamp(0, last.max(0))).unwrap_or(0);
    if let Some(row) = model.view.rows.get(to) {
        model.view.cursor = Some(row.key());
    }
}

fn moved(model: &mut Model, by: i64) -> Vec<Effect> {
    step(model, by);
    Vec::new()
}

fn half(model: &mut Model, way: i64) -> Vec<Effect> {
    let half = i64::from(list_height(model) / 2).max(1);
    moved(model, way * half)
}

/// Attaches to the selected session, or folds the selected group.
pub(in crate::app) fn open(model: &mut Model) -> Vec<Effect> {
    if let Some(path) = model.group().cloned() {
        return set_fold(model, vec![path]);
    }
    if model.view.cursor == Some(RowKey::Shells) {
        return fold_shells(model, !model.view.shells_folded);
    }
    if model.shell().is_some() {
        return super::shells::open(model);
    }
    let Some(session) = model.session() else { return Vec::new() };
    let id = session.id.clone();
    if model.app.working.contains_key(&id) {
        return Vec::new();
    }
    if let Some(worker) = model.terminal().filter(|t| t.pane.is_some()).and_then(|t| t.record.as_ref()) {
        return vec![Effect::AttachTerminal(id, worker.id.clone())];
    }
    let there = model.state(&id).is_some_and(|l| l.row.is_some());
    if there {
        return vec![Effect::Attach(id)];
    }
    // A session without a pane has nothing to attach to: starting it is what is meant.
    if model.profile.looked { vec![Effect::Start(id)] } else { Vec::new() }
}

/// Goes to who needs the user most; to the next of them if that is where the last press led.
fn next(model: &mut Model) -> Vec<Effect> {
    let round = model.view.round.take();
    let needy: Vec<_> = model.attention().iter().map(|(s, _)| s.id.clone()).collect();
    let here = model.selected().filter(|id| round.as_ref() == Some(*id));
    let target = match here.and_then(|id| needy.iter().position(|n| n == id)) {
        Some(at) => needy.get((at + 1) % needy.len()),
        None => needy.first(),
    };
    match target.cloned() {
        Some(id) => {
            model.view.round = Some(id.clone());
            model.go_to(&id)
        }
        None => {
            model.notify("nothing needs your attention");
            Vec::new()
        }
    }
}

fn is_expanded(model: &Model, path: &GroupPath) -> bool {
    model.record().group(path).is_some_and(|g| g.expanded)
}

/// Folds or unfolds groups; all the same way as the first.
fn set_fold(model: &Model, paths: Vec<GroupPath>) -> Vec<Effect> {
    let open = paths.first().is_some_and(|p| !is_expanded(model, p));
    vec![Effect::Fold(paths, open)]
}

/// Folds or unfolds the shells that no session owns.
fn fold_shells(model: &mut Model, fold: bool) -> Vec<Effect> {
    model.view.shells_folded = fold;
    model.view.cursor = Some(RowKey::Shells);
    model.relayout();
    Vec::new()
}

/// Whether the selection is on the heading of the shells, or on one below it.
fn is_among_shells(model: &Model) -> bool {
    let is_below = || model.shell().is_some() && model.shell_owner().is_none();
    model.view.cursor == Some(RowKey::Shells) || is_below()
}

fn fold(model: &mut Model) -> Vec<Effect> {
    if is_among_shells(model) {
        let fold = model.view.cursor == Some(RowKey::Shells);
        return fold_shells(model, fold || model.view.shells_folded);
    }
    if let Some(owner) = model.shell_owner().map(|s| s.id.clone()) {
        return model.go_to(&owner);
    }
    match model.group().cloned() {
        Some(path) if is_expanded(model, &path) => vec![Effect::Fold(vec![path], false)],
        _ => {
            let up = match model.group() {
                Some(path) => path.parent(),
                None => model.here(),
            };
            if !up.is_root() {
                model.view.cursor = Some(RowKey::Group(up));
            }
            Vec::new()
        }
    }
}

fn unfold(model: &mut Model) -> Vec<Effect> {
    if model.view.cursor == Some(RowKey::Shells) {
        return fold_shells(model, false);
    }
    match model.group().cloned() {
        Some(path) if !is_expanded(model, &path) => vec![Effect::Fold(vec![path], true)],
        _ => Vec::new(),
    }
}

fn toggle(model: &mut Model) -> Vec<Effect> {
    if is_among_shells(model) {
        return fold_shells(model, !model.view.shells_folded);
    }
    let here = model.here();
    if here.is_root() {
        return Vec::new();
    }
    let effects = set_fold(model, vec![here.clone()]);
    model.view.cursor = Some(RowKey::Group(here));
    effects
}

fn toggle_all(model: &mut Model) -> Vec<Effect> {
    let all: Vec<GroupPath> = model.record().live_groups().map(|g| g.path.clone()).collect();
    let any_open = all.iter().any(|p| is_expanded(model, p));
    if any_open && let Some(top) = model.here().lineage().into_iter().next() {
        model.view.cursor = Some(RowKey::Group(top));
    }
    if all.is_empty() { Vec::new() } else { vec![Effect::Fold(all, !any_open)] }
}
