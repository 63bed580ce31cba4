//! A dialog that names a thing and its consequences before it is done.

use super::{Dialog, Step, keys};
use crate::app::effect::Effect;
use crate::app::key::{Key, KeyCode};
use crate::app::panel::{Block, Panel, Role, span};
use crate::app::state::Model;

/// Asks whether something shall be done.
#[derive(Debug)]
pub struct Confirm {
    title: String,
    lines: Vec<String>,
    verb: String,
    effects: Vec<Effect>,
}

impl Confirm {
    /// Asks `title`, states the consequences, and does `effects` on `verb`.
    pub fn new(title: &str, lines: Vec<String>, verb: &str, effects: Vec<Effect>) -> Self {
        Self { title: title.to_owned(), lines, verb: verb.to_owned(), effects }
    }
}

impl Dialog for Confirm {
    fn key(&mut self, key: Key, _: &Model) -> Step {
        match key {
            Key { code: KeyCode::Enter | KeyCode::Char('y' | 'Y'), ctrl: false, .. } => {
                Step::Answer(std::mem::take(&mut self.effects))
            }
            Key { code: KeyCode::Esc | KeyCode::Char('n' | 'N' | 'q'), .. } => Step::Close,
            _ => Step::Stay(Vec::new()),
        }
    }

    fn panel(&self, _: &Model) -> Panel {
        Panel {
            title: self.title.clone(),
            keys: keys(&[("enter", &self.verb), ("esc", "cancel")]),
            blocks: self.lines.iter().map(|l| Block::Line(vec![span(Role::Text, l.clone())])).collect(),
            width: 60,
            ..Panel::default()
        }
    }
}
