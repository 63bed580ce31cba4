//! Header, attention line, hairlines, footer.

use std::borrow::Cow;

use ratatui::buffer::Buffer;

use super::Canvas;
use crate::app::{Area, Geometry, Layout, Role, commands, header, role_of};
use crate::domain::status::StatusKind;
use crate::domain::text;

/// From N columns on the footer has room for more than help at its end.
const ROOMY: u16 = 60;

impl Canvas<'_> {
    pub(super) fn chrome(&self, buffer: &mut Buffer, g: &Geometry) {
        self.header(buffer, g.header);
        self.attention_line(buffer, g.attention);
        self.rules(buffer, g);
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
        let needy = self.model.attention();
        if let Some(trouble) = &self.model.profile.trouble {
            let words = format!(" {}", text::clean(trouble));
            self.put(buffer, area.x, area.y, area.width, vec![self.span(Role::Error, words)]);
            return;
        }
        if needy.is_empty() {
            let starting = self.model.count(StatusKind::Starting);
            let words = match (self.model.profile.looked, self.model.profile.snapshot.states.len()) {
                (false, _) => " looking…".to_owned(),
                (true, 0) => String::new(),
                (true, all) if starting == all => format!(" {starting} starting"),
                (true, _) => " nothing needs your attention".to_owned(),
            };
            self.put(buffer, area.x, area.y, area.width, vec![self.span(Role::Faint, words)]);
            return;
        }
        self.put(buffer, area.x, area.y, area.width, vec![self.span(Role::Dim, header::NEEDS_YOU)]);
        let (shown, more) = header::attention(self.model);
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
            let spans = vec![
                self.span(Role::Key, " /"),
                self.span(Role::Text, words),
                self.span(Role::Dim, "   enter keep · esc clear"),
            ];
            self.put(buffer, area.x, area.y, area.width, spans);
            return;
        }
        if model.mode.pass_through().is_some() && model.app.messages.toast.is_none() {
            let spans = vec![
                self.span(Role::Key, " ctrl-q"),
                self.span(Role::Dim, " back to deck   "),
                self.span(Role::Text, "all other keys go to the agent"),
            ];
            self.put(buffer, area.x, area.y, area.width, spans);
            return;
        }
        if let Some(words) = model.drop_words() {
            let words = text::fit(&format!(" {words}"), usize::from(area.width));
            self.put(buffer, area.x, area.y, area.width, vec![self.span(Role::Text, words)]);
            return;
        }
        if let Some(toast) = &model.app.messages.toast {
            let role = if toast.is_error { Role::Error } else { Role::Text };
            let words = format!(" {}", text::clean(&toast.text));
            let width = usize::from(area.width);
            let whole = text::cells(&words) <= width;
            let more = if whole || !model.dialogs.is_empty() { String::new() } else { self.reads_all() };
            let words = text::fit(&words, width.saturating_sub(text::cells(&more)));
            let spans = vec![self.span(role, words), self.span(Role::Dim, more)];
            self.put(buffer, area.x, area.y, area.width, spans);
            return;
        }
        if !model.dialogs.is_empty() {
            // A dialog has its own keys.
            return;
        }
        if model.diff().is_some() {
            let mut left = usize::from(area.width);
            let mut spans = Vec::new();
            for (key, title) in crate::app::diff_footer(model) {
                let (key, title) = (format!(" {}", self.shown_key(&key)), format!(" {title} "));
                let Some(rest) = left.checked_sub(text::cells(&key) + text::cells(&title)) else { break };
                left = rest;
                spans.extend([self.span(Role::Key, key), self.span(Role::Dim, title)]);
            }
            self.put(buffer, area.x, area.y, area.width, spans);
            return;
        }
        let keys: Vec<(String, Cow<'static, str>)> = if model.mode.pending().is_empty() {
            let first = |c: &commands::Command| {
                model.app.keymap.keys_of(c).first().map_or_else(String::new, |k| self.shown_key(k))
            };
            commands::footer(model).into_iter().map(|c| (first(c), c.label(model))).collect()
        } else {
            commands::continuations(model).into_iter().map(|(k, c)| (k.to_string(), c.title.into())).collect()
        };
        // Help and the way to everything else are always there, whatever else has no room.
        let always: &[&str] = if area.width < ROOMY { &["help"] } else { &["commands", "help", "quit"] };
        let tail: Vec<_> = keys.iter().filter(|(_, t)| always.contains(&&**t)).cloned().collect();
        let width = |(k, t): &(String, Cow<'static, str>)| text::cells(k) + text::cells(t) + 3;
        let kept: usize = tail.iter().map(width).sum();
        let room = usize::from(area.width).saturating_sub(1);
        let mut used = kept;
        let mut spans = vec![self.span(Role::Text, " ")];
        let mut shown = Vec::new();
        for key in keys.iter().filter(|k| !tail.contains(k)) {
            if used + width(key) > room {
                break;
            }
            used += width(key);
            shown.push(key.clone());
        }
        for (key, title) in shown.into_iter().chain(tail) {
            spans.push(self.span(Role::Key, key));
            spans.push(self.span(Role::Dim, format!(" {title}  ")));
        }
        self.put(buffer, area.x, area.y, area.width, spans);
    }

    /// A key as the footer shows it.
    fn shown_key(&self, key: &str) -> String {
        match key {
            "enter" if !self.model.app.settings.ascii => "⏎".to_owned(),
            other => other.to_owned(),
        }
    }

    /// How a message that is cut here is read as a whole.
    fn reads_all(&self) -> String {
        let log = commands::all().find(|c| c.id == "log");
        let key = log.and_then(|c| self.model.app.keymap.keys_of(c).first().cloned());
        key.map_or_else(String::new, |key| format!("  {key} shows all "))
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
