//! Headless shells: their heading and rows, and the end of what the selected one's job printed.

use ratatui::buffer::Buffer;
use ratatui::text::Span;

use super::Canvas;
use crate::app::{Area, Role, role_of_sign, role_of_stream};
use crate::config::paths::tilde;
use crate::domain::shell::{JobStatus, RowWords, ShellId, ShellSign, row_words};
use crate::domain::status::StatusKind;
use crate::domain::tree::{Row, ShellRow, ShellsRow};
use crate::domain::{age, text};
use crate::ops::shell::ShellState;

/// Cells of an age at the end of a row, with the blank before it.
const AGE: usize = 7;

impl Canvas<'_> {
    pub(super) fn shells_row(&self, buffer: &mut Buffer, line: Area, row: &ShellsRow) {
        let runs = |id| self.model.profile.shells.get(id).is_some_and(|s| s.running > 0);
        let running = row.members.iter().filter(|id| runs(id)).count();
        let mut counts: Vec<Span<'static>> = Vec::new();
        if running > 0 {
            let glyph = self.sign(ShellSign::Running);
            counts.push(self.span(Role::Running, format!("{glyph}{running} ")));
        }
        counts.push(self.span(Role::Faint, format!("{:>3} ", row.members.len())));
        let used = self.put_right(buffer, line.right(), line.y, line.width / 2, counts);
        let spans = vec![
            self.span(Role::Dim, format!(" {} ", self.fold_mark(row.expanded))),
            self.span(Role::Title, "shells"),
        ];
        self.put(buffer, line.x, line.y, line.width.saturating_sub(used), spans);
    }

    /// What is above the table of the shells that no session owns.
    pub(super) fn shells_facts(&self, buffer: &mut Buffer, area: Area) {
        self.put(buffer, area.x, area.y, area.width, vec![self.span(Role::Title, " headless shells")]);
        let n = self.shells_of_the_heading().len();
        let words = format!(" {} that no session owns", text::counted(n, "shell"));
        self.put(buffer, area.x, area.y + 1, area.width, vec![self.span(Role::Dim, words)]);
    }

    /// The shells that no session owns, with what each does.
    pub(super) fn shells_table(&self, buffer: &mut Buffer, area: Area) {
        for (y, id) in (area.y + 1..area.bottom()).zip(self.shells_of_the_heading()) {
            let row = ShellRow { id: id.clone(), depth: 0, branch: String::new() };
            self.shell_row(buffer, Area { y, height: 1, ..area }, &row, false);
        }
    }

    fn shells_of_the_heading(&self) -> &[ShellId] {
        let heading = self.model.view.rows.iter().find_map(|row| match row {
            Row::Shells(heading) => Some(heading.members.as_slice()),
            _ => None,
        });
        heading.unwrap_or_default()
    }

    pub(super) fn shell_row(&self, buffer: &mut Buffer, line: Area, row: &ShellRow, selected: bool) {
        let Some(state) = self.model.profile.shells.get(&row.id) else { return };
        let shown = row_words(&state.shell, state.job.as_ref(), state.running, state.is_lost);
        let (role, glyph) = (role_of_sign(shown.sign), self.sign(shown.sign));
        let own = (row.depth * 2).saturating_sub(text::cells(&row.branch));
        let indent = format!("  {}{}", " ".repeat(own), row.branch);
        let width = usize::from(line.width);
        let room = width.saturating_sub(text::cells(&indent) + AGE + 3);
        let label = text::fit(&text::clean(state.shell.label()), room);
        let words = text::fit(&shown.words, room.saturating_sub(text::cells(&label) + 2));
        let is_quiet = shown.sign == ShellSign::Idle;
        let weight = match (selected, is_quiet) {
            (true, _) => Role::Title,
            (false, true) => Role::Dim,
            (false, false) => Role::Text,
        };
        let said = match shown.sign {
            ShellSign::Failed | ShellSign::Unsure => role,
            ShellSign::Running | ShellSign::Idle => Role::Dim,
        };
        let mut spans =
            vec![self.span(Role::Faint, indent), self.span(role, glyph), self.span(Role::Faint, " ")];
        spans.extend(self.found_in(&label, weight));
        spans.push(self.span(said, format!("  {words}")));
        self.put(buffer, line.x, line.y, line.width, spans);
        let time = vec![self.span(Role::Dim, format!("{} ", self.time(&shown)))];
        self.put_right(buffer, line.right(), line.y, line.width, time);
    }

    /// How long it runs, or ago.
    fn time(&self, shown: &RowWords) -> String {
        let now = self.model.app.now;
        match shown.sign {
            ShellSign::Running => age::running(now, shown.since),
            _ => age::age(now, shown.since),
        }
    }

    fn sign(&self, sign: ShellSign) -> &'static str {
        match sign {
            ShellSign::Running => self.model.glyph(StatusKind::Running),
            ShellSign::Failed => self.model.glyph(StatusKind::Failed),
            ShellSign::Idle => self.model.glyph(StatusKind::Idle),
            ShellSign::Unsure => "?",
        }
    }

    /// What is above the selected shell's output.
    pub(super) fn shell_facts(&self, buffer: &mut Buffer, area: Area, state: &ShellState) {
        let shown = row_words(&state.shell, state.job.as_ref(), state.running, state.is_lost);
        let word = match state.job.as_ref().map(|job| job.status) {
            // Its code is in the second line.
            Some(status @ (JobStatus::Queued | JobStatus::Running)) => status.word().to_owned(),
            Some(JobStatus::Draining) => format!("draining · {}", shown.words),
            _ => shown.words.clone(),
        };
        let words = format!("{} {word} · {} ", self.sign(shown.sign), self.time(&shown));
        let right = vec![self.span(role_of_sign(shown.sign), words)];
        let used = self.put_right(buffer, area.right(), area.y, area.width * 2 / 3, right);
        let room = usize::from(area.width.saturating_sub(used + 2));
        let title = text::fit(&text::clean(state.shell.label()), room);
        self.put(buffer, area.x, area.y, area.width, vec![self.span(Role::Title, format!(" {title} "))]);
        if area.height < 2 {
            return;
        }
        let folder = tilde(&state.shell.work_dir, self.model.app.settings.home.as_deref());
        let code = state.job.as_ref().map(|job| format!(" · {}: {}", job.seq, job.first_line()));
        let words = format!(" {} · {}{}", state.shell.kind, text::clean(&folder), code.unwrap_or_default());
        let words = text::fit(&words, usize::from(area.width));
        self.put(buffer, area.x, area.y + 1, area.width, vec![self.span(Role::Dim, words)]);
    }

    /// The last lines of what the selected shell's job printed; what it complained of in its own colour.
    pub(super) fn shell_output(&self, buffer: &mut Buffer, area: Area, state: &ShellState) {
        let note = |words: String, buffer: &mut Buffer| {
            self.put(
                buffer,
                area.x,
                area.y + 1,
                area.width,
                vec![self.span(Role::Faint, format!(" {words}"))],
            );
        };
        let Some(job) = &state.job else {
            note(
                format!("nothing was run yet; {} runs a line", self.model.app.keymap.key("shell-run")),
                buffer,
            );
            return;
        };
        let tail = self.model.profile.shells.tail(&state.shell.session_id);
        let Some(tail) = tail.filter(|tail| tail.job.job_id == job.job_id) else { return };
        if tail.lines.is_empty() {
            let words =
                if job.status.is_final() { "it printed nothing" } else { "it has printed nothing yet" };
            note(words.to_owned(), buffer);
            return;
        }
        let room = usize::from(area.width.saturating_sub(2));
        let height = usize::from(area.height);
        let back = usize::try_from(self.model.view.scrolled).unwrap_or(0);
        let back = back.min(tail.lines.len().saturating_sub(height));
        let end = tail.lines.len() - back;
        let shown = tail.lines.get(end.saturating_sub(height)..end).unwrap_or_default();
        for (y, (which, line)) in (area.y..area.bottom()).zip(shown) {
            let words = format!(" {}", text::fit(&text::clean(line), room));
            self.put(buffer, area.x, y, area.width, vec![self.span(role_of_stream(*which), words)]);
        }
        if back > 0 {
            let words = format!(" {back} lines back ");
            self.put_right(buffer, area.right(), area.y, area.width, vec![self.span(Role::Match, words)]);
        }
    }
}
