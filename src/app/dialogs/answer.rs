//! Answering what a session asks: the choices it shows, by number. Live while it is open.

use super::{Dialog, Step, keys};
use crate::app::effect::Effect;
use crate::app::key::{Key, KeyCode};
use crate::app::model::Model;
use crate::app::panel::{Block, Panel, Role, span};
use crate::domain::id::SessionId;
use crate::domain::screen::{self, Choice};
use crate::domain::text;

/// Answers one session's question.
#[derive(Debug)]
pub struct Answer {
    session: SessionId,
    at: usize,
    refused: Option<String>,
}

impl Answer {
    /// Of this session, whichever is selected later.
    pub const fn new(session: SessionId) -> Self {
        Self { session, at: 0, refused: None }
    }

    fn asked<'a>(&self, model: &'a Model) -> Option<&'a screen::Dialog> {
        model.look(&self.session)?.dialog.as_ref()
    }

    fn take(&mut self, dialog: &screen::Dialog, choice: &Choice) -> Step {
        if choice.is_text || dialog.several {
            self.refused = Some("that choice needs typing; attach to answer".to_owned());
            return Step::Stay(Vec::new());
        }
        Step::Answer(vec![Effect::Answer(self.session.clone(), choice.number, Box::new(dialog.clone()))])
    }
}

impl Dialog for Answer {
    fn key(&mut self, key: Key, model: &Model) -> Step {
        self.refused = None;
        let Some(dialog) = self.asked(model).filter(|d| !d.choices.is_empty()) else { return Step::Close };
        let last = dialog.choices.len() - 1;
        match key.code {
            KeyCode::Esc => return Step::Close,
            KeyCode::Down | KeyCode::Char('j') => self.at = (self.at + 1).min(last),
            KeyCode::Up | KeyCode::Char('k') => self.at = self.at.saturating_sub(1),
            KeyCode::Enter => {
                if let Some(choice) = dialog.choices.get(self.at.min(last)) {
                    return self.take(dialog, choice);
                }
            }
            KeyCode::Char(c) => {
                let number = c.to_digit(10);
                match dialog.choices.iter().find(|choice| Some(choice.number) == number) {
                    Some(choice) => return self.take(dialog, choice),
                    None => self.refused = Some(format!("no choice {c}")),
                }
            }
            _ => {}
        }
        Step::Stay(Vec::new())
    }

    fn panel(&self, model: &Model) -> Panel {
        let title = model.snapshot.profile.session(&self.session).map(|s| text::clean(&s.title));
        let title = format!("{} asks", title.unwrap_or_default());
        let Some(dialog) = self.asked(model) else {
            let words = "it's no longer asking";
            let blocks = vec![Block::Line(vec![span(Role::Dim, words)])];
            return Panel { title, keys: keys(&[("esc", "close")]), blocks, width: 72, spares_picture: true };
        };
        let asks =
            model.look(&self.session).and_then(|l| l.verdict.asks.clone()).or_else(|| dialog.asks.clone());
        let mut blocks: Vec<Block> =
            asks.iter().map(|a| Block::Line(vec![span(Role::Text, text::clean(a))])).collect();
        blocks.push(Block::Rule);
        let item = |(i, choice): (usize, &Choice)| Block::Item {
            spans: vec![
                span(Role::Key, format!("{}  ", choice.number)),
                span(Role::Text, text::clean(&choice.label)),
            ],
            right: if choice.is_text { vec![span(Role::Dim, "attach")] } else { Vec::new() },
            selected: i == self.at.min(dialog.choices.len().saturating_sub(1)),
        };
        blocks.extend(dialog.choices.iter().enumerate().map(item));
        if let Some(refused) = &self.refused {
            blocks.push(Block::Line(vec![span(Role::Error, refused.clone())]));
        }
        let last = dialog.choices.iter().map(|c| c.number).max().unwrap_or(1);
        let numbers = format!("1-{}", last.min(9));
        Panel {
            title,
            keys: keys(&[(&numbers, "answer"), ("esc", "cancel")]),
            blocks,
            width: 72,
            spares_picture: true,
        }
    }
}
