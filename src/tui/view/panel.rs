//! Dialogs: a panel over a faded TUI.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Span;
use unicode_segmentation::UnicodeSegmentation;

use super::Canvas;
use crate::app::{Block, Layout, Panel, Role, geometry_of};
use crate::domain::text;

/// Cells of a field's label.
const LABEL: u16 = 10;
/// The least columns that a panel beside the capture needs.
const ROOM: u16 = 32;
/// The least rows of a capture above a panel.
const LEFT: u16 = 8;
/// Cells between a panel's edge and its text.
const PAD: u16 = 2;

impl Canvas<'_> {
    /// Draws everything below a dialog faintly.
    pub(super) fn fade(&self, buffer: &mut Buffer, area: Rect, panel: &Panel) {
        let faint = self.theme.style(Role::Faint);
        let capture = geometry_of(self.model).capture;
        for y in area.top()..area.bottom() {
            for x in area.left()..area.right() {
                if panel.spares_picture && capture.has(x, y) {
                    continue;
                }
                if let Some(cell) = buffer.cell_mut((x, y)) {
                    cell.set_style(ratatui::style::Style::reset());
                    cell.set_style(faint);
                }
            }
        }
    }

    /// Draws a dialog. Returns where its caret is.
    pub(super) fn panel(&self, buffer: &mut Buffer, screen: Rect, panel: &Panel) -> Option<(u16, u16)> {
        let docked = self.docked(panel);
        let room = match docked {
            Some(place) => place,
            None if panel.spares_picture => self.beside_picture(screen),
            None => screen,
        };
        let width = panel.width.min(room.width.saturating_sub(2));
        let (width, rows) = docked.map_or_else(|| (width, self.rows(panel, width)), |d| (d.width, d.height));
        let inner = width.saturating_sub(PAD * 2);
        let wrapped = self.wrap(&panel.blocks, inner);
        let height = rows.min(room.height);
        let x = room.x + (room.width - width) / 2;
        let y = room.y + (room.height - height) / 3;
        let area = Rect::new(x, y, width, height);
        self.clear(buffer, room, area);
        let title = text::fit(&text::clean(&panel.title), usize::from(inner));
        let keys = self.panel_keys(&panel.keys);
        let keys_width: usize = keys.iter().map(Span::width).sum();
        let head_fits = text::cells(&title) + keys_width < usize::from(inner);
        // Beside the title where there is room, else below everything.
        if head_fits {
            self.put_right(buffer, area.right() - PAD, y + 1, inner, keys);
        } else {
            self.put(buffer, x + PAD, area.bottom().saturating_sub(1), inner, keys);
        }
        self.put(buffer, x + PAD, y + 1, inner, vec![self.span(Role::Title, title)]);
        let mut cursor = None;
        let shown = usize::from(area.height.saturating_sub(4));
        // What has the focus is always seen.
        let focus = wrapped.iter().rposition(has_focus).unwrap_or(0);
        let first = (focus + 1).saturating_sub(shown).min(wrapped.len().saturating_sub(shown));
        let below = wrapped.len().saturating_sub(first + shown);
        if below > 0 && head_fits {
            let words = vec![self.span(Role::Faint, format!("{below} more"))];
            self.put_right(buffer, area.right() - PAD, area.bottom().saturating_sub(1), inner, words);
        }
        for (row, block) in (y + 3..area.bottom().saturating_sub(1)).zip(wrapped.iter().skip(first)) {
            let at = self.block(buffer, x + PAD, row, inner, block);
            cursor = cursor.or(at);
        }
        if self.model.app.settings.ascii {
            super::plain::letters(buffer, area);
        }
        cursor
    }

    /// The rows that a dialog takes at a width.
    fn rows(&self, panel: &Panel, width: u16) -> u16 {
        let wrapped = self.wrap(&panel.blocks, width.saturating_sub(PAD * 2)).len();
        u16::try_from(wrapped).unwrap_or(u16::MAX).saturating_add(4)
    }

    /// The place at the bottom of the preview for a dialog about what is shown there, where that leaves enough of
    /// it to be read: the end of the capture is drawn above.
    pub(super) fn docked(&self, panel: &Panel) -> Option<Rect> {
        let g = geometry_of(self.model);
        if !panel.spares_picture || self.model.layout() != Layout::Wide || g.capture.width < ROOM {
            return None;
        }
        let width = g.capture.width;
        let height = self.rows(panel, width);
        let left = g.capture.height.checked_sub(height).filter(|left| *left >= LEFT)?;
        Some(Rect::new(g.capture.x, g.capture.y + left, width, height))
    }

    /// The part of the TUI that isn't the session's capture, where that leaves room for a panel.
    fn beside_picture(&self, screen: Rect) -> Rect {
        let g = geometry_of(self.model);
        match self.model.layout() {
            Layout::Wide if g.list.width >= ROOM => Rect { width: g.list.width, ..screen },
            Layout::Medium if g.capture.height > 0 => Rect { height: g.capture.y, ..screen },
            _ => screen,
        }
    }

    /// Blanks the panel's area in its own background, with a border, so that its edge is seen.
    fn clear(&self, buffer: &mut Buffer, screen: Rect, area: Rect) {
        let style = self.theme.style(Role::Panel);
        // Where little of the TUI is left beside it, torn words are worse than nothing.
        let beside = screen.width.saturating_sub(area.width);
        let row = if beside < screen.width / 3 {
            (screen.x, screen.width)
        } else {
            // A blank at both sides, so that nothing of the TUI below touches it.
            let from = area.x.saturating_sub(1);
            (from, area.right() + 1 - from)
        };
        for y in area.top()..area.bottom() {
            let width = usize::from(row.1);
            buffer.set_stringn(row.0, y, " ".repeat(width), width, ratatui::style::Style::reset());
        }
        use ratatui::widgets::{Block as Border, Widget};
        Border::bordered().border_style(self.theme.style(Role::Border)).render(area, buffer);
        buffer.set_style(area, style);
    }

    fn panel_keys(&self, keys: &[(String, String)]) -> Vec<Span<'static>> {
        keys.iter()
            .flat_map(|(key, does)| {
                [self.span(Role::Key, key.clone()), self.span(Role::Dim, format!(" {does}   "))]
            })
            .collect()
    }

    /// Lines that are too wide become several.
    fn wrap(&self, blocks: &[Block], width: u16) -> Vec<Block> {
        let mut out = Vec::new();
        for block in blocks {
            match block {
                Block::Line(spans) => {
                    let total: usize = spans.iter().map(|s| text::cells(&s.text)).sum();
                    if total <= usize::from(width) {
                        out.push(block.clone());
                        continue;
                    }
                    out.extend(wrap_spans(spans, usize::from(width)).into_iter().take(4).map(Block::Line));
                }
                Block::Choices { label, spans, focused } => {
                    let room = usize::from(width.saturating_sub(LABEL));
                    for (i, spans) in between_spans(spans, room).into_iter().enumerate() {
                        let label = if i == 0 { label.clone() } else { String::new() };
                        out.push(Block::Choices { label, spans, focused: *focused });
                    }
                }
                Block::Text(spans) => {
                    out.extend(wrap_spans(spans, usize::from(width)).into_iter().map(Block::Line));
                }
                Block::Choice { lead, spans, selected } => {
                    let indent = text::cells(&lead.text);
                    // An item begins with two cells of its own.
                    let room = usize::from(width).saturating_sub(indent + 2);
                    for (i, mut line) in wrap_spans(spans, room).into_iter().enumerate() {
                        // The blank at its end may have no room.
                        if let Some(last) = line.last_mut() {
                            last.text.truncate(last.text.trim_end().len());
                        }
                        let blank = || crate::app::span(lead.role, " ".repeat(indent));
                        line.insert(0, if i == 0 { lead.clone() } else { blank() });
                        out.push(Block::Item { spans: line, right: Vec::new(), selected: *selected });
                    }
                }
                other => out.push(other.clone()),
            }
        }
        out
    }

    fn block(&self, buffer: &mut Buffer, x: u16, y: u16, width: u16, block: &Block) -> Option<(u16, u16)> {
        let is_labelled = match block {
            Block::Field { label, .. } | Block::Choices { label, .. } => !label.is_empty(),
            _ => false,
        };
        if is_labelled && has_focus(block) {
            // Not by colour alone.
            buffer.set_string(x.saturating_sub(1), y, "▌", self.theme.style(Role::Accent));
        }
        match block {
            Block::Gap => {}
            Block::Rule => {
                buffer.set_string(x, y, "─".repeat(usize::from(width)), self.theme.style(Role::Border));
            }
            Block::Line(spans) | Block::Text(spans) | Block::Choice { spans, .. } => {
                self.put(buffer, x, y, width, self.spans(spans));
            }
            Block::Item { spans, right, selected } => {
                let used = self.put_right(buffer, x + width, y, width / 3, self.spans(right));
                let lead = if *selected { "▌ " } else { "  " };
                let mut all = vec![self.span(Role::Accent, lead)];
                let room = width.saturating_sub(used + u16::from(used > 0));
                let mut left = usize::from(room).saturating_sub(text::cells(lead));
                for s in self.spans(spans) {
                    let shown = text::fit(&s.content, left);
                    left = left.saturating_sub(text::cells(&shown));
                    all.push(Span::styled(shown, s.style));
                }
                self.put(buffer, x, y, room, all);
                if *selected {
                    buffer.set_style(Rect::new(x, y, width, 1), self.theme.style(Role::Selection));
                    return Some((x, y));
                }
            }
            Block::Choices { label, spans, focused } => {
                let role = if *focused { Role::Accent } else { Role::Dim };
                self.put(buffer, x, y, LABEL, vec![self.span(role, label.clone())]);
                self.put(buffer, x + LABEL, y, width.saturating_sub(LABEL), self.spans(spans));
                return focused.then_some((x + LABEL, y));
            }
            Block::Field { label, text, caret, note } => {
                return self.field(buffer, (x, y, width), label, text, *caret, note.as_ref());
            }
        }
        None
    }

    fn field(
        &self,
        buffer: &mut Buffer,
        (x, y, width): (u16, u16, u16),
        label: &str,
        value: &str,
        caret: Option<usize>,
        note: Option<&crate::app::Span>,
    ) -> Option<(u16, u16)> {
        let indent = if label.is_empty() { 0 } else { LABEL };
        let role = if caret.is_some() { Role::Accent } else { Role::Dim };
        self.put(buffer, x, y, indent, vec![self.span(role, label.to_owned())]);
        let room = usize::from(width.saturating_sub(indent));
        let value = text::clean(value);
        let note_cells = note.map_or(0, |n| text::cells(&n.text) + 3);
        // An error is never cut; a long value scrolls so that the caret is seen.
        let is_error = note.is_some_and(|n| n.role == Role::Error);
        let least = if is_error { room / 3 } else { text::cells(&value) + 1 };
        let for_value = room.saturating_sub(note_cells).max(least).max(8).min(room);
        let (shown, at) = scroll(&value, caret, for_value);
        let used =
            self.put(buffer, x + indent, y, width.saturating_sub(indent), vec![self.span(Role::Text, shown)]);
        if let Some(note) = note {
            let from = x + indent + used + 3;
            let left = (x + width).saturating_sub(from);
            let words = text::fit(&note.text, usize::from(left));
            self.put(buffer, from, y, left, vec![self.span(note.role, words)]);
        }
        at.map(|cells| (x + indent + u16::try_from(cells).unwrap_or(0), y))
    }

    fn spans(&self, spans: &[crate::app::Span]) -> Vec<Span<'static>> {
        spans.iter().map(|s| self.span(s.role, text::clean(&s.text))).collect()
    }
}

