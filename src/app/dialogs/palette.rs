//! The command palette: every command by its name.

use std::cmp::Reverse;

use super::{Dialog, Line, Step, moved_choice};
use crate::app::commands::{self, Command};
use crate::app::key::{Key, KeyCode};
use crate::app::panel::{Block, Panel, Role, span};
use crate::app::state::Model;
use crate::domain::fuzzy::Query;

/// Finds a command by its name.
#[derive(Debug, Default)]
pub struct Palette {
    line: Line,
    at: usize,
}

/// Rows of the dialog that are not commands: its edges and header, the field, two rules, the sentence.
const TAKEN: u16 = 9;

impl Palette {
    /// An empty one.
    pub fn new() -> Self {
        Self::default()
    }

    /// Commands that fit what was typed; those that can be used now first. What was typed decides the order,
    /// else what was run last.
    fn offered(&self, model: &Model) -> Vec<(&'static Command, bool)> {
        let query = Query::new(self.line.text());
        let is_empty = self.line.text().trim().is_empty();
        let rank = |c: &'static Command| {
            let (score, now) = (query.score(c.title, &[c.doc])?, (c.applies)(model));
            let ran = model.app.recent.iter().position(|id| *id == c.id).filter(|_| is_empty);
            let key = (!now, Reverse(score), ran.unwrap_or(usize::MAX), is_empty && c.moves());
            Some((key, c, now))
        };
        let mut all: Vec<_> = commands::all().filter_map(rank).collect();
        all.sort_by_key(|(key, ..)| *key);
        all.into_iter().map(|(_, command, now)| (command, now)).collect()
    }
}

impl Dialog for Palette {
    fn key(&mut self, key: Key, model: &Model) -> Step {
        let offered = self.offered(model);
        let last = offered.len().saturating_sub(1);
        match key {
            Key { code: KeyCode::Esc, .. } => return Step::Close,
            Key { code: KeyCode::Enter, .. } => {
                return match offered.get(self.at.min(last)) {
                    Some((command, true)) => Step::Run(command),
                    _ => Step::Stay(Vec::new()),
                };
            }
            key => match moved_choice(key, self.at, last) {
                Some(at) => self.at = at,
                None if self.line.key(key) => self.at = 0,
                None => {}
            },
        }
        Step::Stay(Vec::new())
    }

    fn panel(&self, model: &Model) -> Panel {
        let offered = self.offered(model);
        let at = self.at.min(offered.len().saturating_sub(1));
        let room = super::room_for(model.app.size.1, TAKEN);
        let first = (at + 1).saturating_sub(room);
        let below = offered.len().saturating_sub(first + room);
        let mut blocks = vec![
            Block::Field {
                label: String::new(),
                text: self.line.text().to_owned(),
                caret: Some(self.line.caret()),
                note: self.line.text().is_empty().then(|| span(Role::Dim, "type a command's name")),
            },
            Block::Rule,
        ];
        for (i, (command, now)) in offered.iter().enumerate().skip(first).take(room) {
            let doc = if *now {
                command.doc.to_owned()
            } else {
                format!("unavailable: {}", command.needs_here(model))
            };
            blocks.push(Block::Item {
                spans: vec![
                    span(if *now { Role::Text } else { Role::Faint }, format!("{:<16} ", command.title)),
                    span(if *now { Role::Dim } else { Role::Faint }, doc),
                ],
                right: vec![span(Role::Key, model.app.keymap.keys_of(command).join("  "))],
                selected: i == at,
            });
        }
        match offered.get(at) {
            None => blocks.push(Block::Line(vec![span(Role::Dim, "no match")])),
            Some((command, now)) => {
                // What a row may cut is shown whole here.
                let words = if *now { command.doc } else { command.needs_here(model) };
                blocks.push(Block::Rule);
                blocks.push(Block::Line(vec![span(Role::Text, words)]));
            }
        }
        Panel {
            title: "Commands".to_owned(),
            keys: super::with_more(below, &[("enter", "run"), ("esc", "close")]),
            blocks,
            width: 112,
            spares_picture: false,
        }
    }
}
