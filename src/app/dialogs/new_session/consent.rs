//! The branch of the form, and the consent to what its repository brings, which is asked in place of the form.

use super::super::{Dialog, Pager, Step, keys};
use super::NewSession;
use crate::app::done::{Asked, Prepared};
use crate::app::effect::Effect;
use crate::app::key::{Key, KeyCode};
use crate::app::panel::{Panel, Role, span};
use crate::app::state::Model;
use crate::domain::text;
use crate::ops::worktree::{Consented, WorktreeWish};

impl Prepared {
    /// What its user has yet to allow.
    pub(super) fn asks(&self) -> Option<&Asked> {
        self.worktree.as_ref().and_then(|worktree| worktree.asks.as_ref())
    }
}

impl NewSession {
    /// The worktree that is wished for; none to work in the folder as it is.
    pub(super) fn wish(&self) -> Option<WorktreeWish> {
        let branch = self.branch.text().trim();
        (!branch.is_empty()).then(|| WorktreeWish::of(branch))
    }

    fn asked(&self) -> Option<&Asked> {
        self.plan.as_ref().and_then(|plan| plan.as_ref().ok()).and_then(Prepared::asks)
    }

    /// Shows what is to be allowed.
    pub(super) fn ask_for_consent(&mut self, model: &Model) {
        let Some(asked) = self.asked() else { return };
        let intro = "These commands of the repository run in the new worktree, with your rights, before the agent is started.";
        let mut lines = vec![vec![span(Role::Text, intro)], Vec::new()];
        lines.extend(
            asked.text.lines().map(|line| vec![span(Role::Text, text::clean(&line.replace('\t', "    ")))]),
        );
        let title = format!("Allow what {} brings?", asked.repository);
        self.consent = Some(Pager::new(&title, lines, 2, false, model));
    }

    /// Takes a key while that is shown.
    pub(super) fn consent_key(&mut self, key: Key, model: &Model) -> Option<Step> {
        let pager = self.consent.as_mut()?;
        let always = match key.code {
            KeyCode::Char('o') if !key.ctrl => false,
            KeyCode::Char('a') if !key.ctrl => true,
            KeyCode::Enter => return Some(Step::Stay(Vec::new())),
            _ => {
                if matches!(pager.key(key, model), Step::Close) {
                    self.consent = None;
                }
                return Some(Step::Stay(Vec::new()));
            }
        };
        self.consent = None;
        let given = self.asked().map(|asked| Consented { sha256: asked.sha256.clone(), always })?;
        let new = self.new_session(model).ok()?;
        Some(Step::Answer(vec![Effect::Create(Box::new(new.allowing(given)))]))
    }
}

/// The text to be read, with the keys that answer.
pub(super) fn panel(pager: &Pager, model: &Model) -> Panel {
    let panel = pager.panel(model);
    Panel { keys: keys(&[("o", "allow once"), ("a", "allow always"), ("esc", "back")]), ..panel }
}
