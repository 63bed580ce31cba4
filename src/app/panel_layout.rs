//! Where the parts of a dialog are: for drawing them and for the mouse.

use unicode_segmentation::UnicodeSegmentation;

use super::geometry::{self, Area};
use super::panel::{BETWEEN, Block, Panel, Place, Span, span};
use super::state::{Layout, Model};
use crate::domain::text;

/// Cells of a field's label.
pub const LABEL: u16 = 10;
/// Cells between a panel's edge and its text.
pub const PAD: u16 = 2;
/// The least columns that a panel beside the capture needs.
const ROOM: u16 = 32;
/// The least columns that a panel below the capture needs.
const DOCKED: u16 = 60;
/// The least rows of a capture above a panel that could be beside it.
const LEFT: u16 = 8;

/// A dialog with the places of its parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PanelLayout {
    /// All of it, with its border.
    pub area: Area,
    /// The part of the screen that it is put into.
    pub room: Area,
    /// Where its title is.
    pub title: (u16, u16),
    /// Columns of its lines.
    pub inner: u16,
    /// Its keys with their places: what is shown, and what it does.
    pub keys: Vec<(Area, String, String)>,
    /// Its lines.
    pub rows: Vec<PanelRow>,
    /// How many more lines are below; none where its keys say so.
    pub below: usize,
}

/// A line of a dialog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PanelRow {
    pub y: u16,
    /// What is in this line.
    pub block: Block,
    /// Which of the panel's blocks it is a part of.
    pub source: usize,
    /// How many pieces of a line of choices are in the lines before.
    pub before: usize,
}

/// Lays out a dialog.
pub fn layout(model: &Model, panel: &Panel) -> PanelLayout {
    let (width, height) = model.app.size;
    let screen = Area::new(0, 0, width, height);
    let dock = dock(model, panel);
    let docked = dock.is_some();
    let room = match (dock, panel.place) {
        (Some(dock), _) => dock,
        (None, Place::BesideCapture) => beside_capture(model, screen),
        (None, _) => screen,
    };
    let width = if docked { room.width } else { panel.width.min(room.width.saturating_sub(2)) };
    let inner = width.saturating_sub(PAD * 2);
    let wrapped = wrap(panel, inner);
    let rows = u16::try_from(wrapped.len()).unwrap_or(u16::MAX);
    // A docked panel has its title on its edge.
    let edges = if docked { 2 } else { 4 };
    let height = rows.saturating_add(edges).min(room.height);
    let x = room.x + (room.width - width) / 2;
    let y = if docked { room.bottom() - height } else { room.y + (room.height - height) / 3 };
    let area = Area::new(x, y, width, height);
    let (title_y, first_row) = if docked { (y, y + 1) } else { (y + 1, y + 3) };
    let title_width = text::cells(&text::clean(&panel.title));
    let keys_width: usize = panel.keys.iter().map(|(k, d)| text::cells(k) + text::cells(d) + 4).sum();
    let head_fits = title_width + keys_width < usize::from(inner);
    // Beside the title where there is room, else below everything.
    let keys_width = u16::try_from(keys_width).unwrap_or(u16::MAX).min(inner);
    let keys = if head_fits {
        key_places(&panel.keys, (area.right() - PAD).saturating_sub(keys_width), title_y)
    } else {
        key_places(&panel.keys, x + PAD, area.bottom().saturating_sub(1))
    };
    let shown = usize::from(area.height.saturating_sub(edges));
    // What has the focus is always seen.
    let focus = wrapped.iter().rposition(|r| r.block.has_focus()).unwrap_or(0);
    let first = (focus + 1).saturating_sub(shown).min(wrapped.len().saturating_sub(shown));
    let below = if head_fits { wrapped.len().saturating_sub(first + shown) } else { 0 };
    let visible = wrapped.into_iter().skip(first).take(shown);
    let rows = (first_row..).zip(visible).map(|(y, row)| PanelRow { y, ..row }).collect();
    PanelLayout { area, room, title: (x + PAD, title_y), inner, keys, rows, below }
}

