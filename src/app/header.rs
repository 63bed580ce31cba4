//! The two lines above everything: how many sessions there are of each kind, and who needs the user.
//!
//! Both are data with their places, for drawing them and for the mouse.

use super::geometry;
use super::panel::{Role, Span, span};
use super::state::Model;
use crate::domain::id::SessionId;
use crate::domain::session::Session;
use crate::domain::status::StatusKind;
use crate::domain::{age, text};
use crate::ops::SessionState;

/// The kinds that are counted.
const COUNTED: [StatusKind; 5] =
    [StatusKind::Asks, StatusKind::Failed, StatusKind::Done, StatusKind::Running, StatusKind::Idle];
/// Blanks between two counts, and behind the last.
const GAP: usize = 3;

/// How many sessions are of a kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counter {
    /// The kind.
    pub kind: StatusKind,
    /// How many.
    pub count: usize,
    /// The word behind the number; empty where there is no room.
    pub word: &'static str,
    /// Its first column.
    pub x: u16,
    /// Its columns.
    pub width: u16,
}

/// Name, profile, and what is shown alone or marked.
pub fn title(model: &Model) -> Vec<Span> {
    let mut spans = vec![span(Role::Accent, " deck"), span(Role::Text, format!("  {}", model.profile.name))];
    let filter = &model.view.filter;
    let mut only = Vec::new();
    only.extend(filter.only.map(|f| format!("only {}", f.word)));
    if !filter.words.is_empty() && !model.mode.is_find() {
        only.push(format!("/{}", text::clean(&filter.words)));
    }
    if !only.is_empty() {
        spans.push(span(Role::Match, format!("  {}", only.join(" "))));
    }
    let marked = model.profile.marked.len();
    if marked > 0 {
        spans.push(span(Role::Match, format!("  {marked} marked")));
    }
    if !only.is_empty() || marked > 0 {
        spans.push(span(Role::Dim, CLEARS));
    }
    spans
}

/// What leaves what is shown alone or marked.
const CLEARS: &str = " · esc clears";

/// Where that is on the first line, and how wide.
pub fn clears(model: &Model) -> Option<(u16, u16)> {
    let spans = title(model);
    let (last, before) = spans.split_last()?;
    let cells = |of: &[Span]| of.iter().map(|s| text::cells(&s.text)).sum::<usize>();
    let x = geometry::of(model).header.x + u16::try_from(cells(before)).ok()?;
    (last.text == CLEARS).then(|| (x, u16::try_from(text::cells(CLEARS)).unwrap_or(0)))
}

/// The counts at the right end of the first line: with their words if all of them have room, and as many as
/// have.
pub fn counters(model: &Model) -> Vec<Counter> {
    let area = geometry::of(model).header;
    let name: usize = title(model).iter().map(|s| text::cells(&s.text)).sum();
    let room = usize::from(area.width).saturating_sub(name + 2);
    let mut counts = COUNTED.map(|kind| (kind, 0)).to_vec();
    for state in model.profile.snapshot.states.values() {
        let kind = state.verdict.kind();
        counts.iter_mut().filter(|(k, _)| *k == kind).for_each(|(_, n)| *n += 1);
    }
    counts.retain(|(_, n)| *n > 0);
    let cells = |(kind, n): &(StatusKind, usize), words: bool| {
        // The glyph, a blank, the number; a blank and the word.
        2 + n.to_string().len() + if words { 1 + kind.word().len() } else { 0 }
    };
    let total = |words| counts.iter().map(|c| cells(c, words) + GAP).sum::<usize>();
    let words = total(true) <= room;
    let mut shown = Vec::new();
    let mut used = 0;
    for one in &counts {
        let width = cells(one, words);
        if used + width + GAP > room {
            break;
        }
        shown.push((*one, used, width));
        used += width + GAP;
    }
    let from = usize::from(area.right()).saturating_sub(used);
    let place = |((kind, count), x, width): ((StatusKind, usize), usize, usize)| Counter {
        kind,
        count,
        word: if words { kind.word() } else { "" },
        x: u16::try_from(from + x).unwrap_or(u16::MAX),
        width: u16::try_from(width).unwrap_or(u16::MAX),
    };
    shown.into_iter().map(place).collect()
}

/// The words at the beginning of the attention line.
pub const NEEDS_YOU: &str = " needs you";
/// The most cells of a title there.
const TITLE: usize = 24;
/// The cells of a question or a reason that are worth more than another name; fewer where even one name has
/// no room otherwise.
const FEW: [usize; 3] = [18, 12, 0];
/// The cells of a question or a reason where nobody loses their place by it.
const MANY: [usize; 3] = [48, 36, 26];

/// One session on the attention line.
#[derive(Debug)]
pub struct Needy {
    /// The session.
    pub id: SessionId,
    /// What it is shown as.
    pub kind: StatusKind,
    /// Its title, cut.
    pub title: String,
    /// What it asks, why it failed, or since when it is done.
    pub detail: String,
    /// Its first column.
    pub x: u16,
    /// Its columns.
    pub width: u16,
}

impl Needy {
    /// Cut so that what it asks or why it failed has at most `detail` cells.
    fn of(model: &Model, (session, state): &(&Session, &SessionState), detail: usize) -> Self {
        let kind = state.verdict.kind();
        let title = text::fit(&text::clean(&session.title), TITLE);
        let words = match kind {
            StatusKind::Done => age::age(model.app.now, state.verdict.since),
            _ => text::fit(&about(state), detail),
        };
        // Three blanks, the glyph, a blank; the title; a blank and what is behind it.
        let behind = if words.is_empty() { 0 } else { 1 + text::cells(&words) };
        let width = u16::try_from(5 + text::cells(&title) + behind).unwrap_or(u16::MAX);
        Self { id: session.id.clone(), kind, title, detail: words, x: 0, width }
    }
}

/// What a session asks or why it failed, on one line; its reason where it doesn't say.
fn about(state: &SessionState) -> String {
    let v = &state.verdict;
    let asks = v.asks.as_ref().map(|a| text::clean(a).trim().to_owned()).filter(|a| !a.is_empty());
    asks.or_else(|| v.reason.as_ref().map(ToString::to_string)).unwrap_or_default()
}

/// Who is on the attention line, and how many more there are.
pub fn attention(model: &Model) -> (Vec<Needy>, usize) {
    let area = geometry::of(model).attention;
    let all = model.attention();
    let begin = area.x + u16::try_from(text::cells(NEEDS_YOU)).unwrap_or(0);
    let placed = |detail: usize| {
        let mut x = begin;
        let mut shown = Vec::new();
        for (at, one) in all.iter().enumerate() {
            let needy = Needy { x, ..Needy::of(model, one, detail) };
            let rest = if at + 1 < all.len() { MORE } else { 1 };
            if x.saturating_add(needy.width).saturating_add(rest) > area.right() {
                break;
            }
            x += needy.width;
            shown.push(needy);
        }
        shown
    };
    // As many as have room with a few words each; then as many words as have room.
    let few = FEW.into_iter().map(placed).find(|shown| !shown.is_empty()).unwrap_or_default();
    let more_words = MANY.into_iter().map(placed).find(|shown| shown.len() >= few.len());
    let shown = more_words.unwrap_or(few);
    let more = all.len() - shown.len();
    (shown, more)
}

/// Cells of the place that shows how many more there are.
const MORE: u16 = 6;
