//! The list: groups, sessions, sub-sessions.

use ratatui::buffer::Buffer;
use ratatui::text::Span;

use super::{Canvas, rect};
use crate::app::{Area, Role, role_of};
use crate::domain::age;
use crate::domain::columns::{self, Column};
use crate::domain::id::SessionId;
use crate::domain::session::{DesiredState, Session};
use crate::domain::status::{Reason, Status, StatusKind, Verdict};
use crate::domain::talk::Carries;
use crate::domain::text;
use crate::domain::tree::{GroupRow, Row, SessionRow};
use crate::ops::{RowFacts, SessionState};

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
                Row::Shell(shell) => self.shell_row(buffer, line, shell, selected),
                Row::Shells(shells) => self.shells_row(buffer, line, shells),
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
        let fold = self.fold_mark(group.expanded);
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

    /// What is before a heading.
    pub(super) fn fold_mark(&self, expanded: bool) -> &'static str {
        match (expanded, self.model.app.settings.ascii) {
            (true, false) => "▾",
            (false, false) => "▸",
            (true, true) => "v",
            (false, true) => ">",
        }
    }

    fn session_row(&self, buffer: &mut Buffer, line: Area, row: &SessionRow, selected: bool) {
        let Some(session) = self.model.record().session(&row.id) else { return };
        // A sub-session's lines replace its indent.
        let own = (row.depth * 2).saturating_sub(text::cells(&row.branch));
        let indent = format!("  {}{}", " ".repeat(own), row.branch);
        self.session_line(buffer, line, session, &indent, selected);
    }

    /// One session: its sign, agent and title, and the columns that have room.
    pub(super) fn session_line(
        &self,
        buffer: &mut Buffer,
        line: Area,
        session: &Session,
        indent: &str,
        selected: bool,
    ) {
        let state = self.model.state(&session.id);
        let kind = self.kind_of(session, state);
        let (glyph, role) = match kind {
            Some(kind) => (self.model.glyph(kind), role_of(kind)),
            None => ("·", Role::Faint),
        };
        let places = columns::places(&self.model.app.settings.columns, usize::from(line.width));
        for place in &places {
            let (role, words) = self.column(place, session, state, role);
            let words = text::fit(&words, place.width);
            let gap =
                if place.column.is_right() { place.width.saturating_sub(text::cells(&words)) } else { 0 };
            let x = line.x + u16::try_from(place.x + gap).unwrap_or(0);
            let room = u16::try_from(place.width).unwrap_or(0);
            self.put(buffer, x, line.y, room, vec![self.span(role, words)]);
        }
        let mut room = places.first().map_or(usize::from(line.width), |p| p.x).saturating_sub(1);
        let unsure = state.is_some_and(|l| l.verdict.unsure.is_some());
        let says_so = places.iter().any(|p| p.column == Column::Status);
        // What is being done to it is shown even where its status has no column.
        let working = self.model.app.working.get(&session.id).filter(|_| !says_so);
        if let Some((word, _)) = working {
            room = room.saturating_sub(text::cells(word) + 1);
            let x = line.x + u16::try_from(room + 1).unwrap_or(0);
            self.put(buffer, x, line.y, line.width, vec![self.span(Role::Starting, *word)]);
        }
        let doubt = if unsure && !says_so { "? " } else { "" };
        let icon =
            self.model.app.settings.tools.iter().find(|t| t.name == session.tool).map(|t| t.icon.as_str());
        let lead = format!("{glyph} {} {doubt}", text::pad(&text::clean(icon.unwrap_or_default()), 1));
        let room = room.saturating_sub(text::cells(indent) + text::cells(&lead));
        let title = text::fit(&text::clean(&session.title), room);
        let quiet = matches!(kind, Some(StatusKind::Idle | StatusKind::Stopped) | None);
        let weight = if selected {
            Role::Title
        } else if quiet {
            Role::Dim
        } else {
            Role::Text
        };
        let icon = lead.trim_start_matches(glyph).trim_end_matches("? ").to_owned();
        let mut spans = vec![
            self.span(Role::Faint, indent.to_owned()),
            self.span(role, glyph),
            self.span(Role::Faint, icon),
            self.span(Role::Waiting, doubt),
        ];
        let left = room.saturating_sub(text::cells(&title));
        spans.extend(self.found_in(&title, weight));
        spans.extend(session.carries.as_ref().map(|of| self.carried(of, left)).unwrap_or_default());
        self.put(buffer, line.x, line.y, line.width, spans);
    }

    /// The role of the conversation that a session carries, and whether its agent has compacted its context, as far as there is room.
    fn carried(&self, of: &Carries, room: usize) -> Vec<Span<'static>> {
        let role = format!(" {}", text::clean(&of.role));
        let compacted = if of.compacted { " compacted" } else { "" };
        let mut left = room;
        let mut fits = |words: &str| {
            let fits = text::cells(words) <= left;
            left -= if fits { text::cells(words) } else { 0 };
            fits
        };
        let mut spans = Vec::new();
        if fits(&role) {
            spans.push(self.span(Role::Accent, role));
        }
        if fits(compacted) {
            spans.push(self.span(Role::Waiting, compacted));
        }
        spans
    }

    /// What a column shows of a session.
    fn column(
        &self,
        place: &columns::Place,
        session: &Session,
        state: Option<&SessionState>,
        role: Role,
    ) -> (Role, String) {
        let (now, facts) = (self.model.app.now, self.model.profile.facts.get(&session.id));
        let working = self.model.app.working.get(&session.id);
        let verdict = state.map(|l| &l.verdict);
        match place.column {
            Column::Branch => (Role::Dim, facts.map_or_else(String::new, |f| branch(f, place.width))),
            Column::Detail => match verdict {
                Some(v) if v.kind() == StatusKind::Stopped => (Role::Faint, String::new()),
                Some(v) if matches!(v.kind(), StatusKind::Asks | StatusKind::Failed) && v.asks.is_some() => {
                    let role = if v.kind() == StatusKind::Asks { Role::Waiting } else { Role::Faint };
                    (role, text::clean(v.asks.as_deref().unwrap_or_default()))
                }
                _ => (
                    Role::Faint,
                    facts.and_then(|f| f.last_line.as_deref()).map(text::clean).unwrap_or_default(),
                ),
            },
            Column::Status => {
                if let Some((word, _)) = working {
                    return (Role::Starting, (*word).to_owned());
                }
                let Some(v) = verdict else { return (Role::Dim, String::new()) };
                let doubt = if v.unsure.is_some() { "?" } else { "" };
                let word = status_word(session, v, place.width.saturating_sub(doubt.len()));
                let stale =
                    state.is_some_and(|l| l.mcp.is_stale()).then(|| format!(" {}", self.stale_mark()));
                let used = text::cells(&word) + doubt.len();
                let stale = stale.filter(|mark| used + text::cells(mark) <= place.width).unwrap_or_default();
                (if v.kind().needs_user() { role } else { Role::Dim }, format!("{word}{doubt}{stale}"))
            }
            Column::Age => {
                let age = match (working, verdict) {
                    (Some((_, since)), _) => age::running(now, *since),
                    (None, Some(v)) if v.status == Status::Running => age::running(now, v.since),
                    (None, Some(v)) => age::age(now, v.unsure.unwrap_or(v.since)),
                    (None, None) => String::new(),
                };
                (Role::Dim, age)
            }
        }
    }

    /// A title with what is looked for in it made to stand out.
    pub(super) fn found_in(&self, title: &str, weight: Role) -> Vec<Span<'static>> {
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
        let starts = |(word, _): &(&str, _)| matches!(*word, "starting" | "restarting" | "reviving");
        if self.model.app.working.get(&session.id).is_some_and(starts) {
            return Some(StatusKind::Starting);
        }
        match state {
            Some(state) => Some(state.verdict.kind()),
            None if session.wanted == DesiredState::Stopped => Some(StatusKind::Stopped),
            None => None,
        }
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

