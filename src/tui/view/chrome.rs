//! Header, attention line, hairlines, footer.

use ratatui::buffer::Buffer;

use super::{Canvas, rect};
use crate::app::{Area, Geometry, Layout, Role, commands, footer, header, revival, role_of};
use crate::domain::status::StatusKind;
use crate::domain::text;

impl Canvas<'_> {
    pub(super) fn chrome(&self, buffer: &mut Buffer, g: &Geometry) {
        self.header(buffer, g.header);
        self.attention_line(buffer, g.attention);
        self.rules(buffer, g);
        self.banner(buffer, g.banner);
        self.footer(buffer, g.footer);
    }

    fn header(&self, buffer: &mut Buffer, area: Area) {
        let name = header::title(self.model).into_iter().map(|s| self.span(s.role, s.text)).collect();
        self.put(buffer, area.x, area.y, area.width, name);
        for counter in header::counters(self.model) {
            let count = format!("{} {}", self.model.glyph(counter.kind), counter.count);
            let spans = vec![
                self.span(role_of(counter.kind), count),
                self.span(Role::Dim, format!(" {}", counter.word)),
            ];
            self.put(buffer, counter.x, area.y, counter.width, spans);
        }
    }

    /// Who needs the user: they have their own line, so that the list never reorders itself.
    fn attention_line(&self, buffer: &mut Buffer, area: Area) {
        if let Some(trouble) = &self.model.profile.trouble {
            let words = format!(" {}", text::clean(trouble));
            self.put(buffer, area.x, area.y, area.width, vec![self.span(Role::Error, words)]);
            return;
        }
        let (shown, more) = header::attention(self.model);
        if shown.is_empty() && more == 0 {
            let starting = self.model.count(StatusKind::Starting);
            let words = match (self.model.profile.looked, self.model.profile.snapshot.states.len()) {
                (false, _) => " looking…".to_owned(),
                (true, all) if starting == all && all > 0 => format!(" {starting} starting"),
                (true, _) => " nothing needs your attention".to_owned(),
            };
            self.put(buffer, area.x, area.y, area.width, vec![self.span(Role::Faint, words)]);
            return;
        }
        self.put(buffer, area.x, area.y, area.width, vec![self.span(Role::Dim, header::NEEDS_YOU)]);
        let mut end = area.x + u16::try_from(text::cells(header::NEEDS_YOU)).unwrap_or(0);
        for one in shown {
            let spans = vec![
                self.span(role_of(one.kind), format!("   {} ", self.model.glyph(one.kind))),
                self.span(Role::Text, one.title),
                self.span(Role::Dim, format!(" {}", one.detail)),
            ];
            self.put(buffer, one.x, area.y, one.width, spans);
            end = one.x + one.width;
        }
        if more > 0 {
            let words = vec![self.span(Role::Dim, format!("  +{more}"))];
            self.put(buffer, end, area.y, area.right().saturating_sub(end), words);
        }
    }

    /// What was lost, and the keys that restart it.
    fn banner(&self, buffer: &mut Buffer, area: Area) {
        let width = usize::from(area.width);
        let Some(line) = revival::banner(self.model, width).filter(|_| area.height > 0) else { return };
        let mut spans = vec![self.span(Role::Error, format!(" {}", line.words))];
        for key in line.keys {
            spans.push(self.span(Role::Dim, revival::BETWEEN));
            spans.push(self.span(Role::Key, key.key));
            if !key.does.is_empty() {
                spans.push(self.span(Role::Dim, format!(" {}", key.does)));
            }
        }
        self.put(buffer, area.x, area.y, area.width, spans);
    }

    fn rules(&self, buffer: &mut Buffer, g: &Geometry) {
        let style = self.theme.style(Role::Border);
        for line in [g.top_rule, g.bottom_rule] {
            buffer.set_string(line.x, line.y, "─".repeat(usize::from(line.width)), style);
        }
        match self.model.layout() {
            Layout::Wide if g.divider.height > 0 => {
                for y in g.divider.y..g.divider.bottom() {
                    buffer.set_string(g.divider.x, y, "│", style);
                }
                buffer.set_string(g.divider.x, g.top_rule.y, "┬", style);
                buffer.set_string(g.divider.x, g.bottom_rule.y, "┴", style);
            }
            Layout::Medium if g.divider.height > 0 => {
                buffer.set_string(0, g.divider.y, "─".repeat(usize::from(g.divider.width)), style);
            }
            _ => {}
        }
    }

    fn footer(&self, buffer: &mut Buffer, area: Area) {
        let model = self.model;
        if model.mode.is_find() {
            let words = text::clean(&model.view.filter.words);
            let mut spans =
                vec![self.span(Role::Key, " /"), self.span(Role::Text, words), self.span(Role::Dim, "   ")];
            let keys =
                footer::find_keys(model).iter().map(|k| format!("{} {}", k.key, k.title)).collect::<Vec<_>>();
            spans.push(self.span(Role::Dim, keys.join(" · ")));
            self.put(buffer, area.x, area.y, area.width, spans);
            return;
        }
        if let Some(words) = model.drop_words() {
            let words = text::fit(&format!(" {words}"), usize::from(area.width));
            self.put(buffer, area.x, area.y, area.width, vec![self.span(Role::Text, words)]);
            return;
        }
        let message = footer::message_width(model);
        let room = area.width - message;
        if model.mode.pass_through().is_some() {
            let spans = vec![
                self.span(Role::Key, " ctrl-q"),
                self.span(Role::Dim, " back to deck   "),
                self.span(Role::Text, "all other keys go to the agent"),
            ];
            self.put(buffer, area.x, area.y, room, spans);
        } else if model.dialogs.is_empty() {
            for key in footer::keys(model) {
                let spans =
                    vec![self.span(Role::Key, key.key), self.span(Role::Dim, format!(" {}  ", key.title))];
                self.put(buffer, key.x, area.y, area.right().saturating_sub(key.x), spans);
            }
        }
        self.message(buffer, Area { x: area.x + room, width: message, ..area });
    }

    /// What deck says, at the right end of the footer.
    fn message(&self, buffer: &mut Buffer, area: Area) {
        let Some(toast) = &self.model.app.messages.toast else { return };
        let role = if toast.is_error { Role::Error } else { Role::Text };
        let words = text::clean(&toast.text);
        let width = usize::from(area.width.saturating_sub(2));
        let whole = text::cells(&words) <= width;
        let more = if whole || !self.model.dialogs.is_empty() { String::new() } else { self.reads_all() };
        let words = text::fit(&words, width.saturating_sub(text::cells(&more)));
        let spans = vec![self.span(role, format!(" {words}")), self.span(Role::Dim, more)];
        self.put(buffer, area.x, area.y, area.width, spans);
        buffer.set_style(rect(area), self.theme.style(Role::Toast));
    }

    /// How a message that is cut here is read as a whole.
    fn reads_all(&self) -> String {
        let log = commands::all().find(|c| c.id == "log");
        let key = log.and_then(|c| self.model.app.keymap.keys_of(c).first().cloned());
        key.map_or_else(String::new, |key| format!("  {key} shows all"))
    }

    /// Where the caret of the find line is.
    pub(super) fn find_caret(&self, g: &Geometry) -> (u16, u16) {
        let typed = u16::try_from(text::cells(&self.model.view.filter.words)).unwrap_or(u16::MAX);
        (
            g.footer.x.saturating_add(2).saturating_add(typed).min(g.footer.right().saturating_sub(1)),
            g.footer.y,
        )
    }
}