/// Without the blanks at the end of a line: they have no room there.
fn trimmed(mut line: Vec<Span>) -> Vec<Span> {
    if let Some(last) = line.last_mut() {
        last.text.truncate(last.text.trim_end().len());
    }
    line
}

fn key_places(keys: &[(String, String)], mut x: u16, y: u16) -> Vec<(Area, String, String)> {
    let place = |(key, does): &(String, String)| {
        let width = u16::try_from(text::cells(key) + text::cells(does) + 1).unwrap_or(u16::MAX);
        let area = Area::new(x, y, width, 1);
        x = x.saturating_add(width + 3);
        (area, key.clone(), does.clone())
    };
    keys.iter().map(place).collect()
}

/// The part of the TUI at whose bottom a dialog is docked, if it is.
fn dock(model: &Model, panel: &Panel) -> Option<Area> {
    let (width, height) = model.app.size;
    // Without the footer.
    let whole = Area::new(0, 0, width, height.saturating_sub(1));
    let g = geometry::of(model);
    let column = Area { x: g.capture.x, width: g.capture.width, ..whole };
    let is_wide = model.layout() == Layout::Wide;
    match panel.place {
        Place::Middle => None,
        Place::Bottom => Some(whole),
        Place::BelowCapture if is_wide && g.capture.width >= DOCKED => Some(column),
        Place::BelowCapture => Some(whole),
        Place::BesideCapture => {
            let rows = wrap(panel, column.width.saturating_sub(PAD * 2)).len() + 2;
            let left = usize::from(column.bottom().saturating_sub(g.capture.y)).checked_sub(rows)?;
            (is_wide && g.capture.width >= ROOM && left >= usize::from(LEFT)).then_some(column)
        }
    }
}

/// The part of the TUI that isn't the session's capture, where that leaves room for a panel.
fn beside_capture(model: &Model, screen: Area) -> Area {
    let g = geometry::of(model);
    match model.layout() {
        Layout::Wide if g.list.width >= ROOM => Area { width: g.list.width, ..screen },
        Layout::Medium if g.capture.height > 0 => Area { height: g.capture.y, ..screen },
        _ => screen,
    }
}

/// The parts of the TUI while a panel is docked: what is above it is the session's capture, which takes the place of a
/// list that leaves it no room.
pub fn geometry_above(model: &Model, panel: &Panel) -> geometry::Geometry {
    let mut g = geometry::of(model);
    if dock(model, panel).is_none() || model.session().is_none() {
        return g;
    }
    let top = layout(model, panel).area.y;
    if model.layout() != Layout::Wide {
        let (y, width) = (g.top_rule.y + 1, g.top_rule.width);
        (g.list, g.divider) = (Area::default(), Area::default());
        g.set_preview(Area::new(0, y, width, top.saturating_sub(y)));
    }
    g.capture.height = g.capture.height.min(top.saturating_sub(g.capture.y));
    g
}

/// Which piece of a line of choices, or of a row, is at a column; `x` is where the line begins.
pub fn piece_at(block: &Block, x: u16, column: u16) -> usize {
    let (spans, indent) = match block {
        Block::Choices { spans, .. } => (spans, LABEL),
        // A mark is in front of it.
        Block::Item { spans, .. } => (spans, 2),
        _ => return 0,
    };
    let mut end = usize::from(x + indent);
    let ends = spans.iter().map(|s| {
        end += text::cells(&s.text);
        end
    });
    ends.take_while(|end| *end <= usize::from(column)).count()
}

impl Block {
    /// Whether it is what the user works on.
    pub fn has_focus(&self) -> bool {
        match self {
            Self::Field { caret, .. } => caret.is_some(),
            Self::Choices { focused, .. } => *focused,
            Self::Item { selected, .. } | Self::Choice { selected, .. } => *selected,
            Self::Line(_) | Self::Text(_) | Self::Rule | Self::Gap => false,
        }
    }
}

