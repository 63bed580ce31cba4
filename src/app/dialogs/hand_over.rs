//! Handing a session's work over to another agent: to whom, what goes along, and how far it has arrived.
//!
//! Invariant: what is said to have arrived is what the other agent's own transcript proves.

use super::{Dialog, Step, inner, keys, lines_left};
use crate::app::done::Done;
use crate::app::effect::Effect;
use crate::app::key::{Key, KeyCode};
use crate::app::markdown;
use crate::app::panel::{Block, Panel, Role, Span, span};
use crate::app::state::Model;
use crate::app::talk_work::{PageText, TalkPage, TalkWork, Whose};
use crate::domain::conversation::Who;
use crate::domain::handoff::{Handoff, HandoffState};
use crate::domain::id::SessionId;
use crate::domain::talk::estimate;
use crate::domain::text;
use crate::ops::handoff::Wish;

/// The width it would like, in cells.
const WIDTH: u16 = 110;

/// How far it is.
#[derive(Debug, PartialEq, Eq)]
enum Stage {
    Choosing,
    /// It is being done.
    Under,
    /// The other session has it, in words, and whether its agent has answered.
    Over {
        to: SessionId,
        words: String,
        answered: bool,
    },
    Failed(String),
}

/// A row that has the focus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Focus {
    To,
    Then,
    First,
}

/// Hands a session over.
#[derive(Debug)]
pub struct HandOver {
    from: SessionId,
    tools: Vec<String>,
    at: usize,
    go: bool,
    keep: bool,
    focus: Focus,
    /// The packet, or why there can be none.
    packet: Option<Result<String, String>>,
    top: usize,
    stage: Stage,
    /// The handoffs that there were before.
    before: Vec<String>,
}

impl HandOver {
    /// Hands this session over, and what asks for the packet. None where no tool can take it.
    pub fn new(from: SessionId, model: &Model) -> Option<(Self, Effect)> {
        let of = model.record().session(&from)?.tool.clone();
        let tools = model.app.settings.tools.iter().filter(|tool| tool.found && tool.keeps_transcripts);
        let mut tools: Vec<String> = tools.map(|tool| tool.name.clone()).collect();
        // Another agent is the more likely one.
        tools.sort_by_key(|name| *name == of);
        let before = model.record().handoffs.iter().map(|handoff| handoff.id.clone()).collect();
        let dialog = Self {
            from,
            at: 0,
            go: false,
            keep: false,
            focus: Focus::To,
            packet: None,
            top: 0,
            stage: Stage::Choosing,
            before,
            tools,
        };
        dialog.tools.first()?;
        let asks = dialog.asks();
        Some((dialog, asks))
    }

    fn wish(&self) -> Box<Wish> {
        let to = self.tools.get(self.at).cloned().unwrap_or_default();
        Box::new(Wish { to, go: self.go, keep: self.keep, ..Wish::default() })
    }

    fn asks(&self) -> Effect {
        Effect::Packet(self.from.clone(), self.wish())
    }

    /// Changes the row that has the focus.
    fn change(&mut self, forward: bool) -> Step {
        match self.focus {
            Focus::To => {
                let step = if forward { 1 } else { self.tools.len().saturating_sub(1) };
                self.at = (self.at + step) % self.tools.len().max(1);
            }
            Focus::Then => self.go = !self.go,
            Focus::First => self.keep = !self.keep,
        }
        // What the packet says depends on them.
        Step::Stay(if self.focus == Focus::First { Vec::new() } else { vec![self.asks()] })
    }

    fn hand_over(&mut self) -> Step {
        match &self.packet {
            Some(Ok(_)) => {
                self.stage = Stage::Under;
                Step::Stay(vec![Effect::HandOver(self.from.clone(), self.wish())])
            }
            _ => Step::Stay(Vec::new()),
        }
    }

