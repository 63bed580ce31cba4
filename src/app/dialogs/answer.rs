//! Answers a session's question: the choices are listed by number, and the dialog follows the session while
//! it is open. Tab goes to the question of the next session.
//!
//! Invariants: what was written for a question stays until the dialog is closed, and is offered for no other
//! question; a choice that takes text is answered only by Enter in its field.

use std::collections::BTreeMap;

use super::{Dialog, Line, Step, keys};
use crate::app::effect::Effect;
use crate::app::key::{Key, KeyCode};
use crate::app::panel::{Block, Panel, Place, Role, span};
use crate::app::state::Model;
use crate::domain::id::SessionId;
use crate::domain::screen::Choice;
use crate::domain::status::StatusKind;
use crate::domain::text;
use crate::ops::{Pick, Question};

/// The text of a prompt that has no choices, among those of choices by number.
const PROMPT: u32 = 0;
/// The width it would like, in cells.
const WIDTH: u16 = 100;

/// Answers the questions of sessions, one at a time.
#[derive(Debug)]
pub struct Answer {
    session: SessionId,
    /// What was chosen and written so far, here and in the questions of others.
    kept: BTreeMap<SessionId, Work>,
    refused: Option<String>,
}

/// What was done about one question.
#[derive(Debug, Clone)]
struct Work {
    question: Question,
    at: usize,
    /// Whether the keys go into the field of the chosen choice.
    writes: bool,
    texts: BTreeMap<u32, Line>,
}

impl Work {
    const fn new(question: Question) -> Self {
        Self { question, at: 0, writes: false, texts: BTreeMap::new() }
    }

    fn chosen(&self) -> Option<&Choice> {
        let choices = &self.question.dialog.choices;
        choices.get(self.at.min(choices.len().saturating_sub(1)))
    }

    /// The number of the field that has the keys, if one has.
    fn field(&self) -> Option<u32> {
        if self.question.dialog.takes_text {
            return Some(PROMPT);
        }
        self.chosen().filter(|_| self.writes).map(|c| c.number)
    }

    fn text(&self, number: u32) -> &str {
        self.texts.get(&number).map_or("", Line::text)
    }

    fn step(&mut self, by: isize) {
        let last = self.question.dialog.choices.len().saturating_sub(1);
        self.at = self.at.min(last).saturating_add_signed(by).min(last);
        self.writes = false;
    }
}

/// The sessions that ask something that can be answered here, in the order in which they need the user.
fn askers(model: &Model) -> Vec<SessionId> {
    let needy = model.attention().into_iter().filter(|(_, l)| l.verdict.kind() == StatusKind::Asks);
    needy.map(|(s, _)| s.id.clone()).filter(|id| asked(model, id).is_some()).collect()
}

/// What a session asks, if it can be answered here.
fn asked<'a>(model: &'a Model, id: &SessionId) -> Option<&'a Question> {
    let has_answers = |q: &&Question| !q.dialog.choices.is_empty() || q.dialog.takes_text;
    model.profile.questions.of(id).filter(has_answers)
}

impl Answer {
    /// Of this session, whichever is selected later.
    pub const fn new(session: SessionId) -> Self {
        Self { session, kept: BTreeMap::new(), refused: None }
    }

    /// What was done about the question that is shown; anew if that is another one by now.
    fn work(&mut self, question: &Question) -> &mut Work {
        let work = self.kept.entry(self.session.clone()).or_insert_with(|| Work::new(question.clone()));
        if work.question.is_same(question) {
            // The cursor of the agent may have moved.
            work.question = question.clone();
        } else {
            *work = Work::new(question.clone());
        }
        work
    }

    /// Takes a choice, or opens its field.
    fn take(&mut self, question: &Question, choice: &Choice, model: &Model) -> Step {
        if question.dialog.several {
            self.refused = Some("several may be chosen; attach to answer".to_owned());
            return Step::Stay(Vec::new());
        }
        if choice.is_text {
            let at = question.dialog.choices.iter().position(|c| c.number == choice.number);
            let work = self.work(question);
            (work.at, work.writes) = (at.unwrap_or(work.at), true);
            return Step::Stay(Vec::new());
        }
        self.give(question, Pick::Number(choice.number), model)
    }