/// Why a session has its status, in as few words as have room.
fn status_word(session: &Session, verdict: &Verdict, room: usize) -> String {
    let word = match (session.aside(verdict.status), &verdict.reason) {
        // What was not sent is said by its end, everything else by its first word.
        (Some("prompt not sent"), _) if text::cells("prompt not sent") > room => "not sent".to_owned(),
        (Some(aside), _) => aside.to_owned(),
        (None, Some(Reason::Finished)) => StatusKind::Done.word().to_owned(),
        (None, Some(reason)) => reason.to_string(),
        (None, None) => verdict.status.word().to_owned(),
    };
    match word.split_once(' ') {
        Some((first, _)) if text::cells(&word) > room && text::cells(first) <= room => first.to_owned(),
        _ => text::fit(&word, room),
    }
}

/// A branch, and how far it is from the one that it follows.
fn branch(facts: &RowFacts, room: usize) -> String {
    let Some(name) = &facts.branch else { return String::new() };
    let (ahead, behind) = facts.ahead_behind.unwrap_or_default();
    let count = |sign: &str, n: u32| if n > 0 { format!(" {sign}{n}") } else { String::new() };
    let counts = count("↑", ahead) + &count("↓", behind);
    let name = text::fit(&text::clean(name), room.saturating_sub(text::cells(&counts)));
    format!("{name}{counts}")
}
