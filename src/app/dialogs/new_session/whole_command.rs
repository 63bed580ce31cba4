//! The command of the form as a whole, in place of the form.

use super::super::{Dialog, Pager, Step};
use super::NewSession;
use super::path::{expand, tilde};
use crate::app::key::{Key, KeyCode};
use crate::app::panel::{Role, Span, span};
use crate::app::state::Model;
use crate::domain::text;

impl NewSession {
    /// Shows it, if it is known what would run, or why nothing can.
    pub(super) fn show_whole(&mut self, model: &Model) {
        self.whole = self.plan.is_some().then(|| Pager::new("Command", self.lines(model), 2, false, model));
    }

    /// Takes a key while it is shown.
    pub(super) fn whole_key(&mut self, key: Key, model: &Model) -> Option<Step> {
        let pager = self.whole.as_mut()?;
        let leaves = key.code == KeyCode::Char('o') && key.ctrl;
        let step = if leaves { Step::Close } else { pager.key(key, model) };
        if matches!(step, Step::Close) {
            self.whole = None;
            return Some(Step::Stay(Vec::new()));
        }
        Some(step)
    }

    fn lines(&self, model: &Model) -> Vec<Vec<Span>> {
        let plan = match &self.plan {
            Some(Ok(plan)) => plan,
            Some(Err(refused)) => return vec![vec![span(Role::Error, refused.why.clone())]],
            None => return Vec::new(),
        };
        let path = expand(self.path.text(), model).to_string_lossy().into_owned();
        let part = |name: &str, words: &str| {
            let words = words.lines().map(|line| vec![span(Role::Text, format!("  {}", text::clean(line)))]);
            std::iter::once(vec![span(Role::Dim, name.to_owned())]).chain(words).collect::<Vec<_>>()
        };
        let mut parts = match &plan.worktree {
            Some(worktree) => {
                let words =
                    [&[tilde(&worktree.path, model), worktree.what.clone()], &worktree.details[..]].concat();
                vec![part("In the worktree", &words.join("\n"))]
            }
            None => vec![part("In the folder", &tilde(&path, model))],
        };
        parts.extend(plan.before.as_ref().map(|run| part("First, to get an id for the conversation", run)));
        parts.push(part("Command", &plan.full));
        parts.extend(plan.sends.as_ref().map(|prompt| part("Sent when the agent is ready", prompt)));
        parts.join(&Vec::new())
    }
}