    /// What is recorded of this handoff.
    fn recorded<'a>(&self, model: &'a Model) -> Option<&'a Handoff> {
        let is_new = |handoff: &&Handoff| handoff.from == self.from && !self.before.contains(&handoff.id);
        model.record().handoffs.iter().rev().find(is_new)
    }

    /// `sent ✓  recorded ✓  answered …`
    fn progress(&self, model: &Model) -> Vec<Span> {
        let handoff = self.recorded(model);
        let is_sent = handoff.is_some_and(|handoff| handoff.to.is_some());
        let is_over = matches!(self.stage, Stage::Over { .. });
        let arrived = |state: &HandoffState| matches!(state, HandoffState::Recorded | HandoffState::Done);
        let is_recorded = is_over || handoff.is_some_and(|handoff| arrived(&handoff.state));
        let has_answered = matches!(self.stage, Stage::Over { answered: true, .. });
        let (yes, no) = if model.app.settings.ascii { ("ok", "..") } else { ("✓", "…") };
        [("sent", is_sent || is_over), ("recorded", is_recorded), ("answered", has_answered)]
            .into_iter()
            .flat_map(|(word, is)| {
                let (role, sign) = if is { (Role::Done, yes) } else { (Role::Dim, no) };
                [span(role, format!("{word} {sign}")), span(Role::Dim, "   ")]
            })
            .collect()
    }

    /// The choices, one line each.
    fn choices(&self, model: &Model) -> Vec<Block> {
        let line = |label: &str, all: &[&str], at: usize, focus: Focus| {
            let focused = self.focus == focus && self.stage == Stage::Choosing;
            let one = |(n, word): (usize, &&str)| {
                let role = if n == at { Role::Accent } else { Role::Dim };
                span(role, if n == at { format!("[{word}]") } else { format!(" {word} ") })
            };
            Block::Choices {
                label: label.to_owned(),
                spans: all.iter().enumerate().map(one).collect(),
                focused,
            }
        };
        let title = |name: &String| {
            let tool = model.app.settings.tools.iter().find(|tool| tool.name == *name);
            tool.map_or_else(|| name.clone(), |tool| text::clean(&tool.title))
        };
        let titles: Vec<String> = self.tools.iter().map(title).collect();
        let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
        vec![
            line("to", &titles, self.at, Focus::To),
            line(
                "then",
                &["it names its next step", "it goes on at once"],
                usize::from(self.go),
                Focus::Then,
            ),
            line("session", &["is stopped", "keeps running"], usize::from(self.keep), Focus::First),
        ]
    }
}

/// The parts of a packet with their tokens, largest first: `What was said last ~1k · Where 90`.
fn parts(packet: &str) -> Vec<Span> {
    let mut all: Vec<(String, u64)> = Vec::new();
    for section in packet.split("\n## ").skip(1) {
        let name = section.lines().next().unwrap_or_default();
        all.push((text::clean(name), estimate(section)));
    }
    all.sort_by_key(|(_, tokens)| std::cmp::Reverse(*tokens));
    let words: Vec<String> =
        all.iter().map(|(name, tokens)| format!("{name} {}", text::thousands(*tokens))).collect();
    let total = text::thousands(estimate(packet));
    vec![span(Role::Title, format!("~{total} tokens")), span(Role::Dim, format!("  {}", words.join(" · ")))]
}

impl Dialog for HandOver {
    fn key(&mut self, key: Key, model: &Model) -> Step {
        let page = lines_left(&[], model).saturating_sub(9).max(1);
        match (key.code, &self.stage) {
            (KeyCode::Esc, _) => return Step::Close,
            (KeyCode::Char('q'), _) if !key.ctrl => return Step::Close,
            (KeyCode::Enter, Stage::Over { to, .. }) => {
                return Step::Select(crate::domain::tree::RowKey::Session(to.clone()));
            }
            (KeyCode::PageDown, _) => self.top += page,
            (KeyCode::PageUp, _) => self.top = self.top.saturating_sub(page),
            (_, Stage::Under | Stage::Over { .. }) => {}
            (KeyCode::Enter, _) => return self.hand_over(),
            (KeyCode::Left | KeyCode::Char('h'), _) => return self.change(false),
            (KeyCode::Right | KeyCode::Char('l' | ' '), _) => return self.change(true),
            (KeyCode::Down | KeyCode::Tab | KeyCode::Char('j'), _) => {
                self.focus = match self.focus {
                    Focus::To => Focus::Then,
                    Focus::Then => Focus::First,
                    Focus::First if key.code == KeyCode::Tab => Focus::To,
                    Focus::First => Focus::First,
                };
            }
            (KeyCode::Up | KeyCode::BackTab | KeyCode::Char('k'), _) => {
                self.focus = match self.focus {
                    Focus::First => Focus::Then,
                    Focus::Then | Focus::To => Focus::To,
                };
            }
            _ => {}
        }
        Step::Stay(Vec::new())
    }

