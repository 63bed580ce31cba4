//! Completing the path and the group.

use super::super::{Step, common_start};
use super::{Field, NewSession, tilde};
use crate::app::effect::Effect;
use crate::app::state::Model;

impl NewSession {
    /// Folders that were used before, latest first.
    fn recent(model: &Model) -> Vec<String> {
        let mut sessions: Vec<_> = model.record().sessions.iter().collect();
        sessions.sort_by_key(|s| std::cmp::Reverse(s.created_at));
        let mut all: Vec<String> = Vec::new();
        for session in sessions {
            let path = tilde(&session.project_path, model);
            if !all.contains(&path) {
                all.push(path);
            }
        }
        all
    }

    /// Completes a group's name that was begun, as far as it is clear; on where there is nothing to complete.
    fn complete_group(&mut self, model: &Model) -> Step {
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

    /// Completes the path or the group as far as it is clear.
    pub(super) fn complete(&mut self, model: &Model) -> Step {
        if self.field() == Field::Group {
            return self.complete_group(model);
        }
        if self.field() == Field::Path && self.path.text().trim().is_empty() {
            self.completions = Self::recent(model);
            if let Some(latest) = self.completions.first().cloned() {
                self.path.set(&latest);
            }
            let recent = std::mem::take(&mut self.completions);
            let effects = self.changed(model);
            self.completions = recent;
            return Step::Stay(effects);
        }
        // A path that ends in a slash is whole: tab then moves on, as it does everywhere else.
        if self.field() == Field::Path && !self.path.text().ends_with('/') {
            self.number += 1;
            return Step::Stay(vec![Effect::CompletePath(self.number, self.path.text().to_owned())]);
        }
        self.go(1);
        Step::Stay(Vec::new())
    }

    /// What the path can be completed to is known.
    pub(super) fn completed(&mut self, found: &[String], model: &Model) -> Step {
        match found {
            // Nothing to complete: on to the next field, as tab does everywhere else.
            [] => self.go(1),
            // It is whole already: on, too.
            [one] if one.trim_end_matches('/') == self.path.text() => self.go(1),
            [one] => self.path.set(one),
            many => {
                self.path.set(&common_start(many));
                self.completions = many.to_vec();
            }
        }
        Step::Stay(self.changed(model))
    }
}