/// Whether a line is what the user works on.
fn has_focus(block: &Block) -> bool {
    match block {
        Block::Field { caret, .. } => caret.is_some(),
        Block::Choices { focused, .. } => *focused,
        Block::Item { selected, .. } | Block::Choice { selected, .. } => *selected,
        Block::Line(_) | Block::Text(_) | Block::Rule | Block::Gap => false,
    }
}

/// The part of a value that is shown, and the caret's cell in it.
fn scroll(value: &str, caret: Option<usize>, room: usize) -> (String, Option<usize>) {
    let Some(caret) = caret else { return (text::fit(value, room), None) };
    let before: String = value.chars().take(caret).collect();
    let mut from = 0;
    while text::cells(&before.chars().skip(from).collect::<String>()) + 1 > room {
        from += 1;
    }
    // A mark where something was cut off.
    let shown: String = match from {
        0 => value.to_owned(),
        from => std::iter::once('…').chain(value.chars().skip(from + 1)).collect(),
    };
    let at = text::cells(&before.chars().skip(from).collect::<String>());
    let mut cut = String::new();
    for c in shown.chars() {
        if text::cells(&cut) + text::cells(c.encode_utf8(&mut [0; 4])) > room {
            break;
        }
        cut.push(c);
    }
    (cut, Some(at))
}

/// Breaks a line of choices between them.
fn between_spans(spans: &[crate::app::Span], width: usize) -> Vec<Vec<crate::app::Span>> {
    let mut lines: Vec<Vec<crate::app::Span>> = vec![Vec::new()];
    let mut used = 0;
    for s in spans {
        let cells = text::cells(s.text.trim_end());
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
pub(super) fn wrap_spans(spans: &[crate::app::Span], width: usize) -> Vec<Vec<crate::app::Span>> {
    let mut lines: Vec<Vec<crate::app::Span>> = vec![Vec::new()];
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
                line.push(crate::app::span(s.role, word));
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
