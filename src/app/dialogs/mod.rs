//! Dialogs: a stack of boxed values, each with its own context.
//!
//! Invariants: a dialog never changes the model; it answers with effects, or with the command that
//! was chosen; what it shows is a [`Panel`], which the TUI draws.

mod answer;
mod ask;
mod compose;
mod confirm;
mod editor;
mod explain;
mod finish;
mod hand_over;
mod held;
mod help;
mod mcp_servers;
mod new_session;
mod pager;
mod palette;
mod picker;
mod settings;
mod talks;

pub use answer::Answer;
pub use ask::Ask;
pub use compose::Compose;
pub use confirm::Confirm;
pub use editor::Editor;
pub use explain::Explain;
pub use finish::Finish;
pub use hand_over::HandOver;
pub use held::Held;
pub use help::Help;
pub use mcp_servers::McpServers;
pub use new_session::NewSession;
pub use pager::Pager;
pub use palette::Palette;
pub use picker::Picker;
pub use settings::{Setting, SettingsList};
pub use talks::Talks;

use tui_input::{Input, InputRequest};

use super::commands::Command;
use super::done::Done;
use super::effect::Effect;
use super::key::{Key, KeyCode};
use super::panel::{Block, Panel, Role, Span, span};
use super::panel_layout::{PAD, wrap_spans};
use super::state::Model;
use crate::domain::id::SessionId;
use crate::domain::text;
use crate::domain::tree::RowKey;

/// What a dialog makes of a key.
pub enum Step {
    /// It stays, and these effects are for it.
    Stay(Vec<Effect>),
    /// It closes, and nothing happens.
    Close,
    /// It closes, and these effects follow.
    Answer(Vec<Effect>),
    /// It closes, and what was written for these sessions is kept for the next time.
    Keep(Vec<SessionId>, String),
    /// It stays, and this session is selected.
    Go(SessionId),
    /// It closes, and this command runs.
    Run(&'static Command),
    /// It closes, and this row is selected.
    Select(RowKey),
}

pub trait Dialog: std::fmt::Debug + Send {
    /// Takes a key.
    fn key(&mut self, key: Key, model: &Model) -> Step;

    /// Takes a paste.
    fn paste(&mut self, _text: &str, _model: &Model) -> Step {
        Step::Stay(Vec::new())
    }

    /// Takes a click on one of its blocks; `piece` is which of a line of choices. A row of a list is chosen, as by the keys
    /// that go there.
    fn click(&mut self, block: usize, _piece: usize, model: &Model) -> Step {
        let panel = self.panel(model);
        let items = || {
            panel
                .blocks
                .iter()
                .enumerate()
                .filter(|(_, b)| matches!(b, Block::Item { .. } | Block::Choice { .. }))
        };
        let at = items().position(|(_, b)| b.has_focus());
        let to = items().position(|(i, _)| i == block);
        let (Some(at), Some(to)) = (at, to) else { return Step::Stay(Vec::new()) };
        let code = if to > at { KeyCode::Down } else { KeyCode::Up };
        for _ in 0..at.abs_diff(to) {
            // On the way there is nothing to do.
            let _ = self.key(Key::plain(code), model);
        }
        self.key(Key::plain(KeyCode::Enter), model)
    }

    /// Takes the answer to its own effect.
    fn answer(&mut self, _done: &Done, _model: &Model) -> Step {
        Step::Stay(Vec::new())
    }

    /// Something moved in a session: the dialog that shows it may ask for it again.
    fn moved(&self, _session: &SessionId) -> Option<Effect> {
        None
    }

    /// All sessions were looked at: what it may ask for then.
    fn polled(&mut self, _model: &Model) -> Option<Effect> {
        None
    }

    /// Whether something that it shows ages by the second.
    fn ages(&self) -> bool {
        false
    }

    /// Which of its rows it opens at the next time, if it opens where it was left.
    fn left_at(&self) -> Option<usize> {
        None
    }

    /// What it shows.
    fn panel(&self, model: &Model) -> Panel;
}

/// A line of text being edited.
#[derive(Debug, Clone, Default)]
pub struct Line {
    input: Input,
    /// Whether its text is a proposal: what is typed takes its place, and any other key edits it, as it isn't selected.
    proposed: bool,
}

impl Line {
    pub fn new(text: &str) -> Self {
        Self { input: Input::new(text.to_owned()), proposed: false }
    }

    /// A text that was not written by the user.
    fn proposal(text: &str) -> Self {
        Self { proposed: !text.is_empty(), ..Self::new(text) }
    }

    /// What to show beside a proposal.
    fn note(&self) -> Option<Span> {
        self.proposed.then(|| span(Role::Dim, "type to replace it · → keeps it"))
    }

    pub fn text(&self) -> &str {
        self.input.value()
    }

