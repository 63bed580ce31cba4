//! The help page: a searchable list of every key, made from the commands, with the full description of the
//! selected one.

use super::{Dialog, Line, Step, inner, keys, lines_left, paragraph};
use crate::app::commands::{Command, Section};
use crate::app::key::{Key, KeyCode};
use crate::app::panel::{Block, Panel, Role, role_of, span};
use crate::app::state::Model;
use crate::domain::status::StatusKind;

/// Shows every key.
#[derive(Debug)]
pub struct Help {
    sections: Vec<Section>,
    line: Line,
    at: usize,
}

/// A row: a header, or a command and its keys.
enum Row {
    Header(&'static str),
    Command(&'static Command, Vec<String>),
}

impl Help {
    /// The commands of these sections.
    pub fn new(sections: Vec<Section>) -> Self {
        Self { sections, line: Line::default(), at: 0 }
    }

    fn rows(&self, model: &Model) -> Vec<Row> {
        let wanted = self.line.text().to_lowercase();
        let fits = |text: &str| wanted.split_whitespace().all(|w| text.to_lowercase().contains(w));
        let mut rows = Vec::new();
        for (header, commands) in &self.sections {
            let mut found = commands
                .iter()
                .map(|c| (c, model.app.keymap.keys_of(c)))
                .filter(|(c, keys)| {
                    !keys.is_empty() && fits(&format!("{} {} {}", c.title, c.doc, keys.join(" ")))
                })
                .peekable();
            if found.peek().is_some() {
                rows.push(Row::Header(header));
            }
            rows.extend(found.map(|(c, keys)| Row::Command(c, keys)));
        }
        rows
    }

    /// The chosen row among all, headers passed over.
    fn chosen(&self, rows: &[Row]) -> usize {
        let commands: Vec<usize> =
            rows.iter().enumerate().filter(|(_, r)| matches!(r, Row::Command(..))).map(|(i, _)| i).collect();
        commands.get(self.at.min(commands.len().saturating_sub(1))).copied().unwrap_or(0)
    }
}

impl Dialog for Help {
    fn key(&mut self, key: Key, model: &Model) -> Step {
        let rows = self.rows(model);
        let last = rows.iter().filter(|r| matches!(r, Row::Command(..))).count().saturating_sub(1);
        match key.code {
            KeyCode::Esc => return Step::Close,
            KeyCode::Enter => {
                return match rows.get(self.chosen(&rows)) {
                    Some(Row::Command(command, _)) if (command.applies)(model) => Step::Run(command),
                    _ => Step::Stay(Vec::new()),
                };
            }
            KeyCode::Char('?') if self.line.text().is_empty() => return Step::Close,
            KeyCode::Down => self.at = (self.at + 1).min(last),
            KeyCode::Up => self.at = self.at.min(last).saturating_sub(1),
            KeyCode::PageDown => self.at = (self.at + 10).min(last),
            KeyCode::PageUp => self.at = self.at.min(last).saturating_sub(10),
            _ => {
                if self.line.key(key) {
                    self.at = 0;
                }
            }
        }
        Step::Stay(Vec::new())
    }

    fn panel(&self, model: &Model) -> Panel {
        let rows = self.rows(model);
        let chosen = self.chosen(&rows);
        let legend = (model.app.size.0 >= LEGEND.0 && model.app.size.1 >= LEGEND.1).then(|| legend(model));
        // The header, the field, two rules, two lines of the sentence and the borders.
        let taken = 10 + u16::from(legend.is_some());
        let room = usize::from(model.app.size.1.saturating_sub(taken)).max(2);
        let from = (chosen + 1).saturating_sub(room);
        let below = rows.len().saturating_sub(from + room);
        let mut blocks = vec![Block::Field {
            label: String::new(),
            text: self.line.text().to_owned(),
            caret: Some(self.line.caret()),
            note: self.line.text().is_empty().then(|| span(Role::Dim, "type to find a key or a command")),
        }];
        blocks.extend(legend);
        blocks.push(Block::Rule);
        let mut sentence = "no match".to_owned();
        for (i, row) in rows.iter().enumerate().skip(from).take(room) {
            blocks.push(match row {
                Row::Header(header) => Block::Line(vec![span(Role::Title, *header)]),
                Row::Command(c, keys) => {
                    if i == chosen {
                        let here = (c.applies)(model);
                        sentence = if here {
                            c.doc.to_owned()
                        } else {
                            format!("unavailable: {}", c.needs_here(model))
                        };
                    }
                    Block::Item {
                        spans: vec![
                            span(Role::Key, format!("{:<18}", keys.join("  "))),
                            span(Role::Text, c.doc),
                        ],
                        right: Vec::new(),
                        selected: i == chosen,
                    }
                }
            });
        }
        blocks.push(Block::Rule);
        let sentence = [span(Role::Text, sentence)];
        blocks.extend(paragraph(&sentence, inner(WIDTH, model), lines_left(&blocks, model)));
        let more = if below > 0 { format!("{below} more") } else { "scroll".to_owned() };
        Panel {
            title: "Keys".to_owned(),
            keys: keys(&[("↑↓", &more), ("enter", "run"), ("esc", "close")]),
            blocks,
            width: WIDTH,
            one_line: true,
            ..Panel::default()
        }
    }
}

/// The width it would like, in cells.
const WIDTH: u16 = 88;
/// The cells from which on the signs have two blanks between them.
const ROOMY: usize = 80;
/// The least columns and rows of a TUI with room for what the signs mean.
const LEGEND: (u16, u16) = (80, 20);

/// What the signs in the list mean.
fn legend(model: &Model) -> Block {
    let between = if inner(WIDTH, model) < ROOMY { " " } else { "  " };
    let sign = |kind: StatusKind| {
        let word = if kind == StatusKind::Asks { "asks" } else { kind.word() };
        [span(role_of(kind), model.glyph(kind)), span(Role::Dim, format!(" {word}{between}"))]
    };
    let mut spans: Vec<_> = StatusKind::ALL.into_iter().flat_map(sign).collect();
    spans.extend([span(Role::Waiting, "?"), span(Role::Dim, " not sure")]);
    Block::Line(spans)
}
