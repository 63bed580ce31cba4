//! Completing the group.

use super::super::{Step, common_start};
use super::NewSession;
use crate::app::state::Model;

impl NewSession {
    /// Completes a group's name that was begun, as far as it is clear; on where there is nothing to complete.
    pub(super) fn complete_group(&mut self, model: &Model) -> Step {
        let typed = self.group.text().to_owned();
        let mut fit: Vec<String> = model.record().live_groups().map(|g| g.path.to_string()).collect();
        let is_whole = typed.is_empty() || fit.contains(&typed);
        fit.retain(|p| p.starts_with(&typed));
        fit.sort();
        if is_whole || fit.is_empty() {
            self.go(1);
            return Step::Stay(Vec::new());
        }
        self.group.set(&common_start(&fit));
        let effects = self.changed(model);
        self.completions = if fit.len() > 1 { fit } else { Vec::new() };
        Step::Stay(effects)
    }

    /// The next of the groups that there are, behind the last one none.
    pub(super) fn next_group(&mut self, model: &Model) {
        let mut all: Vec<String> = model.record().live_groups().map(|g| g.path.to_string()).collect();
        all.push(String::new());
        all.sort();
        let at = all.iter().position(|g| g == self.group.text()).map_or(0, |at| at + 1);
        if let Some(next) = all.get(at % all.len()) {
            self.group.set(next);
        }
        all.retain(|g| !g.is_empty());
        self.completions = all;
    }
}
