//! The selected session: its facts and its own screen.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Paragraph, Widget};

use super::Canvas;
use super::crop::rows_shown;
use crate::app::{Area, Role, restart_hint, role_of};
use crate::config::paths::tilde;
use crate::domain::age;
use crate::domain::group::GroupPath;
use crate::domain::session::Session;
use crate::domain::status::{Exit, Reason, Status};
use crate::domain::text;
use crate::domain::tree::{RowKey, in_row_order};
use crate::ops::mcp_servers::McpState;
use crate::ops::worker::Listed;
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
        if let Some(shell) = model.shell() {
            self.shell_facts(buffer, area, shell);
            return;
        }
        if model.view.cursor == Some(RowKey::Shells) {
            self.shells_facts(buffer, area);
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
                let stale = state.map(|l| self.mcp_changes(&l.mcp)).unwrap_or_default();
                vec![self.span(
                    Role::Dim,
                    format!(
                        " {}{server} · {}{preview_header}{stale}{note}",
                        session.tool,
                        text::clean(&path)
                    ),
                )]
            }
        };
        self.put(buffer, area.x, area.y + 1, area.width, spans);
    }

    /// The tabs of the selected session: all of them, or where there is no room the one that is shown, with how many there are.
    pub(super) fn tabs(&self, buffer: &mut Buffer, area: Area) {
        let model = self.model;
        let tabs = model.tabs();
        if area.height == 0 || tabs.is_empty() {
            return;
        }
        let shown = model.tab().map_or(1, |listed| listed.tab);
        let words = |listed: &Listed| {
            let mark = match (&listed.agent, listed.alive, &listed.exit) {
                (Some(id), ..) => model.state(id).map(|l| model.glyph(l.verdict.kind()).to_owned()),
                (None, Some(false), Some(Exit::Code(0))) => Some("done".to_owned()),
                (None, Some(false), _) => Some(if model.app.settings.ascii { "x" } else { "✕" }.to_owned()),
                _ => None,
            };
            let name = text::fit(&text::clean(&listed.name), 20);
            format!("{} {name}{}", listed.tab, mark.map(|mark| format!(" {mark}")).unwrap_or_default())
        };
        let span = |listed: &Listed| {
            if listed.tab == shown {
                let style = self.theme.style(Role::Accent).add_modifier(Modifier::REVERSED);
                Span::styled(format!(" {} ", words(listed)), style)
            } else {
                self.span(Role::Dim, format!(" {} ", words(listed)))
            }
        };
        let all: usize = tabs.iter().map(|listed| text::cells(&words(listed)) + 2).sum();
        let spans = if all <= usize::from(area.width) {
            tabs.iter().map(span).collect()
        } else {
            let listed = tabs.get(shown.saturating_sub(1));
            let name = listed.map(|l| text::clean(&l.name)).unwrap_or_default();
            vec![self.span(Role::Accent, format!(" {shown}/{} {name}", tabs.len()))]
        };
        self.put(buffer, area.x, area.y, area.width, spans);
    }

    /// How the MCP servers that a session was started with differ from what a start would give it now.
    fn mcp_changes(&self, state: &McpState) -> String {
        if !state.is_stale() {
            return String::new();
        }
        let words: Vec<String> = state.changes().iter().map(|change| text::clean(&change.word())).collect();
        format!(" · {} {}", self.stale_mark(), words.join(" "))
    }

    /// What marks a session whose MCP servers are out of date.
    pub(super) fn stale_mark(&self) -> &'static str {
        if self.model.app.settings.ascii { "mcp!=" } else { "mcp≠" }
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
        let base = session.place.as_ref().and_then(|place| place.base.as_deref());
        let counts = |(ahead, behind): (u32, u32)| {
            let signs = if self.model.app.settings.ascii { ["+", "-"] } else { ["↑", "↓"] };
            let parts = [(signs[0], ahead), (signs[1], behind)].into_iter().filter(|(_, n)| *n > 0);
            parts.map(|(sign, n)| format!(" {sign}{n}")).collect::<String>()
        };
        let counts = self.model.profile.facts.get(&session.id).and_then(|f| f.ahead_behind).map(counts);
        let branch = preview_header.branch.as_deref().map(|branch| {
            let from = if self.model.app.settings.ascii { "<-" } else { "←" };
            let base = base.filter(|base| *base != branch).map(|base| format!(" {from} {base}"));
            text::clean(&format!("{branch}{}{}", base.unwrap_or_default(), counts.unwrap_or_default()))
        });
        let changes = self.model.profile.changes.get(&session.id).copied().flatten();
        let changes = changes.map(|(added, removed)| format!("+{added} −{removed}"));
        branch.into_iter().chain(changes).chain(context).map(|part| format!(" · {part}")).collect()
    }

    /// Whether the preview shows an agent's own screen, and nothing of deck's.
    pub(super) fn shows_pane(&self) -> bool {
        let state = self.model.selected().and_then(|id| self.model.state(id));
        let has_pane = match self.model.terminal() {
            Some(terminal) => terminal.pane.is_some(),
            None => state.is_some_and(|l| l.row.is_some()),
        };
        has_pane && self.model.capture().is_some()
    }

    /// The session's own screen: its last rows that hold anything, in its own colours. A line that goes on beyond the edge is
    /// marked. Returns where its cursor is.
    pub(super) fn capture(&self, buffer: &mut Buffer, area: Area) -> Option<(u16, u16)> {
        let model = self.model;
        if let Some(path) = model.group() {
            self.group_table(buffer, area, path);
            return None;
        }
        if let Some(shell) = model.shell() {
            self.shell_output(buffer, area, shell);
            return None;
        }
        if model.view.cursor == Some(RowKey::Shells) {
            self.shells_table(buffer, area);
            return None;
        }
        let Some(capture) = model.capture().filter(|_| self.shows_pane()) else {
            model.session()?;
            self.no_picture(buffer, area);
            return None;
        };
        let lines = ansi::lines(&capture.lines);
        let (height, width) = (usize::from(area.height), area.width.saturating_sub(1));
        let mut left = 0;
        let rows = match capture.cursor.filter(|_| model.mode.pass_through().is_some()) {
            // What is typed is shown, where it is.
            Some((x, y)) => {
                left = (x + 1).saturating_sub(width);
                let filled = lines.iter().rposition(|l| l.width() > 0).map_or(0, |i| i + 1);
                let y = usize::from(y);
                let first = filled.saturating_sub(height).min(y).max((y + 1).saturating_sub(height));
                (first..lines.len()).take(height).collect()
            }
            None => rows_shown(&lines.iter().map(is_blank).collect::<Vec<_>>(), height),
        };
        for (y, line) in (area.y..area.bottom()).zip(rows.iter().filter_map(|row| lines.get(*row))) {
            Paragraph::new(line.clone()).scroll((0, left)).render(Rect::new(area.x + 1, y, width, 1), buffer);
            if line.width() > usize::from(left) + usize::from(width) {
                let mark = if model.app.settings.ascii { ">" } else { "›" };
                self.put_right(buffer, area.right(), y, 1, vec![self.span(Role::Faint, mark)]);
            }
        }
        if capture.back > 0 {
            let words = format!(" {} lines back ", capture.back);
            self.put_right(buffer, area.right(), area.y, area.width, vec![self.span(Role::Match, words)]);
        }
        let (x, y) = capture.cursor?;
        let row = rows.iter().position(|row| *row == usize::from(y))?;
        let row = u16::try_from(row).ok()?;
        Some(((area.x + 1 + x.checked_sub(left)?).min(area.right().saturating_sub(1)), area.y + row))
    }

    fn no_picture(&self, buffer: &mut Buffer, area: Area) {
        let Some(session) = self.model.session() else { return };
        if let Some(terminal) = self.model.terminal() {
            let key = self.model.app.keymap.key("restart-worker");
            let words = if terminal.pane.is_some() {
                String::new()
            } else {
                format!(" stopped; {key} runs it again")
            };
            self.put(buffer, area.x, area.y + 1, area.width, vec![self.span(Role::Faint, words)]);
            return;
        }
        let words = match self.model.state(&session.id).map(|l| &l.verdict) {
            Some(v) if v.status == Status::Stopped => "stopped; ",
            Some(v) if v.reason == Some(Reason::Gone) => "its tmux session is gone; ",
            _ => "",
        };
        let hint =
            if words.is_empty() { String::new() } else { restart_hint(session, &self.model.app.keymap) };
        let spans = vec![self.span(Role::Faint, format!(" {words}{hint}"))];
        self.put(buffer, area.x, area.y + 1, area.width, spans);
        if !words.is_empty() {
            self.last_words(
                buffer,
                Area { y: area.y + 3, height: area.height.saturating_sub(3), ..area },
                session,
            );
        }
    }

    /// The end of a session's conversation: what it was about.
    fn last_words(&self, buffer: &mut Buffer, area: Area, session: &Session) {
        let heading = self.model.profile.headings.get(&session.id);
        let Some(digest) = heading.and_then(|h| h.digest.as_ref()) else { return };
        let room = usize::from(area.width.saturating_sub(2));
        let lines = |text: &str, mark: &str| -> Vec<String> {
            let wrap = |line: &str| {
                let spans = [crate::app::span(Role::Dim, text::clean(line))];
                crate::app::wrap_spans(&spans, room.saturating_sub(2))
            };
            let wrapped = text.trim().lines().flat_map(wrap);
            let line = |spans: Vec<crate::app::Span>| spans.into_iter().map(|s| s.text).collect::<String>();
            let marked = |(i, line): (usize, String)| format!(" {} {line}", if i == 0 { mark } else { " " });
            wrapped.map(line).enumerate().map(marked).collect()
        };
        let mark = if self.model.app.settings.ascii { ">" } else { "❯" };
        let asked = digest.last_prompt.as_deref().map(|p| lines(p, mark)).unwrap_or_default();
        let answer = digest.last_response.as_deref().map(|r| lines(r, " ")).unwrap_or_default();
        // The end is what counts; of a long prompt its beginning is enough.
        let asked: Vec<String> = asked.into_iter().take(3).collect();
        let height = usize::from(area.height).saturating_sub(asked.len() + 1);
        let end = answer.len().saturating_sub(height);
        let all = asked.into_iter().chain([String::new()]).chain(answer.into_iter().skip(end));
        for (y, line) in (area.y..area.bottom()).zip(all) {
            self.put(buffer, area.x, y, area.width, vec![self.span(Role::Faint, line)]);
        }
    }

    /// The sessions of a group, with what each does.
    fn group_table(&self, buffer: &mut Buffer, area: Area, path: &GroupPath) {
        let record = self.model.record();
        let by_id = record.by_id();
        let ids = in_row_order(record, |s| s.group_path.is_within(path));
        let sessions: Vec<&Session> = ids.iter().filter_map(|id| by_id.get(id).copied()).collect();
        let room = usize::from(area.height.saturating_sub(1));
        let shown = if sessions.len() > room { room.saturating_sub(1) } else { sessions.len() };
        for (y, session) in (area.y + 1..).zip(sessions.iter().take(shown)) {
            self.session_line(buffer, Area { y, height: 1, ..area }, session, " ", false);
        }
        if shown < sessions.len() && room > 0 {
            let words = format!(" {} more", sessions.len() - shown);
            let y = area.y + 1 + u16::try_from(shown).unwrap_or(0);
            self.put(buffer, area.x, y, area.width, vec![self.span(Role::Faint, words)]);
        }
    }
}

/// Whether a line shows no character. Some agents give even the empty ones a background.
fn is_blank(line: &Line<'_>) -> bool {
    line.spans.iter().all(|span| span.content.trim().is_empty())
}
