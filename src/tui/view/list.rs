//! The list: groups, sessions, sub-sessions.

use ratatui::buffer::Buffer;
use ratatui::text::Span;

use super::{Canvas, rect};
use crate::app::{Area, Role, role_of};
use crate::domain::age;
use crate::domain::id::SessionId;
use crate::domain::session::{DesiredState, Session};
use crate::domain::status::{Reason, Status, StatusKind};
use crate::domain::text;
use crate::domain::tree::{GroupRow, Row, SessionRow};
use crate::ops::SessionState;

/// Cells of the age at the right end of a row, without the blanks around it.
const AGE: usize = 5;

impl Canvas<'_> {
    /// Draws the rows. Returns where the selected one is.
    pub(super) fn list(&self, buffer: &mut Buffer, area: Area) -> Option<(u16, u16)> {
        if self.model.view.rows.is_empty() {
            self.empty_list(buffer, area);
            return None;
        }
        let shown = usize::from(area.height);
        let below = self.model.view.rows.len().saturating_sub(self.model.view.offset + shown);
        for (n, word, y) in
            [(self.model.view.offset, "above", area.y.saturating_sub(1)), (below, "below", area.bottom())]
        {
            if n > 0 {
                self.put_right(
                    buffer,
                    area.right().saturating_sub(1),
                    y,
                    area.width,
                    vec![self.span(Role::Dim, format!(" {n} {word} "))],
                );
            }
        }
        let mut cursor = None;
        let visible = self.model.view.rows.iter().skip(self.model.view.offset).take(usize::from(area.height));
        for (y, row) in (area.y..).zip(visible) {
            let line = Area { y, height: 1, ..area };
            let selected = self.model.view.cursor.as_ref() == Some(&row.key());
            match row {
                Row::Group(group) => self.group_row(buffer, line, group),
                Row::Session(session) => self.session_row(buffer, line, session, selected),
            }
            let marked = matches!(row, Row::Session(s) if self.model.profile.marked.contains(&s.id));
            if selected {
                buffer.set_style(rect(line), self.theme.style(Role::Selection));
                buffer.set_string(line.x, y, "▌", self.theme.style(Role::Accent));
                cursor = Some((line.x, y));
            }
            if self.model.drop_target() == Some(&row.key()) {
                let mark = if self.model.app.settings.ascii { ">" } else { "▶" };
                buffer.set_style(rect(line), self.theme.style(Role::Match));
                buffer.set_string(line.x, y, mark, self.theme.style(Role::Accent));
            }
            if marked {
                let mark = if self.model.app.settings.ascii { "+" } else { "✓" };
                buffer.set_string(line.x, y, mark, self.theme.style(Role::Accent));
            }
        }
        cursor
    }

    fn group_row(&self, buffer: &mut Buffer, line: Area, group: &GroupRow) {
        let fold = match (group.expanded, self.model.app.settings.ascii) {
            (true, false) => "▾",
            (false, false) => "▸",
            (true, true) => "v",
            (false, true) => ">",
        };
        let mut counts: Vec<Span<'static>> = Vec::new();
        for kind in [StatusKind::Asks, StatusKind::Failed, StatusKind::Done, StatusKind::Running] {
            let is_one = |id: &&SessionId| self.model.state(id).is_some_and(|l| l.verdict.kind() == kind);
            let n = group.members.iter().filter(is_one).count();
            if n > 0 {
                counts.push(self.span(role_of(kind), format!("{}{n} ", self.model.glyph(kind))));
            }
        }
        counts.push(self.span(Role::Faint, format!("{:>3} ", group.members.len())));
        let used = self.put_right(buffer, line.right(), line.y, line.width / 2, counts);
        let indent = " ".repeat(1 + group.depth * 2);
        let room = usize::from(line.width.saturating_sub(used + 1));
        let name = text::fit(&text::clean(&group.name), room.saturating_sub(indent.len() + 2));
        let spans = vec![self.span(Role::Dim, format!("{indent}{fold} ")), self.span(Role::Title, name)];
        self.put(buffer, line.x, line.y, line.width.saturating_sub(used), spans);
    }

    fn session_row(&self, buffer: &mut Buffer, line: Area, row: &SessionRow, selected: bool) {
        let Some(session) = self.model.record().session(&row.id) else { return };
        let state = self.model.state(&row.id);
        let kind = self.kind_of(session, state);
        let (glyph, role) = match kind {
            Some(kind) => (self.model.glyph(kind), role_of(kind)),
            None => ("·", Role::Faint),
        };
        let right = self.right_side(session, state, role);
        let used = self.put_right(buffer, line.right(), line.y, line.width * 2 / 3, right);
        // A sub-session's lines replace its indent.
        let own = (row.depth * 2).saturating_sub(text::cells(&row.branch));
        let indent = format!(" {}{}", " ".repeat(own), row.branch);
        let room = usize::from(line.width.saturating_sub(used + 1));
        let title = text::fit(&text::clean(&session.title), room.saturating_sub(text::cells(&indent) + 2));
        let quiet = matches!(kind, Some(StatusKind::Idle | StatusKind::Stopped) | None);
        let weight = if selected {
            Role::Title
        } else if quiet {
            Role::Dim
        } else {
            Role::Text
        };
        let mut spans = vec![self.span(Role::Faint, indent), self.span(role, format!("{glyph} "))];
        spans.extend(self.found_in(&title, weight));
        self.put(buffer, line.x, line.y, line.width.saturating_sub(used), spans);
    }

    /// A title with what is looked for in it made to stand out.
    fn found_in(&self, title: &str, weight: Role) -> Vec<Span<'static>> {
        let words: Vec<String> =
            self.model.view.filter.words.split_whitespace().map(str::to_lowercase).collect();
        let chars: Vec<char> = title.chars().collect();
        let lower: Vec<char> = chars.iter().map(|c| c.to_lowercase().next().unwrap_or(*c)).collect();
        let mut marked = vec![false; chars.len()];
        for word in &words {
            let word: Vec<char> = word.chars().collect();
            let hits = lower.windows(word.len().max(1)).enumerate().filter(|(_, w)| *w == word.as_slice());
            for at in hits.map(|(at, _)| at).collect::<Vec<_>>() {
                marked.iter_mut().skip(at).take(word.len()).for_each(|m| *m = true);
            }
        }
        let mut spans: Vec<(bool, String)> = Vec::new();
        for (c, marked) in chars.iter().zip(marked) {
            match spans.last_mut().filter(|(m, _)| *m == marked) {
                Some((_, text)) => text.push(*c),
                None => spans.push((marked, c.to_string())),
            }
        }
        let role = |marked| if marked { Role::Match } else { weight };
        spans.into_iter().map(|(marked, text)| self.span(role(marked), text)).collect()
    }

    /// What a session is shown as; before the first poll only what the record itself shows for sure.
    fn kind_of(&self, session: &Session, state: Option<&SessionState>) -> Option<StatusKind> {
        match state {
            Some(state) => Some(state.verdict.kind()),
            None if session.wanted == DesiredState::Stopped => Some(StatusKind::Stopped),
            None => None,
        }
    }

    /// The word and the age at the right end of a row.
    fn right_side(&self, session: &Session, state: Option<&SessionState>, role: Role) -> Vec<Span<'static>> {
        let now = self.model.app.now;
        if let Some((word, since)) = self.model.app.working.get(&session.id) {
            let time = age::running(now, *since);
            return vec![
                self.span(Role::Starting, (*word).to_owned()),
                self.span(Role::Dim, format!(" {time:>AGE$} ")),
            ];
        }
        let Some(state) = state else { return Vec::new() };
        let v = &state.verdict;
        let unsent = session.unsent(v.status).map(str::to_owned);
        let word = unsent.or_else(|| match v.reason.as_ref()? {
            Reason::Finished => Some(StatusKind::Done.word().to_owned()),
            other => Some(other.to_string()),
        });
        let word = word.unwrap_or_else(|| v.status.word().to_owned());
        let doubt = if v.unsure.is_some() { "?" } else { "" };
        let time = match v.status {
            Status::Running => age::running(now, v.since),
            _ => age::age(now, v.unsure.unwrap_or(v.since)),
        };
        let word_role = if v.kind().needs_user() { role } else { Role::Dim };
        vec![self.span(word_role, format!("{word}{doubt}")), self.span(Role::Dim, format!(" {time:>AGE$} "))]
    }

    fn empty_list(&self, buffer: &mut Buffer, area: Area) {
        let model = self.model;
        let lines: Vec<Vec<Span<'static>>> = if model.view.filter.is_off() {
            let found: Vec<&str> = model
                .app
                .settings
                .tools
                .iter()
                .filter(|t| t.found && t.name != "shell")
                .map(|t| t.title.as_str())
                .collect();
            let agents = if found.is_empty() {
                "no agents found on this machine".to_owned()
            } else {
                format!("found here: {}", found.join(", "))
            };
            vec![
                vec![self.span(Role::Title, "deck shows which of your coding agents needs you")],
                vec![
                    self.span(Role::Key, model.app.keymap.key("new")),
                    self.span(Role::Text, " add a session   "),
                    self.span(Role::Dim, agents),
                ],
                vec![
                    self.span(Role::Text, "deck demo"),
                    self.span(Role::Dim, " shows it with simulated agents"),
                ],
            ]
        } else {
            vec![vec![
                self.span(Role::Dim, "no matches · "),
                self.span(Role::Key, "esc"),
                self.span(Role::Dim, " to clear"),
            ]]
        };
        for (y, spans) in (area.y + 1..area.bottom()).zip(lines) {
            self.put(buffer, area.x + 2, y, area.width.saturating_sub(3), spans);
        }
    }
}
