//! The composer: a message of several lines for one session, or for all that are marked.
//!
//! Invariant: what was written and not sent is kept for the next message to the same sessions, and no
//! others ever see it.

use super::editor::Editor;
use super::{Dialog, Step, keys};
use crate::app::done::Done;
use crate::app::effect::Effect;
use crate::app::key::{Key, KeyCode};
use crate::app::panel::{Block, Panel, Place, Role, span};
use crate::app::state::Model;
use crate::domain::id::SessionId;
use crate::domain::text;
use crate::ops::Unsent;

/// The most lines that are shown.
const ROWS: usize = 12;

/// The composer.
#[derive(Debug)]
pub struct Compose {
    to: Vec<SessionId>,
    editor: Editor,
    /// Where in what was sent before, counted from the newest.
    past: Option<usize>,
    /// What was being written before the past was looked at.
    present: String,
    /// Distinguishes answers to this state from those to an earlier one.
    number: u64,
    found: Vec<String>,
    /// Whether nothing was to be sent.
    is_empty: bool,
    /// Whether there was no draft to begin with.
    began_empty: bool,
}

impl Compose {
    /// A message to these, beginning with what was left of the last one.
    pub fn new(to: Vec<SessionId>, draft: &str) -> Self {
        let editor = Editor::new(draft);
        Self {
            to,
            editor,
            past: None,
            present: String::new(),
            number: 0,
            found: Vec::new(),
            is_empty: false,
            began_empty: draft.is_empty(),
        }
    }

    /// Goes to an older message, or back to a newer one.
    fn go_back(&mut self, by: isize, sent: &[String]) {
        let at = self.past.map_or(-1, |p| isize::try_from(p).unwrap_or(-1)) + by;
        if self.past.is_none() {
            self.present = self.editor.text();
        }
        let place = usize::try_from(at).ok();
        match place.and_then(|p| sent.iter().rev().nth(p)) {
            Some(text) => (self.editor, self.past) = (Editor::new(text), place),
            None if at < 0 => (self.editor, self.past) = (Editor::new(&self.present), None),
            None => {}
        }
    }

    fn send(&mut self) -> Step {
        let text = self.editor.text();
        if text.trim().is_empty() {
            self.is_empty = true;
            return Step::Stay(Vec::new());
        }
        Step::Answer(
            self.to.iter().map(|id| Effect::Send(id.clone(), text.clone(), Unsent::Refuse)).collect(),
        )
    }
}

impl Dialog for Compose {
    fn key(&mut self, key: Key, model: &Model) -> Step {
        self.found.clear();
        self.is_empty = false;
        match (key.code, key.ctrl, key.alt || key.shift) {
            // Nothing was there and nothing was written: a draft that came meanwhile stays.
            (KeyCode::Esc, ..) if self.began_empty && self.editor.text().trim().is_empty() => {
                return Step::Close;
            }
            (KeyCode::Esc, ..) => return Step::Keep(self.to.clone(), self.editor.text()),
            (KeyCode::Enter, false, false) => return self.send(),
            (KeyCode::Enter, ..) | (KeyCode::Char('j'), true, _) => self.editor.insert("\n"),
            (KeyCode::Char('e'), true, _) => {
                return Step::Stay(vec![Effect::Edit(self.editor.text())]);
            }
            (KeyCode::Tab, ..) if self.editor.word().starts_with('@') => {
                self.number += 1;
                let typed = self.editor.word().trim_start_matches('@').to_owned();
                let of = self.to.first().and_then(|id| model.record().session(id));
                let folder = of.map(|s| s.project_path.clone()).unwrap_or_default();
                return Step::Stay(vec![Effect::CompleteFile(self.number, folder, typed)]);
            }
            (KeyCode::Up, ..) if self.editor.is_at_top() => self.go_back(1, &model.app.sent),
            (KeyCode::Down, ..) if self.editor.is_at_bottom() => self.go_back(-1, &model.app.sent),
            _ => {
                self.editor.key(key);
            }
        }
        Step::Stay(Vec::new())
    }

    fn paste(&mut self, pasted: &str, _: &Model) -> Step {
        let lines = pasted.replace("\r\n", "\n").replace('\r', "\n");
        self.editor.insert(
            &lines.chars().filter(|c| matches!(c, '\n' | '\t') || !c.is_control()).collect::<String>(),
        );
        Step::Stay(Vec::new())
    }

    fn answer(&mut self, done: &Done, _: &Model) -> Step {
        match done {
            Done::Completed(number, found) if *number == self.number => match found.as_slice() {
                [] => {}
                [one] => self.editor.replace_word(&format!("@{one}")),
                many => {
                    self.editor.replace_word(&format!("@{}", super::common_start(many)));
                    self.found = many.to_vec();
                }
            },
            Done::Edited(text) => self.editor = Editor::new(text.trim_end_matches('\n')),
            _ => {}
        }
        Step::Stay(Vec::new())
    }

    fn panel(&self, model: &Model) -> Panel {
        let title = |id: &SessionId| model.record().session(id).map(|s| text::clean(&s.title));
        let to = match &self.to[..] {
            [one] => title(one).unwrap_or_default(),
            many => {
                let names: Vec<_> = many.iter().take(4).filter_map(title).collect();
                let more = many.len().saturating_sub(names.len());
                let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                format!("{} sessions: {}{more}", many.len(), names.join(", "))
            }
        };
        let (row, column) = self.editor.caret();
        // The session's capture keeps the most of the room.
        let room = usize::from(model.app.size.1 / 3).clamp(1, ROWS);
        let first = (row + 1).saturating_sub(room);
        let field = |(i, line): (usize, &String)| Block::Field {
            label: String::new(),
            text: line.clone(),
            caret: (i == row).then_some(column),
            note: None,
        };
        let mut blocks: Vec<Block> =
            self.editor.lines().iter().enumerate().skip(first).take(room).map(field).collect();
        let blank = || Block::Gap;
        blocks.resize_with(blocks.len().max(room.min(3)), blank);
        if !self.found.is_empty() {
            let names: Vec<&str> = self.found.iter().take(8).map(String::as_str).collect();
            blocks.push(Block::Line(vec![span(Role::Dim, names.join("  "))]));
        }
        blocks.push(Block::Rule);
        if self.is_empty {
            blocks.push(Block::Line(vec![span(Role::Error, "the message is empty")]));
        }
        let hint = "alt-enter newline · ↑ history · @name tab completes a file · ctrl-e editor";
        blocks.push(Block::Line(vec![span(Role::Faint, hint)]));
        Panel {
            title: format!("To {to}"),
            keys: keys(&[("enter", "send"), ("esc", "save draft")]),
            blocks,
            width: 90,
            place: Place::BelowCapture,
            ..Panel::default()
        }
    }
}
