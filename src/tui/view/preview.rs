//! The selected session: its facts and its own screen.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::text::Span;
use ratatui::widgets::{Paragraph, Widget};

use super::Canvas;
use crate::app::{Area, Role, restart_hint, role_of};
use crate::config::paths::tilde;
use crate::domain::age;
use crate::domain::session::Session;
use crate::domain::status::{Reason, Status};
use crate::domain::text;
use crate::tui::ansi;

impl Canvas<'_> {
    pub(super) fn facts(&self, buffer: &mut Buffer, area: Area) {
        let model = self.model;
        if let Some(path) = model.group() {
            let here = model.record().live_sessions().filter(|s| s.group_path.is_within(path)).count();
            let spans = vec![self.span(Role::Title, format!(" {path}"))];
            self.put(buffer, area.x, area.y, area.width, spans);
            let words = format!(" {here} {}", if here == 1 { "session" } else { "sessions" });
            self.put(buffer, area.x, area.y + 1, area.width, vec![self.span(Role::Dim, words)]);
            return;
        }
        let Some(session) = model.session() else { return };
        let state = model.state(&session.id);
        let right = state.map(|l| {
            let v = &l.verdict;
            let words = match (&v.status, &v.reason) {
                (status, _) if session.unsent(*status).is_some() => {
                    format!("{status} · {}; s sends it", session.unsent(*status).unwrap_or_default())
                }
                (Status::Waiting, Some(Reason::Finished)) => "done".to_owned(),
                (Status::Waiting, Some(reason)) => format!("asks: {reason}"),
                (status, Some(reason)) => format!("{status} · {reason}"),
                (status, None) => status.to_string(),
            };
            let time = if v.status == Status::Running {
                age::running(model.app.now, v.since)
            } else {
                age::age(model.app.now, v.since)
            };
            let doubt = v
                .unsure
                .map(|at| format!(" · unconfirmed for {}", age::running(model.app.now, at)))
                .unwrap_or_default();
            vec![self.span(role_of(v.kind()), format!("{} {words} · {time}{doubt} ", model.glyph(v.kind())))]
        });
        let used = right.map_or(0, |r| self.put_right(buffer, area.right(), area.y, area.width * 2 / 3, r));
        let pass_through = if model.mode.pass_through().is_some() { " typing " } else { "" };
        let room = usize::from(area.width.saturating_sub(used + 2)).saturating_sub(pass_through.len());
        let title = text::fit(&text::clean(&session.title), room);
        let mut spans = vec![self.span(Role::Title, format!(" {title} "))];
        if model.mode.pass_through().is_some() {
            // A mode must be seen from across the room.
            let style = self.theme.style(Role::Accent).add_modifier(Modifier::REVERSED);
            spans.push(Span::styled(pass_through, style));
        }
        self.put(buffer, area.x, area.y, area.width, spans);
        if area.height < 2 {
            return;
        }
        let asks = state
            .and_then(|l| l.verdict.asks.clone())
            .filter(|_| state.is_some_and(|l| matches!(l.verdict.status, Status::Waiting | Status::Error)));
        let spans = match asks {
            Some(asks) => vec![self.span(Role::Waiting, format!(" {}", text::clean(&asks)))],
            None => {
                let path = tilde(&session.project_path, model.app.settings.home.as_deref());
                let note =
                    state.and_then(|l| l.row.as_ref()).map(|r| r.tags.note.clone()).filter(|n| !n.is_empty());
                let note = note.map(|n| format!(" · {n}")).unwrap_or_default();
                let server = state.and_then(|l| l.row.as_ref()).map(|r| r.server());
                let server = server.filter(|s| **s != model.profile.snapshot.server);
                // On a server that is its user's own, deck's key for leaving isn't bound.
                let server = server
                    .map(|s| format!(" · your tmux \"{}\" (prefix d detaches)", text::clean(s.as_str())));
                let server = server.unwrap_or_default();
                let preview_header = self.preview_header(session);
                vec![self.span(
                    Role::Dim,
                    format!(" {}{server} · {}{preview_header}{note}", session.tool, text::clean(&path)),
                )]
            }
        };
        self.put(buffer, area.x, area.y + 1, area.width, spans);
    }

    /// The branch, and how full the context is.
    fn preview_header(&self, session: &Session) -> String {
        let Some(preview_header) = self.model.profile.headings.get(&session.id) else { return String::new() };
        let digest = preview_header.digest.as_ref();
        let context = digest.and_then(|d| match (d.context_percent(), d.context_tokens) {
            (Some(percent), _) => Some(format!("{percent} % context")),
            (None, Some(tokens)) => Some(format!("{} tokens in context", text::count(tokens))),
            (None, None) => None,
        });
        let branch = preview_header.branch.as_deref().map(text::clean);
        let changes = self.model.profile.changes.get(&session.id).copied().flatten();
        let changes = changes.map(|(added, removed)| format!("+{added} −{removed}"));
        branch.into_iter().chain(changes).chain(context).map(|part| format!(" · {part}")).collect()
    }

    /// The session's own screen: its last rows that hold anything, in its own colours.
    /// Returns where its cursor is.
    pub(super) fn capture(&self, buffer: &mut Buffer, area: Area) -> Option<(u16, u16)> {
        let model = self.model;
        let session = model.session()?;
        let alive = model.state(&session.id).is_some_and(|l| l.row.is_some());
        let Some(capture) = model.capture().filter(|_| alive) else {
            self.no_picture(buffer, area);
            return None;
        };
        let lines = ansi::lines(&capture.lines);
        let filled = lines.iter().rposition(|l| l.width() > 0).map_or(0, |i| i + 1);
        let (height, width) = (usize::from(area.height), area.width.saturating_sub(1));
        let mut first = filled.saturating_sub(height);
        let mut left = 0;
        if let Some((x, y)) = capture.cursor.filter(|_| model.mode.pass_through().is_some()) {
            // What is typed is shown.
            first = first.min(usize::from(y)).max((usize::from(y) + 1).saturating_sub(height));
            left = (x + 1).saturating_sub(width);
        }
        for (y, line) in (area.y..area.bottom()).zip(lines.iter().skip(first)) {
            Paragraph::new(line.clone()).scroll((0, left)).render(Rect::new(area.x + 1, y, width, 1), buffer);
        }
        if capture.back > 0 {
            let words = format!(" {} lines back ", capture.back);
            self.put_right(buffer, area.right(), area.y, area.width, vec![self.span(Role::Match, words)]);
        }
        let (x, y) = capture.cursor?;
        let row = u16::try_from(usize::from(y).checked_sub(first)?).ok().filter(|r| *r < area.height)?;
        Some(((area.x + 1 + x.checked_sub(left)?).min(area.right().saturating_sub(1)), area.y + row))
    }

    fn no_picture(&self, buffer: &mut Buffer, area: Area) {
        let Some(session) = self.model.session() else { return };
        let words = match self.model.state(&session.id).map(|l| &l.verdict) {
            Some(v) if v.status == Status::Stopped => "stopped; ",
            Some(v) if v.reason == Some(Reason::Gone) => "its tmux session is gone; ",
            _ => "",
        };
        let hint =
            if words.is_empty() { String::new() } else { restart_hint(session, &self.model.app.keymap) };
        let spans = vec![self.span(Role::Faint, format!(" {words}{hint}"))];
        self.put(buffer, area.x, area.y + 1, area.width, spans);
    }
}