    /// The caret, in characters.
    pub fn caret(&self) -> usize {
        self.input.cursor()
    }

    fn set(&mut self, text: &str) {
        *self = Self::new(text);
    }

    /// Takes a key that edits. Returns whether it was one.
    pub fn key(&mut self, key: Key) -> bool {
        let request = match (key.code, key.ctrl, key.alt) {
            (KeyCode::Char('a'), true, _) | (KeyCode::Home, ..) => InputRequest::GoToStart,
            (KeyCode::Char('e'), true, _) | (KeyCode::End, ..) => InputRequest::GoToEnd,
            (KeyCode::Char('u'), true, _) => InputRequest::DeleteLine,
            (KeyCode::Char('k'), true, _) => InputRequest::DeleteTillEnd,
            (KeyCode::Char('w'), true, _) | (KeyCode::Backspace, _, true) => InputRequest::DeletePrevWord,
            (KeyCode::Char('b'), _, true) | (KeyCode::Left, true, _) => InputRequest::GoToPrevWord,
            (KeyCode::Char('f'), _, true) | (KeyCode::Right, true, _) => InputRequest::GoToNextWord,
            (KeyCode::Char(c), false, false) => InputRequest::InsertChar(c),
            (KeyCode::Backspace, ..) => InputRequest::DeletePrevChar,
            (KeyCode::Delete, ..) => InputRequest::DeleteNextChar,
            (KeyCode::Left, ..) => InputRequest::GoToPrevChar,
            (KeyCode::Right, ..) => InputRequest::GoToNextChar,
            _ => return false,
        };
        if std::mem::take(&mut self.proposed) && matches!(request, InputRequest::InsertChar(_)) {
            self.set("");
        }
        self.input.handle(request);
        true
    }

    pub fn insert(&mut self, text: &str) {
        if std::mem::take(&mut self.proposed) {
            self.set("");
        }
        for c in text.chars() {
            self.input.handle(InputRequest::InsertChar(c));
        }
    }
}

fn common_start(all: &[String]) -> String {
    let Some((first, rest)) = all.split_first() else { return String::new() };
    let fits = |n: usize| {
        let start: String = first.chars().take(n).collect();
        rest.iter().all(|o| o.starts_with(&start)).then_some(start)
    };
    (0..=first.chars().count()).rev().find_map(fits).unwrap_or_default()
}

/// How many rows of a list a dialog has room for in a terminal of this height; where there is enough, it
/// leaves a margin.
fn room_for(height: u16, taken: u16) -> usize {
    let margin = if height < ROOMY { 0 } else { 2 };
    usize::from(height.saturating_sub(taken + margin)).max(1)
}

/// The cells of a line of a dialog in the middle that would like this width.
fn inner(width: u16, model: &Model) -> usize {
    usize::from(width.min(model.app.size.0.saturating_sub(2)).saturating_sub(2 * PAD))
}

/// The lines that are left for a dialog in the middle below what it has.
fn lines_left(blocks: &[Block], model: &Model) -> usize {
    // Its border, its title, and a blank line.
    usize::from(model.app.size.1.saturating_sub(4)).saturating_sub(blocks.len()).max(1)
}

/// From this height on a dialog leaves a margin.
const ROOMY: u16 = 20;

/// Keys, and how many rows of a list are below what is shown.
fn with_more(below: usize, all: &[(&str, &str)]) -> Vec<(String, String)> {
    let more = format!("{below} more");
    let mut keys = keys(all);
    if below > 0 {
        keys.insert(0, ("↓".to_owned(), more));
    }
    keys
}

/// Names of keys and what they do, for a panel.
fn keys(list: &[(&str, &str)]) -> Vec<(String, String)> {
    list.iter().map(|(k, d)| ((*k).to_owned(), (*d).to_owned())).collect()
}

/// A sentence in at most so many lines, and with a sign where it is longer.
fn paragraph(words: &[Span], width: usize, most: usize) -> Vec<Block> {
    let mut lines = wrap_spans(words, width);
    if lines.len() > most {
        lines.truncate(most);
        if let Some(last) = lines.last_mut() {
            let role = last.first().map_or(Role::Dim, |s| s.role);
            let all: String = last.iter().map(|s| s.text.as_str()).collect();
            *last = vec![span(role, text::fit(&format!("{}…", all.trim_end()), width))];
        }
    }
    lines.into_iter().map(Block::Line).collect()
}

/// Where a list's choice goes with a key that moves it; `None` for other keys.
fn moved_choice(key: Key, at: usize, last: usize) -> Option<usize> {
    match (key.code, key.ctrl) {
        (KeyCode::Down, _) | (KeyCode::Char('n'), true) => Some((at + 1).min(last)),
        (KeyCode::Up, _) | (KeyCode::Char('p'), true) => Some(at.min(last).saturating_sub(1)),
        _ => None,
    }
}
