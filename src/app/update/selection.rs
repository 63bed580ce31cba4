//! What follows from what is selected.

use super::super::effect::Effect;
use super::super::geometry;
use super::super::state::{Filter, Model};
use crate::domain::group::GroupPath;
use crate::domain::id::SessionId;
use crate::domain::status::StatusFilter;
use crate::domain::tree::RowKey;

/// Asks for the capture of the selected session.
pub(super) fn follow(model: &mut Model) -> Option<Effect> {
    let selected = model.selected().cloned();
    if model.view.watched == selected {
        return None;
    }
    model.view.watched.clone_from(&selected);
    model.view.scrolled = 0;
    Some(Effect::Watch(selected))
}

/// Scrolls so that the selected row is shown.
pub(super) fn keep_in_sight(model: &mut Model) {
    let height = usize::from(geometry::list_height(model)).max(1);
    let at = model.index().unwrap_or(0);
    model.view.offset = model.view.offset.clamp((at + 1).saturating_sub(height), at);
    model.view.offset = model.view.offset.min(model.view.rows.len().saturating_sub(height));
}

impl Model {
    /// Shows only these sessions, or all again if only these are shown.
    pub(in crate::app) fn show_only(&mut self, filter: Option<StatusFilter>) {
        self.view.filter.only = if self.view.filter.only == filter { None } else { filter };
        self.relayout();
    }

    fn folded(&self, groups: Vec<GroupPath>) -> Vec<GroupPath> {
        groups.into_iter().filter(|p| self.record().group(p).is_some_and(|g| !g.expanded)).collect()
    }

    /// Selects a group, unfolding what hides it.
    pub(crate) fn go_to_group(&mut self, path: &GroupPath) -> Vec<Effect> {
        let above = path.lineage().into_iter().filter(|p| p != path).collect();
        let folded = self.folded(above);
        self.view.filter = Filter::default();
        self.view.cursor = Some(RowKey::Group(path.clone()));
        if folded.is_empty() {
            self.relayout();
            return Vec::new();
        }
        self.view.wanted = self.view.cursor.clone();
        vec![Effect::Fold(folded, true)]
    }

    /// Selects a shell, or their heading. What hides it is unfolded, and a filter that does is cleared.
    pub(crate) fn go_to_shell(&mut self, key: RowKey) {
        if !self.view.rows.iter().any(|r| r.key() == key) {
            self.view.filter = Filter::default();
            self.view.shells_folded = false;
        }
        self.view.wanted = Some(key);
        self.relayout();
    }

    /// Selects a session. What hides it is unfolded, and a filter that does is cleared.
    pub(crate) fn go_to(&mut self, id: &SessionId) -> Vec<Effect> {
        let key = RowKey::Session(id.clone());
        if self.view.rows.iter().any(|r| r.key() == key) {
            self.mode.end_find();
            self.view.cursor = Some(key);
            return Vec::new();
        }
        let Some(session) = self.record().session(id) else { return Vec::new() };
        let folded = self.folded(session.group_path.lineage());
        self.view.filter = Filter::default();
        self.mode.end_find();
        self.view.cursor = Some(RowKey::Session(id.clone()));
        if folded.is_empty() {
            self.relayout();
            return Vec::new();
        }
        self.view.wanted = self.view.cursor.clone();
        vec![Effect::Fold(folded, true)]
    }
}
