//! Drawing: a pure function of the model.
//!
//! Invariants: nothing here reads a clock, a disk or the multiplexer; every foreign text is
//! cleaned before it is drawn; a session's capture is drawn only while that session is selected.

mod chrome;
mod crop;
mod diff;
mod list;
mod panel;
mod plain;
mod preview;
mod shells;
#[cfg(test)]
mod tests;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::theme::Theme;
use crate::app::{Area, Layout, Model, Role, geometry_above, geometry_of, panel_layout, span, wrap_spans};

/// What drawing works with.
struct Canvas<'a> {
    model: &'a Model,
    theme: &'a Theme,
}

pub fn draw(frame: &mut Frame<'_>, model: &Model, theme: &Theme) {
    let canvas = Canvas { model, theme };
    let area = frame.area();
    if area.width < model.app.size.0 || area.height < model.app.size.1 {
        // The window became smaller, and the loop hears of it next: what is laid out for the old size
        // has no room here.
        return;
    }
    if model.layout() == Layout::Tiny {
        canvas.too_small(frame.buffer_mut(), area);
        return;
    }
    let panel = model.dialogs.last().map(|dialog| dialog.panel(model));
    let g = panel.as_ref().map_or_else(|| geometry_of(model), |panel| geometry_above(model, panel));
    let buffer = frame.buffer_mut();
    canvas.chrome(buffer, &g);
    let mut cursor = None;
    if g.list.height > 0 {
        cursor = canvas.list(buffer, g.list);
    }
    if g.facts.height > 0 {
        canvas.facts(buffer, g.facts);
        canvas.tabs(buffer, g.tabs);
    }
    if let Some(panel) = model.diff().filter(|_| g.diff.height > 0) {
        cursor = canvas.diff(buffer, panel);
    }
    if model.app.settings.ascii {
        plain::letters(buffer, area);
    }
    if g.capture.width > 0 {
        let caret = canvas.capture(buffer, g.capture);
        if model.app.settings.ascii && !canvas.shows_pane() {
            plain::letters(buffer, rect(g.capture));
        }
        if model.mode.pass_through().is_some() {
            cursor = caret;
        }
    }
    if let Some(panel) = &panel {
        canvas.fade(buffer, area, panel, g.capture);
        cursor = canvas.panel(buffer, panel, &panel_layout(model, panel));
    }
    if model.mode.is_find() && model.dialogs.is_empty() {
        cursor = Some(canvas.find_caret(&g));
    }
    // The real cursor is where the user is: screen readers and input methods follow it.
    if let Some((x, y)) = cursor {
        frame.set_cursor_position((x, y));
    }
}

const fn rect(area: Area) -> Rect {
    Rect::new(area.x, area.y, area.width, area.height)
}

impl Canvas<'_> {
    /// Shows how large the terminal must be, on as many rows as that takes.
    fn too_small(&self, buffer: &mut Buffer, area: Rect) {
        let words = [span(Role::Dim, "deck needs 40 columns and 10 rows")];
        let lines = wrap_spans(&words, usize::from(area.width));
        for (y, line) in (area.y..area.bottom()).zip(lines) {
            let line = line.into_iter().map(|s| self.span(s.role, s.text)).collect();
            self.put(buffer, area.x, y, area.width, line);
        }
    }

    /// A piece of text in its role.
    fn span(&self, role: Role, text: impl Into<String>) -> Span<'static> {
        Span::styled(text.into(), self.theme.style(role))
    }

    /// Writes pieces of text from a place on, cut at `width` cells. Returns the cells used.
    fn put(&self, buffer: &mut Buffer, x: u16, y: u16, width: u16, spans: Vec<Span<'static>>) -> u16 {
        let line = Line::from(spans);
        let end = buffer.set_line(x, y, &line, width);
        end.0.saturating_sub(x)
    }

    /// Writes pieces of text so that they end before `right`. Returns the cells used.
    fn put_right(
        &self,
        buffer: &mut Buffer,
        right: u16,
        y: u16,
        room: u16,
        spans: Vec<Span<'static>>,
    ) -> u16 {
        let width = u16::try_from(spans.iter().map(Span::width).sum::<usize>()).unwrap_or(u16::MAX).min(room);
        self.put(buffer, right.saturating_sub(width), y, width, spans)
    }
}
