//! Dialogs: a panel over a faded TUI.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Span;

use super::{Canvas, rect};
use crate::app::{Area, Block, LABEL, PAD, Panel, PanelLayout, Place, Role};
use crate::domain::text;

impl Canvas<'_> {
    /// Draws everything below a dialog faintly.
    pub(super) fn fade(&self, buffer: &mut Buffer, area: Rect, panel: &Panel, capture: Area) {
        let faint = self.theme.style(Role::Faint);
        for y in area.top()..area.bottom() {
            for x in area.left()..area.right() {
                if panel.place != Place::Middle && capture.has(x, y) {
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
    pub(super) fn panel(&self, buffer: &mut Buffer, panel: &Panel, laid: &PanelLayout) -> Option<(u16, u16)> {
        let area = rect(laid.area);
        self.clear(buffer, rect(laid.room), area);
        for (at, key, does) in &laid.keys {
            // On an edge a blank at both sides.
            let on_edge = u16::from(at.y == area.y || at.y + 1 == area.bottom());
            let room = (area.right() - PAD).saturating_sub(at.x) + on_edge * 2;
            let words = vec![
                self.span(Role::Key, format!("{}{key}", " ".repeat(on_edge.into()))),
                self.span(Role::Dim, format!(" {does}{}", " ".repeat(on_edge.into()))),
            ];
            self.put(buffer, at.x - on_edge, at.y, room, words);
        }
        let (x, y) = laid.title;
        let title = text::fit(&text::clean(&panel.title), usize::from(laid.inner));
        let on_edge = y == area.y;
        let title = if on_edge { format!(" {title} ") } else { title };
        self.put(buffer, x - u16::from(on_edge), y, laid.inner, vec![self.span(Role::Title, title)]);
        if laid.below > 0 {
            let words = vec![self.span(Role::Faint, format!("{} more", laid.below))];
            self.put_right(buffer, area.right() - PAD, area.bottom().saturating_sub(1), laid.inner, words);
        }
        let mut cursor = None;
        for row in &laid.rows {
            let at = self.block(buffer, x, row.y, laid.inner, &row.block);
            // What is typed goes into a field, whichever row is selected.
            let is_field = matches!(row.block, Block::Field { .. });
            cursor = at.filter(|_| is_field).or(cursor).or(at);
        }
        if self.model.app.settings.ascii {
            super::plain::letters(buffer, area);
        }
        cursor
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

    fn block(&self, buffer: &mut Buffer, x: u16, y: u16, width: u16, block: &Block) -> Option<(u16, u16)> {
        let is_labelled = match block {
            Block::Field { label, .. } | Block::Choices { label, .. } => !label.is_empty(),
            _ => false,
        };
        if is_labelled && block.has_focus() {
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
                let used = self.put_right(buffer, x + width, y, width / 2, self.spans(right));
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