    fn click(&mut self, block: usize, piece: usize, _: &Model) -> Step {
        if self.stage != Stage::Choosing {
            return Step::Stay(Vec::new());
        }
        let focus = match block {
            0 => Focus::To,
            1 => Focus::Then,
            2 => Focus::First,
            _ => return Step::Stay(Vec::new()),
        };
        self.focus = focus;
        match focus {
            Focus::To => self.at = piece.min(self.tools.len().saturating_sub(1)),
            Focus::Then => self.go = piece == 1,
            Focus::First => self.keep = piece == 1,
        }
        Step::Stay(vec![self.asks()])
    }

    fn answer(&mut self, done: &Done, model: &Model) -> Step {
        let word = self.recorded(model).map(|handoff| format!("received {}", handoff.id));
        match done {
            // One that was asked for before something else was chosen is another one.
            Done::Packet(id, wish, packet)
                if *id == self.from && *wish == self.wish() && self.stage == Stage::Choosing =>
            {
                self.packet = Some(packet.clone());
            }
            Done::HandedOver(id, Ok((to, words))) if *id == self.from => {
                self.stage = Stage::Over { to: to.clone(), words: words.clone(), answered: false };
                return Step::Stay(vec![asks_of(to)]);
            }
            Done::HandedOver(id, Err(why)) if *id == self.from => self.stage = Stage::Failed(why.clone()),
            Done::TalkPage(Whose::Session(id), TalkPage::Messages, Ok(PageText::Said(said))) => {
                if let Stage::Over { to, answered, .. } = &mut self.stage
                    && to == id
                {
                    let mut agents = said.iter().filter(|one| one.who == Who::Agent);
                    *answered |= word.is_some_and(|word| agents.any(|one| one.text.contains(&word)));
                }
            }
            _ => {}
        }
        Step::Stay(Vec::new())
    }

    fn polled(&mut self, _: &Model) -> Option<Effect> {
        match &self.stage {
            Stage::Over { to, answered: false, .. } => Some(asks_of(to)),
            // It may have become idle.
            Stage::Choosing if matches!(self.packet, Some(Err(_))) => Some(self.asks()),
            _ => None,
        }
    }

    fn panel(&self, model: &Model) -> Panel {
        let title = model.record().session(&self.from).map(|s| text::clean(&s.title)).unwrap_or_default();
        let mut blocks = self.choices(model);
        blocks.push(Block::Rule);
        match (&self.stage, &self.packet) {
            (Stage::Failed(why), _) => blocks.push(Block::Text(vec![span(Role::Error, text::clean(why))])),
            (Stage::Over { words, .. }, _) => {
                blocks.push(Block::Line(self.progress(model)));
                blocks.push(Block::Text(vec![span(Role::Done, text::clean(words))]));
            }
            (Stage::Under, _) => blocks.push(Block::Line(self.progress(model))),
            (Stage::Choosing, None) => blocks.push(Block::Line(vec![span(Role::Dim, "making the packet…")])),
            (Stage::Choosing, Some(Err(why))) => {
                blocks.push(Block::Text(vec![span(Role::Error, text::clean(why))]));
            }
            (Stage::Choosing, Some(Ok(packet))) => {
                blocks.push(Block::Line(vec![span(Role::Dim, "what goes along  ")]));
                blocks.push(Block::Text(parts(packet)));
            }
        }
        if let Some(Ok(packet)) = &self.packet {
            blocks.push(Block::Rule);
            let lines = markdown::render(packet, inner(WIDTH, model));
            let room = lines_left(&blocks, model).saturating_sub(3).max(1);
            let top = self.top.min(lines.len().saturating_sub(room));
            blocks.extend(lines.into_iter().skip(top).take(room).map(Block::Line));
        }
        let keys = match (&self.stage, &self.packet) {
            (Stage::Choosing | Stage::Failed(_), Some(Ok(_))) => keys(&[
                ("enter", "hand over"),
                ("← →", "choose"),
                ("tab", "next"),
                ("pgdn", "read on"),
                ("esc", "close"),
            ]),
            (Stage::Over { .. }, _) => keys(&[("enter", "go to it"), ("esc", "close")]),
            _ => keys(&[("esc", "close")]),
        };
        Panel { title: format!("Hand over {title}"), keys, blocks, width: WIDTH, ..Panel::default() }
    }
}

/// What asks whether the other agent has answered.
fn asks_of(to: &SessionId) -> Effect {
    Effect::Talk(TalkWork::Read(Whose::Session(to.clone()), TalkPage::Messages))
}
