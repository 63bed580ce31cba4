//! A dialog with one text field.

use super::{Dialog, Line, Step, keys};
use crate::app::effect::Effect;
use crate::app::key::{Key, KeyCode};
use crate::app::panel::{Block, Panel, Role, span};
use crate::app::state::Model;
use crate::domain::text;

type Check = Box<dyn Fn(&str) -> Result<Vec<Effect>, String> + Send>;

/// Asks for a text.
pub struct Ask {
    title: String,
    label: String,
    line: Line,
    check: Check,
    error: Option<String>,
    /// What can be given, below the field: a thing and what it means.
    help: &'static [(&'static str, &'static str)],
}

impl std::fmt::Debug for Ask {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ask").field("title", &self.title).field("line", &self.line).finish_non_exhaustive()
    }
}

impl Ask {
    /// Asks for a text; `check` turns it into effects, or returns what is wrong with it.
    pub fn new(
        title: &str,
        label: &str,
        start: &str,
        check: impl Fn(&str) -> Result<Vec<Effect>, String> + Send + 'static,
    ) -> Self {
        let (title, label) = (title.to_owned(), label.to_owned());
        // A group that is begun is written further.
        let line = if start.ends_with('/') { Line::new(start) } else { Line::proposal(start) };
        Self { title, label, line, check: Box::new(check), error: None, help: &[] }
    }

    /// The same, with what can be given below the field.
    pub fn with_help(self, help: &'static [(&'static str, &'static str)]) -> Self {
        Self { help, ..self }
    }
}

impl Dialog for Ask {
    fn key(&mut self, key: Key, _: &Model) -> Step {
        match key.code {
            KeyCode::Esc => return Step::Close,
            KeyCode::Enter => match (self.check)(self.line.text()) {
                Ok(effects) => return Step::Answer(effects),
                Err(error) => self.error = Some(error),
            },
            _ => {
                if self.line.key(key) {
                    self.error = None;
                }
            }
        }
        Step::Stay(Vec::new())
    }

    fn paste(&mut self, text: &str, _: &Model) -> Step {
        self.line.insert(&text::clean(text));
        Step::Stay(Vec::new())
    }

    fn panel(&self, _: &Model) -> Panel {
        let mut blocks = vec![Block::Field {
            label: self.label.clone(),
            text: self.line.text().to_owned(),
            caret: Some(self.line.caret()),
            note: self.error.as_ref().map(|e| span(Role::Error, e.clone())).or_else(|| self.line.note()),
        }];
        if !self.help.is_empty() {
            blocks.push(Block::Gap);
            let wide = self.help.iter().map(|(thing, _)| thing.len()).max().unwrap_or_default();
            blocks.extend(self.help.iter().map(|(thing, means)| {
                Block::Line(vec![span(Role::Key, format!("{thing:wide$}  ")), span(Role::Dim, *means)])
            }));
        }
        Panel {
            title: self.title.clone(),
            keys: keys(&[("enter", "ok"), ("esc", "close")]),
            blocks,
            width: 64,
            ..Panel::default()
        }
    }
}
