//! Dragging with the mouse: the line between list and capture, and rows of the list.
//!
//! Invariants: nothing moves before the button is released; what is dragged is remembered by what it
//! is, never by its row, since rows come and go meanwhile.

use super::effect::Effect;
use super::geometry;
use super::msg::Mouse;
use super::state::Model;
use crate::domain::group::GroupPath;
use crate::domain::text;
use crate::domain::tree::{Row, RowKey, Slot};

/// What is dragged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Drag {
    /// The line between list and capture.
    Split,
    /// A row that was pressed; where it would go, once the mouse is over another row.
    Row {
        /// What was pressed.
        what: RowKey,
        /// What the mouse is over, and whether that is below in the list.
        over: Option<(RowKey, bool)>,
    },
}

impl Model {
    /// The row under the mouse.
    pub(super) fn row_at(&self, mouse: Mouse) -> Option<&Row> {
        let area = geometry::of(self).list;
        let inside = area.has(mouse.column, mouse.row);
        let at = self.view.offset + usize::from(mouse.row.saturating_sub(area.y));
        self.view.rows.get(at).filter(|_| inside)
    }

    /// What a dragged row would go to, for the list to show it.
    pub fn drop_target(&self) -> Option<&RowKey> {
        match self.mode.drag() {
            Some(Drag::Row { over: Some((key, _)), .. }) => Some(key),
            _ => None,
        }
    }

    /// What letting go now would do, in words.
    pub fn drop_words(&self) -> Option<String> {
        let Some(Drag::Row { what, over: Some((over, below)) }) = self.mode.drag() else { return None };
        let name = |key: &RowKey| match key {
            RowKey::Group(path) => format!("group {path}"),
            RowKey::Shell(_) | RowKey::Shells => String::new(),
            RowKey::Session(id) => {
                self.record().session(id).map(|s| text::clean(&s.title)).unwrap_or_default()
            }
        };
        let relation = match (what, over) {
            (RowKey::Session(_), RowKey::Group(_)) => "into",
            (RowKey::Group(_), RowKey::Session(_)) => "to the group of",
            (RowKey::Group(a), RowKey::Group(b)) if a.parent() != b.parent() => "into",
            _ if *below => "after",
            _ => "before",
        };
        Some(format!("drop: move {} {relation} {} · esc cancels", name(what), name(over)))
    }
}

/// The mouse moves with its button held.
pub(super) fn go(model: &mut Model, mouse: Mouse) {
    let over = model.row_at(mouse).map(Row::key);
    match model.mode.drag() {
        Some(Drag::Split) => {
            let percent = u32::from(mouse.column) * 100 / u32::from(model.app.size.0).max(1);
            model.view.split = Some(u16::try_from(percent).unwrap_or(50).clamp(20, 80));
        }
        Some(Drag::Row { what, .. }) => {
            let what = what.clone();
            let place = |key: &RowKey| model.view.rows.iter().position(|r| r.key() == *key);
            // A shell is where its owner is.
            let is_placed = |key: &RowKey| !matches!(key, RowKey::Shell(_) | RowKey::Shells);
            let over = over.filter(|o| *o != what && is_placed(o) && is_placed(&what)).map(|o| {
                let below = place(&o) > place(&what);
                (o, below)
            });
            // What is let go of outside of the list stays where it is.
            model.mode.begin_drag(Drag::Row { what, over });
        }
        None => {}
    }
}

/// The button is let go of. On the row that was pressed that is a click.
pub(super) fn end(model: &mut Model, mouse: Mouse) -> Vec<Effect> {
    let Some(Drag::Row { what, over }) = model.mode.end_drag() else { return Vec::new() };
    let Some((over, below)) = over else {
        let on_it = model.row_at(mouse).is_some_and(|r| r.key() == what);
        let folds = matches!(what, RowKey::Group(_) | RowKey::Shells);
        return if on_it && folds { super::commands::open(model) } else { Vec::new() };
    };
    // What was moved was not clicked: the next press is the first of two.
    model.view.pressed = None;
    match (what, over) {
        (RowKey::Session(id), RowKey::Group(group)) => vec![Effect::Place(id, Slot::Into(group))],
        (RowKey::Session(id), RowKey::Session(other)) => {
            let slot = if below { Slot::Behind(other) } else { Slot::Before(other) };
            vec![Effect::Place(id, slot)]
        }
        (RowKey::Group(path), RowKey::Group(other)) if path.parent() == other.parent() => {
            vec![Effect::ReorderGroup(path.clone(), steps(model, &path, &other))]
        }
        (RowKey::Group(path), RowKey::Group(other)) => move_group(path, other),
        (RowKey::Group(path), RowKey::Session(id)) => {
            let to = model.record().session(&id).map(|s| s.group_path.clone());
            to.map_or_else(Vec::new, |to| move_group(path, to))
        }
        (RowKey::Shell(_) | RowKey::Shells, _) | (_, RowKey::Shell(_) | RowKey::Shells) => Vec::new(),
    }
}

fn move_group(path: GroupPath, to: GroupPath) -> Vec<Effect> {
    // Its own sessions are no other place.
    if path.parent() == to || to.is_within(&path) {
        return Vec::new();
    }
    vec![Effect::MoveGroup(path, to)]
}

/// How many places a group moves to its sibling's place.
fn steps(model: &Model, path: &GroupPath, other: &GroupPath) -> i64 {
    let parent = path.parent();
    let siblings = model.view.rows.iter().filter_map(|r| match r {
        Row::Group(g) if g.path.parent() == parent => Some(&g.path),
        _ => None,
    });
    let place = |wanted: &GroupPath| siblings.clone().position(|p| p == wanted).unwrap_or(0);
    let number = |n: usize| i64::try_from(n).unwrap_or(0);
    number(place(other)) - number(place(path))
}
