//! Why a session has its status: what each source reports, and whether that was used. It is updated while
//! it is open.

use super::{Dialog, Step, keys};
use crate::app::key::{Key, KeyCode};
use crate::app::panel::{Block, Panel, Role, Span, role_of, span};
use crate::app::state::Model;
use crate::domain::id::SessionId;
use crate::domain::status::EvidenceOutcome;
use crate::domain::{age, text};
use crate::ops::{evidence_words, seen_words};

/// The width it would like, in cells.
const WIDTH: u16 = 96;

/// Explains one session's status.
#[derive(Debug)]
pub struct Explain {
    session: SessionId,
    /// How many lines are scrolled away.
    top: usize,
}

impl Explain {
    /// Of this session, whichever is selected later.
    pub const fn new(session: SessionId) -> Self {
        Self { session, top: 0 }
    }

    fn blocks(&self, model: &Model) -> Option<Vec<Block>> {
        let session = model.record().session(&self.session)?;
        let state = model.state(&self.session)?;
        let v = &state.verdict;
        let reason = v.reason.as_ref().map(|r| format!(" · {r}")).unwrap_or_default();
        let since = format!("   for {}", age::running(model.app.now, v.since));
        let glyph = model.glyph(v.kind());
        let mut blocks = vec![Block::Line(vec![
            span(role_of(v.kind()), format!("{glyph} {}{reason}", v.status)),
            span(Role::Dim, since),
        ])];
        if let Some(at) = v.unsure {
            let words = format!("unconfirmed for {}", age::running(model.app.now, at));
            blocks.push(Block::Line(vec![span(Role::Waiting, words)]));
        }
        if let Some(asks) = &v.asks {
            blocks.push(Block::Line(vec![span(Role::Text, text::clean(asks))]));
        }
        blocks.push(Block::Rule);
        // Without the edges of the dialog and the blanks beside them.
        let room = usize::from(model.app.size.0.saturating_sub(2).min(WIDTH)).saturating_sub(4);
        for (evidence, outcome) in state.explained(session, model.app.now) {
            let words = evidence_words(evidence, outcome, model.app.now);
            let decides = outcome == EvidenceOutcome::Decides;
            let (title, role) = if decides { (Role::Title, Role::Accent) } else { (Role::Text, Role::Dim) };
            let says = vec![span(title, text::pad(words.source, 12)), span(Role::Text, words.says)];
            let right = vec![span(Role::Dim, format!("{}  ", words.age)), span(role, words.outcome)];
            let cells = |spans: &[Span]| spans.iter().map(|s| text::cells(&s.text)).sum::<usize>();
            // A row gives its right end a third.
            if cells(&right) <= room / 3 && cells(&says) + cells(&right) + 3 <= room {
                blocks.push(Block::Item { spans: says, right, selected: false });
            } else {
                let indent = |mut spans: Vec<Span>, by: usize| {
                    spans.insert(0, span(Role::Dim, " ".repeat(by)));
                    Block::Line(spans)
                };
                blocks.extend([indent(says, 2), indent(right, 14)]);
            }
            if !words.detail.is_empty() {
                // What has no room beside the column of sources takes several lines.
                let fits = text::cells(&words.detail) + 12 <= room;
                let indent = " ".repeat(if fits { 12 } else { 2 });
                blocks.push(Block::Line(vec![span(Role::Faint, format!("{indent}{}", words.detail))]));
            }
        }
        if state.evidence.is_empty() {
            blocks.push(Block::Line(vec![span(Role::Dim, "no source has reported anything yet")]));
        }
        if let Some(at) = state.acknowledged_at {
            blocks.push(Block::Gap);
            let words = seen_words(at, v.since, model.app.now);
            blocks.push(Block::Line(vec![span(Role::Dim, words)]));
        }
        Some(blocks)
    }
}

impl Dialog for Explain {
    fn key(&mut self, key: Key, model: &Model) -> Step {
        let last = self.blocks(model).map_or(0, |b| b.len().saturating_sub(1));
        match key.code {
            KeyCode::Esc | KeyCode::Enter | KeyCode::Char('E' | 'q') => return Step::Close,
            KeyCode::Down | KeyCode::Char('j') => self.top = (self.top + 1).min(last),
            KeyCode::Up | KeyCode::Char('k') => self.top = self.top.saturating_sub(1),
            _ => {}
        }
        Step::Stay(Vec::new())
    }

    fn panel(&self, model: &Model) -> Panel {
        let title = model.record().session(&self.session).map(|s| text::clean(&s.title));
        let gone = || vec![Block::Line(vec![span(Role::Dim, "not checked yet")])];
        Panel {
            title: format!("Why {}", title.unwrap_or_default()),
            keys: keys(&[("esc", "close")]),
            blocks: self.blocks(model).unwrap_or_else(gone).into_iter().skip(self.top).collect(),
            width: WIDTH,
            one_line: true,
            ..Panel::default()
        }
    }
}
