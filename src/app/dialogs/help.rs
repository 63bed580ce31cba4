//! The help page: every key, made from the commands, searchable.

use super::{Dialog, Line, Step, keys};
use crate::app::commands::Section;
use crate::app::key::{Key, KeyCode};
use crate::app::model::Model;
use crate::app::panel::{Block, Panel, Role, span};

/// Shows every key.
#[derive(Debug)]
pub struct Help {
    sections: &'static [Section],
    line: Line,
    from: usize,
}

impl Help {
    /// All commands by section.
    pub fn new(sections: &'static [Section]) -> Self {
        Self { sections, line: Line::default(), from: 0 }
    }

    fn rows(&self) -> Vec<Block> {
        let wanted = self.line.text().to_lowercase();
        let mut rows = Vec::new();
        for (heading, commands) in self.sections {
            let fits = |text: &str| wanted.split_whitespace().all(|w| text.to_lowercase().contains(w));
            let mut found = commands
                .iter()
                .filter(|c| {
                    !c.keys.is_empty() && fits(&format!("{} {} {}", c.title, c.doc, c.keys.join(" ")))
                })
                .peekable();
            if found.peek().is_some() {
                rows.push(Block::Line(vec![span(Role::Title, *heading)]));
            }
            for c in found {
                let keys = format!("{:<18}", c.keys.join("  "));
                rows.push(Block::Item {
                    spans: vec![span(Role::Key, keys), span(Role::Text, c.doc)],
                    right: Vec::new(),
                    selected: false,
                });
            }
        }
        rows
    }
}

impl Dialog for Help {
    fn key(&mut self, key: Key, _: &Model) -> Step {
        let last = self.rows().len().saturating_sub(1);
        match key.code {
            KeyCode::Esc | KeyCode::Enter => return Step::Close,
            KeyCode::Char('?') if self.line.text().is_empty() => return Step::Close,
            KeyCode::Down => self.from = (self.from + 1).min(last),
            KeyCode::Up => self.from = self.from.saturating_sub(1),
            KeyCode::PageDown => self.from = (self.from + 10).min(last),
            KeyCode::PageUp => self.from = self.from.saturating_sub(10),
            _ => {
                if self.line.key(key) {
                    self.from = 0;
                }
            }
        }
        Step::Stay(Vec::new())
    }

    fn panel(&self, model: &Model) -> Panel {
        let mut rows = self.rows();
        if rows.is_empty() {
            rows.push(Block::Line(vec![span(Role::Dim, "no key and no command fits")]));
        }
        // The heading, the field, a rule and the borders take six rows.
        let room = usize::from(model.size.1.saturating_sub(8)).max(3);
        let from = self.from.min(rows.len().saturating_sub(room));
        let below = rows.len().saturating_sub(from + room);
        let mut blocks = vec![
            Block::Field {
                label: String::new(),
                text: self.line.text().to_owned(),
                caret: Some(self.line.caret()),
                note: self.line.text().is_empty().then(|| span(Role::Dim, "type to find a key or a command")),
            },
            Block::Rule,
        ];
        blocks.extend(rows.into_iter().skip(from).take(room));
        let more = if below > 0 { format!("{below} more") } else { "scroll".to_owned() };
        Panel {
            title: "Keys".to_owned(),
            keys: keys(&[("up down", &more), ("esc", "close")]),
            blocks,
            width: 88,
        }
    }
}
