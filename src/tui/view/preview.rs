//! The selected session: its facts and its own screen.

use ratatui::buffer::Buffer;

use super::Canvas;
use super::chrome::role_of;
use crate::app::{Area, Role};
use crate::config::paths::tilde;
use crate::domain::age;
use crate::domain::status::{Reason, Status};
use crate::domain::text;
use crate::tui::ansi;

impl Canvas<'_> {
    pub(super) fn facts(&self, buffer: &mut Buffer, area: Area) {
        let model = self.model;
        if let Some(path) = model.group() {
            let here =
                model.snapshot.profile.live_sessions().filter(|s| s.group_path.is_within(path)).count();
            let spans = vec![self.span(Role::Title, format!(" {path}"))];
            self.put(buffer, area.x, area.y, area.width, spans);
            let words = format!(" {here} {}", if here == 1 { "session" } else { "sessions" });
            self.put(buffer, area.x, area.y + 1, area.width, vec![self.span(Role::Dim, words)]);
            return;
        }
        let Some(session) = model.session() else { return };
        let look = model.look(&session.id);
        let right = look.map(|l| {
            let v = &l.verdict;
            let words = match (&v.status, &v.reason) {
                (Status::Waiting, Some(Reason::Finished)) => "finished".to_owned(),
                (Status::Waiting, Some(reason)) => format!("asks: {reason}"),
                (status, Some(reason)) => format!("{status} · {reason}"),
                (status, None) => status.to_string(),
            };
            let time = if v.status == Status::Running {
                age::running(model.now, v.since)
            } else {
                age::age(model.now, v.since)
            };
            let doubt = v
                .unsure
                .map(|at| format!(" · unsure for {}", age::running(model.now, at)))
                .unwrap_or_default();
            vec![self.span(role_of(v.status), format!("{} {words} · {time}{doubt} ", self.glyph(v.status)))]
        });
        let used = right.map_or(0, |r| self.put_right(buffer, area.right(), area.y, area.width * 2 / 3, r));
        let title = text::fit(&text::clean(&session.title), usize::from(area.width.saturating_sub(used + 2)));
        self.put(buffer, area.x, area.y, area.width, vec![self.span(Role::Title, format!(" {title}"))]);
        if area.height < 2 {
            return;
        }
        let asks = look
            .and_then(|l| l.verdict.asks.clone())
            .filter(|_| look.is_some_and(|l| matches!(l.verdict.status, Status::Waiting | Status::Error)));
        let spans = match asks {
            Some(asks) => vec![self.span(Role::Waiting, format!(" {}", text::clean(&asks)))],
            None => {
                let path = tilde(&session.project_path, model.settings.home.as_deref());
                let note =
                    look.and_then(|l| l.row.as_ref()).map(|r| r.note.clone()).filter(|n| !n.is_empty());
                let note = note.map(|n| format!(" · {n}")).unwrap_or_default();
                vec![self.span(Role::Dim, format!(" {} · {}{note}", session.tool, text::clean(&path)))]
            }
        };
        self.put(buffer, area.x, area.y + 1, area.width, spans);
    }

    /// The session's own screen: its last rows that hold anything, in its own colours.
    pub(super) fn picture(&self, buffer: &mut Buffer, area: Area) {
        let model = self.model;
        let Some(session) = model.session() else { return };
        let alive = model.look(&session.id).is_some_and(|l| l.row.is_some());
        let Some(picture) = model.picture().filter(|_| alive) else {
            self.no_picture(buffer, area);
            return;
        };
        let lines = ansi::lines(&picture.lines);
        let filled = lines.iter().rposition(|l| l.width() > 0).map_or(0, |i| i + 1);
        let height = usize::from(area.height);
        let first = filled.saturating_sub(height);
        for (y, line) in (area.y..area.bottom()).zip(lines.iter().skip(first)) {
            buffer.set_line(area.x + 1, y, line, area.width.saturating_sub(1));
        }
    }

    fn no_picture(&self, buffer: &mut Buffer, area: Area) {
        let Some(session) = self.model.session() else { return };
        let words = match self.model.look(&session.id).map(|l| &l.verdict) {
            Some(v) if v.status == Status::Stopped => "stopped; R starts it with its conversation",
            Some(v) if v.reason == Some(Reason::Gone) => {
                "its tmux session is gone; R starts it again with its conversation"
            }
            _ => "",
        };
        let spans = vec![self.span(Role::Faint, format!(" {words}"))];
        self.put(buffer, area.x, area.y + 1, area.width, spans);
    }
}
