//! A dialog that lets one thing be chosen from a list, found by typing.

use super::{Dialog, Line, Step, moved_choice};
use crate::app::effect::Effect;
use crate::app::key::{Key, KeyCode};
use crate::app::panel::{Block, Panel, Role, span};
use crate::app::state::Model;
use crate::domain::fuzzy::Query;
use crate::domain::text;

type MakeNew = Box<dyn Fn(&str) -> Option<Vec<Effect>> + Send>;
/// What shows a choice before it is taken, and what takes that back.
type Try = (Box<dyn Fn(&str) -> Effect + Send>, Effect);

/// Lets one thing be chosen.
pub struct Picker {
    title: String,
    choices: Vec<(String, Vec<Effect>)>,
    line: Line,
    at: usize,
    new: Option<(String, MakeNew)>,
    shown: Option<Try>,
}

impl std::fmt::Debug for Picker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Picker").field("title", &self.title).field("at", &self.at).finish_non_exhaustive()
    }
}

/// Rows of the dialog that are not choices: its edges and header, the field, a rule.
const TAKEN: u16 = 6;

impl Picker {
    /// A list of choices, each with what follows from it.
    pub fn new(title: &str, choices: Vec<(String, Vec<Effect>)>) -> Self {
        Self { title: title.to_owned(), choices, line: Line::default(), at: 0, new: None, shown: None }
    }

    /// What is typed may also name something new, if `make` accepts it.
    #[must_use]
    pub fn or_new(mut self, what: &str, make: impl Fn(&str) -> Option<Vec<Effect>> + Send + 'static) -> Self {
        self.new = Some((what.to_owned(), Box::new(make)));
        self
    }

    /// Begins at one of the choices.
    #[must_use]
    pub fn starting_at(mut self, at: usize) -> Self {
        self.at = at;
        self
    }

    /// Shows each choice while it is selected: with what `show` makes of its words, and `back` without one.
    #[must_use]
    pub fn trying(mut self, show: impl Fn(&str) -> Effect + Send + 'static, back: Effect) -> Self {
        self.shown = Some((Box::new(show), back));
        self
    }

    /// Shows the selected choice, if choices are shown.
    fn show(&self) -> Step {
        let Some((show, back)) = &self.shown else { return Step::Stay(Vec::new()) };
        let offered = self.offered();
        let at = offered.get(self.at.min(offered.len().saturating_sub(1)));
        Step::Stay(vec![at.map_or_else(|| back.clone(), |(words, _)| show(words))])
    }

    /// What is offered: words and effects.
    fn offered(&self) -> Vec<(String, Vec<Effect>)> {
        let typed = self.line.text().trim();
        let fitting = Query::new(typed).best(&self.choices, |(words, _)| words);
        let mut all: Vec<_> = fitting.into_iter().cloned().collect();
        let taken = self.choices.iter().any(|(words, _)| words == typed);
        if let Some((what, make)) = self.new.as_ref().filter(|_| !typed.is_empty() && !taken)
            && let Some(effects) = make(typed)
        {
            all.push((format!("{typed}  ({what})"), effects));
        }
        all
    }
}

impl Dialog for Picker {
    fn key(&mut self, key: Key, _: &Model) -> Step {
        let offered = self.offered();
        let last = offered.len().saturating_sub(1);
        match key {
            Key { code: KeyCode::Esc, .. } => {
                return match &self.shown {
                    Some((_, back)) => Step::Answer(vec![back.clone()]),
                    None => Step::Close,
                };
            }
            Key { code: KeyCode::Enter, .. } => {
                return match offered.into_iter().nth(self.at.min(last)) {
                    Some((_, effects)) => Step::Answer(effects),
                    None => Step::Stay(Vec::new()),
                };
            }
            key => match moved_choice(key, self.at, last) {
                Some(at) => self.at = at,
                None if self.line.key(key) => self.at = 0,
                None => return Step::Stay(Vec::new()),
            },
        }
        self.show()
    }

    fn paste(&mut self, text: &str, _: &Model) -> Step {
        self.line.insert(&text::clean(text));
        self.at = 0;
        Step::Stay(Vec::new())
    }

    fn panel(&self, model: &Model) -> Panel {
        let offered = self.offered();
        let at = self.at.min(offered.len().saturating_sub(1));
        let room = super::room_for(model.app.size.1, TAKEN);
        let first = (at + 1).saturating_sub(room);
        let below = offered.len().saturating_sub(first + room);
        let hint = match &self.new {
            Some((what, _)) => format!("type to find, or to name {what}"),
            None => "type to find".to_owned(),
        };
        let mut blocks = vec![
            Block::Field {
                label: String::new(),
                text: self.line.text().to_owned(),
                caret: Some(self.line.caret()),
                note: self.line.text().is_empty().then(|| span(Role::Dim, hint)),
            },
            Block::Rule,
        ];
        let item = |(i, (words, _)): (usize, &(String, Vec<Effect>))| Block::Item {
            spans: vec![span(Role::Text, words.clone())],
            right: Vec::new(),
            selected: i == at,
        };
        blocks.extend(offered.iter().enumerate().skip(first).take(room).map(item));
        if offered.is_empty() && !self.line.text().is_empty() {
            blocks.push(Block::Line(vec![span(Role::Dim, "no match")]));
        }
        let keys = super::with_more(below, &[("enter", "choose"), ("esc", "close")]);
        Panel { title: self.title.clone(), keys, blocks, width: 60, ..Panel::default() }
    }
}