/// Lines that are too wide become several.
fn wrap(panel: &Panel, width: u16) -> Vec<PanelRow> {
    let mut out = Vec::new();
    for (source, block) in panel.blocks.iter().enumerate() {
        let mut push = |block: Block, before: usize| out.push(PanelRow { y: 0, block, source, before });
        match block {
            Block::Text(spans) | Block::Line(spans) if cells(spans) > usize::from(width) => {
                wrap_spans(spans, usize::from(width)).into_iter().for_each(|line| push(Block::Line(line), 0));
            }
            Block::Choices { label, spans, focused } => {
                let room = usize::from(width.saturating_sub(LABEL));
                let mut before = 0;
                for (i, spans) in between_spans(spans, room).into_iter().enumerate() {
                    let label = if i == 0 { label.clone() } else { String::new() };
                    let pieces = spans.len();
                    push(Block::Choices { label, spans, focused: *focused }, before);
                    before += pieces;
                }
            }
            Block::Text(spans) => push(Block::Line(spans.clone()), 0),
            Block::Choice { lead, spans, selected } => {
                let indent = text::cells(&lead.text);
                // An item begins with two cells of its own.
                let room = usize::from(width).saturating_sub(indent + 2);
                for (i, line) in wrap_spans(spans, room).into_iter().enumerate() {
                    let mut spans = trimmed(line);
                    let blank = || span(lead.role, " ".repeat(indent));
                    spans.insert(0, if i == 0 { lead.clone() } else { blank() });
                    push(Block::Item { spans, right: Vec::new(), selected: *selected }, 0);
                }
            }
            Block::Item { spans, right, selected } if !panel.one_line => {
                let end = cells(right) + usize::from(!right.is_empty());
                let room = usize::from(width).saturating_sub(2 + end).max(8);
                for (i, line) in wrap_spans(spans, room).into_iter().enumerate() {
                    let right = if i == 0 { right.clone() } else { Vec::new() };
                    push(Block::Item { spans: trimmed(line), right, selected: *selected }, 0);
                }
            }
            other => push(other.clone(), 0),
        }
    }
    out
}

fn cells(spans: &[Span]) -> usize {
    spans.iter().map(|s| text::cells(&s.text)).sum()
}

/// Breaks a line of choices between them.
pub(super) fn between_spans(spans: &[Span], width: usize) -> Vec<Vec<Span>> {
    let mut lines: Vec<Vec<Span>> = vec![Vec::new()];
    let mut used = 0;
    for s in spans {
        // A blank that is part of a choice keeps its room.
        let cells = text::cells(s.text.strip_suffix(BETWEEN).unwrap_or(&s.text));
        if used + cells > width && used > 0 {
            lines.push(Vec::new());
            used = 0;
        }
        used += text::cells(&s.text);
        if let Some(line) = lines.last_mut() {
            line.push(s.clone());
        }
    }
    lines
}

/// Breaks pieces of text between words.
pub fn wrap_spans(spans: &[Span], width: usize) -> Vec<Vec<Span>> {
    let mut lines: Vec<Vec<Span>> = vec![Vec::new()];
    let mut used = 0;
    for s in spans {
        for word in text::clean(&s.text).split_inclusive(' ').flat_map(|word| pieces(word, width)) {
            let cells = text::cells(&word);
            if used + text::cells(word.trim_end()) > width && used > 0 {
                lines.push(Vec::new());
                used = 0;
            }
            used += cells;
            if let Some(line) = lines.last_mut() {
                line.push(span(s.role, word));
            }
        }
    }
    lines
}

/// A word in pieces that each fit a line.
fn pieces(word: &str, width: usize) -> Vec<String> {
    let mut out = vec![String::new()];
    for grapheme in word.graphemes(true) {
        let last = out.last().map_or(0, |piece| text::cells(piece));
        if grapheme != " " && last > 0 && last + text::cells(grapheme) > width {
            out.push(String::new());
        }
        if let Some(piece) = out.last_mut() {
            piece.push_str(grapheme);
        }
    }
    out
}
