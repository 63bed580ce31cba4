//! Answers a session's question: the choices are listed by number, and the dialog follows the session while
//! it is open.

use super::{Dialog, Line, Step, keys};
use crate::app::effect::Effect;
use crate::app::key::{Key, KeyCode};
use crate::app::panel::{Block, Panel, Place, Role, span};
use crate::app::state::Model;
use crate::domain::id::SessionId;
use crate::domain::screen::Choice;
use crate::domain::text;
use crate::ops::{Pick, Question};

/// Answers one session's question.
#[derive(Debug)]
pub struct Answer {
    session: SessionId,
    at: usize,
    /// What is typed, where any text is an answer.
    text: Line,
    refused: Option<String>,
}

impl Answer {
    /// Of this session, whichever is selected later.
    pub fn new(session: SessionId) -> Self {
        Self { session, at: 0, text: Line::default(), refused: None }
    }

    fn take(&mut self, question: &Question, choice: &Choice, model: &Model) -> Step {
        if choice.is_text || question.dialog.several {
            self.refused = Some("that choice needs typing; attach to answer".to_owned());
            return Step::Stay(Vec::new());
        }
        self.give(question, Pick::Number(choice.number), model)
    }

    fn give(&mut self, question: &Question, pick: Pick, model: &Model) -> Step {
        if let Some(why) = model.profile.questions.rests(&self.session, model.app.now) {
            self.refused = Some(why.to_owned());
            return Step::Stay(Vec::new());
        }
        Step::Answer(vec![Effect::Answer(self.session.clone(), pick, Box::new(question.clone()))])
    }

    /// A prompt that is answered by a line of text: letters are written, not taken.
    fn write(&mut self, question: &Question, key: Key, model: &Model) -> Step {
        let choices = &question.dialog.choices;
        match key.code {
            KeyCode::Esc => return Step::Close,
            KeyCode::Down => self.at = (self.at + 1).min(choices.len().saturating_sub(1)),
            KeyCode::Up => self.at = self.at.saturating_sub(1),
            KeyCode::Enter if !self.text.text().is_empty() => {
                return self.give(question, Pick::Text(self.text.text().to_owned()), model);
            }
            KeyCode::Enter => match choices.get(self.at.min(choices.len().saturating_sub(1))) {
                Some(choice) => return self.take(question, choice, model),
                None => self.refused = Some("the answer is empty".to_owned()),
            },
            _ => {
                self.text.key(key);
            }
        }
        Step::Stay(Vec::new())
    }
}

impl Dialog for Answer {
    fn key(&mut self, key: Key, model: &Model) -> Step {
        self.refused = None;
        let has_answers = |q: &&Question| !q.dialog.choices.is_empty() || q.dialog.takes_text;
        let asked = model.profile.questions.of(&self.session).filter(has_answers);
        let Some(question) = asked else { return Step::Close };
        if question.dialog.takes_text {
            return self.write(question, key, model);
        }
        let dialog = &question.dialog;
        let last = dialog.choices.len() - 1;
        match key.code {
            KeyCode::Esc => return Step::Close,
            KeyCode::Down | KeyCode::Char('j') => self.at = (self.at + 1).min(last),
            KeyCode::Up | KeyCode::Char('k') => self.at = self.at.saturating_sub(1),
            KeyCode::Enter => {
                if let Some(choice) = dialog.choices.get(self.at.min(last)) {
                    return self.take(question, choice, model);
                }
            }
            KeyCode::Char(c) => {
                let number = c.to_digit(10);
                match dialog.choices.iter().find(|choice| Some(choice.number) == number) {
                    Some(choice) => return self.take(question, choice, model),
                    None => self.refused = Some(format!("no choice {c}")),
                }
            }
            _ => {}
        }
        Step::Stay(Vec::new())
    }

    fn paste(&mut self, pasted: &str, model: &Model) -> Step {
        if model.profile.questions.of(&self.session).is_some_and(|q| q.dialog.takes_text) {
            // A line break would be an answer.
            self.text.insert(&text::clean(pasted));
        }
        Step::Stay(Vec::new())
    }

    fn panel(&self, model: &Model) -> Panel {
        let title = model.record().session(&self.session).map(|s| text::clean(&s.title));
        let title = format!("{} asks", title.unwrap_or_default());
        let Some(question) = model.profile.questions.of(&self.session) else {
            let words = "it's no longer asking";
            let blocks = vec![Block::Line(vec![span(Role::Dim, words)])];
            return Panel {
                title,
                keys: keys(&[("esc", "close")]),
                blocks,
                width: 72,
                place: Place::BesideCapture,
                ..Panel::default()
            };
        };
        let dialog = &question.dialog;
        let mut blocks: Vec<Block> =
            question.asks.iter().map(|a| Block::Line(vec![span(Role::Text, text::clean(a))])).collect();
        blocks.push(Block::Rule);
        let rests = model.profile.questions.rests(&self.session, model.app.now);
        let role = if rests.is_some() { Role::Faint } else { Role::Key };
        let number = |c: &Choice| if dialog.takes_text { String::new() } else { format!("{}  ", c.number) };
        let item = |(i, choice): (usize, &Choice)| Block::Item {
            spans: vec![span(role, number(choice)), span(Role::Text, text::clean(&choice.label))],
            right: if choice.is_text { vec![span(Role::Dim, "attach")] } else { Vec::new() },
            selected: i == self.at.min(dialog.choices.len().saturating_sub(1)),
        };
        blocks.extend(dialog.choices.iter().enumerate().map(item));
        if dialog.takes_text {
            blocks.push(Block::Field {
                label: String::new(),
                text: self.text.text().to_owned(),
                caret: Some(self.text.caret()),
                note: self.text.text().is_empty().then(|| span(Role::Dim, "or type an answer")),
            });
        }
        if let Some(refused) = &self.refused {
            blocks.push(Block::Line(vec![span(Role::Error, refused.clone())]));
        }
        let last = dialog.choices.iter().map(|c| c.number).max().unwrap_or(1);
        let numbers = format!("1-{}", last.min(9));
        let esc = ("esc", "cancel");
        let answer = (if dialog.takes_text { "enter" } else { numbers.as_str() }, "answer");
        Panel {
            title,
            keys: if rests.is_some() { keys(&[esc]) } else { keys(&[answer, esc]) },
            blocks,
            width: 72,
            place: Place::BesideCapture,
            ..Panel::default()
        }
    }
}
