//! What becomes of input that stands unsent in an agent's input field, when a message is sent to it.
//!
//! Invariant: it opens only where no key can be meant for something else, and the message is a draft by then.

use super::{Dialog, Step, keys};
use crate::app::effect::Effect;
use crate::app::key::{Key, KeyCode};
use crate::app::panel::{Block, Panel, Role, span};
use crate::app::state::Model;
use crate::domain::id::SessionId;
use crate::domain::text;
use crate::ops::Unsent;

/// How many lines of each text are shown.
const LINES: usize = 4;

/// Asks whether a message replaces what is typed, or is added to it.
#[derive(Debug)]
pub struct Held {
    to: SessionId,
    /// What is typed in the agent's input field.
    typed: String,
    message: String,
}

impl Held {
    /// Asks for a message to a session in whose input field this is typed.
    pub const fn new(to: SessionId, typed: String, message: String) -> Self {
        Self { to, typed, message }
    }

    fn send(&self, unsent: Unsent) -> Step {
        Step::Answer(vec![Effect::Send(self.to.clone(), self.message.clone(), unsent)])
    }
}

impl Dialog for Held {
    fn key(&mut self, key: Key, _: &Model) -> Step {
        match (key.code, key.ctrl) {
            (KeyCode::Char('r'), false) => self.send(Unsent::Replace),
            (KeyCode::Char('a'), false) => self.send(Unsent::Append),
            (KeyCode::Esc, _) => Step::Close,
            _ => Step::Stay(Vec::new()),
        }
    }

    fn panel(&self, model: &Model) -> Panel {
        let title = model.record().session(&self.to).map(|s| text::clean(&s.title)).unwrap_or_default();
        let line = |role: Role| move |l: &str| Block::Line(vec![span(role, text::clean(l))]);
        let part = |heading: &str, body: &str| {
            let more = body.lines().count().saturating_sub(LINES);
            let mut blocks = vec![line(Role::Dim)(heading)];
            blocks.extend(body.lines().take(LINES).map(line(Role::Text)));
            blocks.extend((more > 0).then(|| line(Role::Dim)(&format!("and {more} more lines"))));
            blocks
        };
        let mut blocks = part("In its input field, not sent:", &self.typed);
        blocks.push(Block::Gap);
        blocks.extend(part("Your message, saved as a draft:", &self.message));
        Panel {
            title: format!("{title} has unsent input"),
            keys: keys(&[("r", "replace it"), ("a", "append to it"), ("esc", "cancel")]),
            blocks,
            width: 70,
            ..Panel::default()
        }
    }
}