    fn give(&mut self, question: &Question, pick: Pick, model: &Model) -> Step {
        if let Some(why) = model.profile.questions.rests(&self.session) {
            self.refused = Some(why.to_owned());
            return Step::Stay(Vec::new());
        }
        Step::Answer(vec![Effect::Answer(self.session.clone(), pick, Box::new(question.clone()))])
    }

    /// The question of the next session, or of the one before.
    fn other(&mut self, model: &Model, by: isize) -> Step {
        let all = askers(model);
        let at = all.iter().position(|id| *id == self.session);
        let to = match at {
            Some(at) => (at + all.len()).saturating_add_signed(by) % all.len(),
            None => 0,
        };
        let Some(id) = all.get(to).filter(|id| **id != self.session) else {
            self.refused = Some("no other session is asking".to_owned());
            return Step::Stay(Vec::new());
        };
        self.session = id.clone();
        Step::Go(id.clone())
    }

    /// A key for the field: letters and digits are written, not taken.
    fn write(&mut self, question: &Question, number: u32, key: Key, model: &Model) -> Step {
        let work = self.work(question);
        match key.code {
            KeyCode::Esc if number == PROMPT => return Step::Close,
            KeyCode::Esc => work.writes = false,
            KeyCode::Down => work.step(1),
            KeyCode::Up => work.step(-1),
            KeyCode::Enter => {
                let text = work.text(number).trim().to_owned();
                let chosen = work.chosen().cloned();
                match (text.is_empty(), chosen) {
                    (false, _) if number == PROMPT => return self.give(question, Pick::Text(text), model),
                    (false, _) => {
                        let pick = Pick::Into(Box::new(Pick::Number(number)), text);
                        return self.give(question, pick, model);
                    }
                    (true, Some(choice)) if number == PROMPT => return self.take(question, &choice, model),
                    (true, _) => self.refused = Some("the answer is empty".to_owned()),
                }
            }
            _ => {
                work.texts.entry(number).or_default().key(key);
            }
        }
        Step::Stay(Vec::new())
    }
}

impl Dialog for Answer {
    fn key(&mut self, key: Key, model: &Model) -> Step {
        self.refused = None;
        match key.code {
            KeyCode::Tab => return self.other(model, 1),
            KeyCode::BackTab => return self.other(model, -1),
            _ => {}
        }
        let Some(question) = asked(model, &self.session) else {
            // Whoever is writing doesn't see at once that the question is gone: what is typed must be no command.
            return if key.code == KeyCode::Esc { Step::Close } else { Step::Stay(Vec::new()) };
        };
        let work = self.work(question);
        if let Some(number) = work.field() {
            return self.write(question, number, key, model);
        }
        match key.code {
            KeyCode::Esc => return Step::Close,
            KeyCode::Down | KeyCode::Char('j') => work.step(1),
            KeyCode::Up | KeyCode::Char('k') => work.step(-1),
            KeyCode::Enter => {
                if let Some(choice) = work.chosen().cloned() {
                    return self.take(question, &choice, model);
                }
            }
            KeyCode::Char(c) => {
                let number = c.to_digit(10);
                match question.dialog.choices.iter().find(|choice| Some(choice.number) == number) {
                    Some(choice) => return self.take(question, choice, model),
                    None => self.refused = Some(format!("no choice {c}")),
                }
            }
            _ => {}
        }
        Step::Stay(Vec::new())
    }

    fn paste(&mut self, pasted: &str, model: &Model) -> Step {
        if let Some(question) = asked(model, &self.session) {
            let work = self.work(question);
            if let Some(number) = work.field() {
                // A line break would be an answer.
                work.texts.entry(number).or_default().insert(&text::clean(pasted));
            }
        }
        Step::Stay(Vec::new())
    }

    fn click(&mut self, block: usize, _piece: usize, model: &Model) -> Step {
        self.refused = None;
        let Some(question) = asked(model, &self.session) else { return Step::Stay(Vec::new()) };
        let blocks = self.panel(model).blocks;
        let is_choice = |b: &&Block| matches!(b, Block::Choice { .. });
        let at = blocks.iter().take(block).filter(is_choice).count();
        let clicked = blocks.get(block).filter(is_choice).and_then(|_| question.dialog.choices.get(at));
        match clicked {
            Some(choice) => self.take(question, choice, model),
            None => Step::Stay(Vec::new()),
        }
    }

    fn panel(&self, model: &Model) -> Panel {
        let title = model.record().session(&self.session).map(|s| text::clean(&s.title));
        let mut title = format!("{} asks", title.unwrap_or_default());
        let all = askers(model);
        if let Some(at) = all.iter().position(|id| *id == self.session).filter(|_| all.len() > 1) {
            title.push_str(&format!(" · {} of {}", at + 1, all.len()));
        }
        let mut offered = Vec::new();
        let Some(question) = model.profile.questions.of(&self.session) else {
            let blocks = vec![Block::Line(vec![span(Role::Dim, "it's no longer asking")])];
            offered.extend((!all.is_empty()).then_some(("tab", "next")));
            offered.push(("esc", "close"));
            return Panel {
                title,
                keys: keys(&offered),
                blocks,
                width: WIDTH,
                place: Place::BesideCapture,
                ..Panel::default()
            };
        };
        let fresh = Work::new(question.clone());
        let kept = self.kept.get(&self.session).filter(|w| w.question.is_same(question));
        let work = kept.unwrap_or(&fresh);
        let dialog = &question.dialog;
        let mut blocks: Vec<Block> =
            question.asks.iter().map(|a| Block::Text(vec![span(Role::Text, text::clean(a))])).collect();
        blocks.push(Block::Rule);
        let rests = model.profile.questions.rests(&self.session);
        let role = if rests.is_some() { Role::Faint } else { Role::Key };
        // Enter sends what is written at a prompt, not a choice.
        let has_text = dialog.takes_text && !work.text(PROMPT).trim().is_empty();
        for (i, choice) in dialog.choices.iter().enumerate() {
            let selected = !has_text && i == work.at.min(dialog.choices.len().saturating_sub(1));
            let number = if dialog.takes_text { String::new() } else { format!("{}  ", choice.number) };
            let mut spans = vec![span(Role::Text, text::clean(&choice.label))];
            let writes = work.field() == Some(choice.number);
            let written = work.text(choice.number);
            if choice.is_text && !writes && !written.is_empty() {
                spans.push(span(Role::Dim, format!("  {written}")));
            }
            blocks.push(Block::Choice { lead: span(role, number), spans, selected });
            if writes {
                blocks.push(field(work, choice.number, "type your answer"));
            }
        }
        if dialog.takes_text {
            blocks.push(field(work, PROMPT, "or type an answer"));
        }
        if let Some(refused) = &self.refused {
            blocks.push(Block::Line(vec![span(Role::Error, refused.clone())]));
        }
        let last = dialog.choices.iter().map(|c| c.number).max().unwrap_or(1);
        let numbers = format!("1-{}", last.min(9));
        let writes = work.field().is_some();
        if rests.is_none() {
            offered.push((if writes { "enter" } else { numbers.as_str() }, "answer"));
        }
        offered.extend((all.len() > 1).then_some(("tab", "next")));
        offered.push(("esc", if writes && !dialog.takes_text { "choices" } else { "cancel" }));
        Panel {
            title,
            keys: keys(&offered),
            blocks,
            width: WIDTH,
            place: Place::BesideCapture,
            ..Panel::default()
        }
    }
}

fn field(work: &Work, number: u32, hint: &str) -> Block {
    let line = work.texts.get(&number);
    Block::Field {
        label: String::new(),
        text: work.text(number).to_owned(),
        caret: Some(line.map_or(0, Line::caret)),
        note: work.text(number).is_empty().then(|| span(Role::Dim, hint)),
    }
}
