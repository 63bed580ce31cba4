//! What changed in a session's folder: files, and the lines of the chosen one.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Span;

use super::Canvas;
use crate::app::{Area, DiffPanel, DiffRow, Role, diff_parts, shown_text};
use crate::domain::diff::{Change, DiffLine, FileDiff, Sign};
use crate::domain::text;

/// Where nothing was added or removed there are at least so many cells for a line's number.
const NUMBER: usize = 3;

impl Canvas<'_> {
    /// Draws the panel. Returns where its caret is.
    pub(super) fn diff(&self, buffer: &mut Buffer, panel: &DiffPanel) -> Option<(u16, u16)> {
        let parts = diff_parts(self.model, panel);
        self.diff_header(buffer, parts.header, panel);
        let mut caret = None;
        for (y, at) in (parts.files.y..parts.files.bottom()).zip(parts.first..) {
            let Some(file) = panel.files().get(at) else { break };
            self.diff_file(buffer, Area { y, height: 1, ..parts.files }, file, at == panel.file);
        }
        let rule = "─".repeat(usize::from(parts.rule.width));
        if parts.rule.height > 0 {
            buffer.set_string(parts.rule.x, parts.rule.y, rule, self.theme.style(Role::Border));
        }
        if let Some(sentence) = self.sentence(panel) {
            for (y, line) in (parts.body.y..parts.body.bottom()).zip(sentence) {
                let line = line.into_iter().map(|s| self.span(s.role, s.text)).collect();
                self.put(buffer, parts.body.x + 1, y, parts.body.width.saturating_sub(1), line);
            }
        } else {
            let width = number_width(panel);
            for (y, at) in (parts.body.y..parts.body.bottom()).zip(panel.top..) {
                let Some(row) = panel.rows.get(at) else { break };
                let area = Area { y, height: 1, ..parts.body };
                self.diff_row(buffer, area, panel, row, width);
                if at == panel.cursor {
                    buffer.set_string(area.x, y, "▌", self.theme.style(Role::Accent));
                    buffer.set_style(Rect::new(area.x, y, area.width, 1), self.theme.style(Role::Selection));
                    caret = Some((area.x, y));
                }
            }
        }
        if let Some(writing) = &panel.writing {
            caret = Some(self.diff_field(buffer, parts.field, writing));
        }
        if self.model.app.settings.ascii {
            let area = crate::app::geometry_of(self.model).diff;
            super::plain::letters(
                buffer,
                Rect::new(area.x, area.y, area.width, parts.body.y.saturating_sub(area.y)),
            );
        }
        caret
    }

    fn diff_header(&self, buffer: &mut Buffer, area: Area, panel: &DiffPanel) {
        let mut spans = vec![self.span(Role::Text, " ")];
        if self.model.diff_fills() {
            let title = self.model.record().session(&panel.session).map(|s| text::clean(&s.title));
            spans.push(self.span(Role::Title, text::fit(&title.unwrap_or_default(), 24)));
            spans.push(self.span(Role::Dim, " · "));
        }
        let diff = panel.result.as_ref().and_then(|r| r.as_ref().ok());
        if let Some(diff) = diff {
            let (added, removed) = diff.totals();
            let more = if diff.is_cut { " or more" } else { "" };
            let files = text::counted(diff.files.len(), "file");
            spans.push(self.span(Role::Text, format!("{files}{more} ")));
            spans.push(self.span(Role::Added, format!("+{added} ")));
            spans.push(self.span(Role::Removed, format!("−{removed}")));
            spans.push(self.span(Role::Dim, " · "));
        }
        let comments = self.model.comments(&panel.session).len();
        if comments > 0 {
            spans.push(self.span(Role::Match, text::counted(comments, "comment")));
            spans.push(self.span(Role::Dim, " · "));
        }
        spans.push(self.span(Role::Dim, format!("compared with {}", text::clean(&panel.base()))));
        let branch = diff.and_then(|d| d.state.branch.as_deref()).map(|b| format!(" on {}", text::clean(b)));
        spans.push(self.span(Role::Dim, branch.unwrap_or_default()));
        let right = match panel {
            p if p.is_reading() => "reading… ".to_owned(),
            p if p.is_stale => format!("changed since: {} reads again ", self.key("diff-refresh")),
            _ => String::new(),
        };
        let used =
            self.put_right(buffer, area.right(), area.y, area.width / 2, vec![self.span(Role::Faint, right)]);
        self.put(buffer, area.x, area.y, area.width.saturating_sub(used + u16::from(used > 0)), spans);
    }

    fn diff_file(&self, buffer: &mut Buffer, area: Area, file: &FileDiff, is_chosen: bool) {
        let (letter, role) = match file.change {
            Change::Added => ("A", Role::Added),
            Change::Untracked => ("?", Role::Added),
            Change::Deleted => ("D", Role::Removed),
            Change::Modified => ("M", Role::Text),
            Change::Renamed => ("R", Role::Text),
            Change::Copied => ("C", Role::Added),
            Change::Retyped => ("T", Role::Text),
            Change::Conflicted => ("U", Role::Error),
        };
        let mut right = Vec::new();
        match file.counts {
            Some((added, removed)) => {
                if added > 0 {
                    right.push(self.span(Role::Added, format!(" +{added}")));
                }
                if removed > 0 {
                    right.push(self.span(Role::Removed, format!(" −{removed}")));
                }
            }
            None => right.push(self.span(Role::Faint, " –")),
        }
        right.push(self.span(Role::Faint, " "));
        let used = self.put_right(buffer, area.right(), area.y, area.width / 3, right);
        let lead = if is_chosen { "▌" } else { " " };
        let mut spans = vec![self.span(Role::Accent, lead), self.span(role, format!("{letter} "))];
        let room = usize::from(area.width.saturating_sub(used + 4));
        let name = if is_chosen { Role::Title } else { Role::Text };
        let path = start_cut(&text::clean(&file.path), room);
        let left = room.saturating_sub(text::cells(&path) + 2);
        spans.push(self.span(name, path));
        let notes = file.notes().join(", ");
        if left > 6 && !notes.is_empty() {
            spans.push(self.span(Role::Faint, format!("  {}", text::fit(&text::clean(&notes), left))));
        }
        self.put(buffer, area.x, area.y, area.width.saturating_sub(used), spans);
        if is_chosen {
            buffer.set_style(Rect::new(area.x, area.y, area.width, 1), self.theme.style(Role::Selection));
        }
    }

    /// What is said in place of lines.
    fn sentence(&self, panel: &DiffPanel) -> Option<Vec<Vec<crate::app::Span>>> {
        let width = usize::from(diff_parts(self.model, panel).body.width.saturating_sub(2));
        let words = match &panel.result {
            None => crate::app::span(Role::Faint, "reading…"),
            Some(Err(why)) => crate::app::span(Role::Error, why.clone()),
            Some(Ok(diff)) if diff.files.is_empty() && diff.state.commit.is_none() => {
                crate::app::span(Role::Dim, "no commit yet, and no files")
            }
            Some(Ok(diff)) if diff.files.is_empty() => crate::app::span(
                Role::Dim,
                format!(
                    "no changes compared with {}; {} compares with something else",
                    diff.base.name,
                    self.key("diff-base")
                ),
            ),
            Some(Ok(_)) => return None,
        };
        Some(crate::app::wrap_spans(&[words], width))
    }

    fn diff_row(&self, buffer: &mut Buffer, area: Area, panel: &DiffPanel, row: &DiffRow, digits: usize) {
        let room = area.width.saturating_sub(1);
        let spans = match row {
            DiffRow::Note(words) => vec![self.span(Role::Dim, format!(" {}", text::clean(words)))],
            DiffRow::Head(hunk) => {
                let Some(hunk) = panel.hunk(*hunk) else { return };
                let range = |(start, count): (u32, u32)| format!("{start},{count}");
                let section = shown_text(&hunk.section, 0, usize::from(room));
                let words = format!("@@ -{} +{} @@ {section}", range(hunk.old), range(hunk.new));
                vec![self.span(Role::Hunk, text::fit(&words, usize::from(room)))]
            }
            DiffRow::Comment(at, line) => {
                let Some(comment) = self.model.comments(&panel.session).get(*at) else { return };
                let words = text::clean(comment.text.lines().nth(*line).unwrap_or_default());
                let indent = " ".repeat(digits * 2 + 2);
                let room = usize::from(room).saturating_sub(text::cells(&indent) + 2);
                vec![self.span(Role::Match, format!("{indent}> {}", text::fit(&words, room)))]
            }
            DiffRow::Line(hunk, line) => {
                let Some(line) = panel.line(*hunk, *line) else { return };
                let numbers = format!("{} {} ", number(line.old, digits), number(line.new, digits));
                self.diff_line(line, &numbers, panel.left, room)
            }
            DiffRow::Pair(hunk, old, new) => {
                let half = area.width / 2;
                let of = |line: &Option<usize>| line.and_then(|i| panel.line(*hunk, i));
                if let Some(line) = of(old) {
                    let numbers = format!("{} ", number(line.old, digits));
                    let spans = self.diff_line(line, &numbers, panel.left, half.saturating_sub(2));
                    self.put(buffer, area.x + 1, area.y, half.saturating_sub(2), spans);
                }
                let x = area.x + half;
                buffer.set_string(x, area.y, "│", self.theme.style(Role::Border));
                if let Some(line) = of(new) {
                    let numbers = format!("{} ", number(line.new, digits));
                    let room = area.width - half - 1;
                    let spans = self.diff_line(line, &numbers, panel.left, room);
                    self.put(buffer, x + 1, area.y, room, spans);
                }
                return;
            }
        };
        self.put(buffer, area.x + 1, area.y, room, spans);
    }

    /// A line with its numbers, in as many cells.
    fn diff_line(&self, line: &DiffLine, numbers: &str, left: usize, width: u16) -> Vec<Span<'static>> {
        let (role, sign) = match line.sign {
            Sign::Same => (Role::Text, " "),
            Sign::Added => (Role::Added, "+"),
            Sign::Removed => (Role::Removed, "-"),
        };
        // A change of the line's end would not be seen.
        let (content, end) = match line.text.strip_suffix('\r') {
            Some(content) if line.sign != Sign::Same => {
                (content, if self.model.app.settings.ascii { "^M" } else { "␍" })
            }
            Some(content) => (content, ""),
            None => (line.text.as_str(), ""),
        };
        let end = if line.ends { end.to_owned() } else { format!("{end} (no newline)") };
        let room = usize::from(width).saturating_sub(text::cells(numbers) + 1 + text::cells(&end));
        vec![
            self.span(Role::Faint, numbers.to_owned()),
            self.span(role, format!("{sign}{}", shown_text(content, left, room))),
            self.span(Role::Faint, end),
        ]
    }

    fn key(&self, command: &str) -> String {
        self.model.app.keymap.key(command)
    }

    /// The comment that is being written. Returns where its caret is.
    fn diff_field(&self, buffer: &mut Buffer, area: Area, writing: &crate::app::DiffWriting) -> (u16, u16) {
        let place = text::fit(&writing.comment.place(), usize::from(area.width / 3));
        let label = vec![self.span(Role::Accent, format!(" {place}  "))];
        let used = self.put(buffer, area.x, area.y, area.width, label);
        let room = usize::from(area.width.saturating_sub(used + 1));
        let (row, column) = writing.editor.caret();
        // The caret is always seen.
        let first = (row + 1).saturating_sub(usize::from(area.height).max(1));
        let mut at = (area.x + used, area.y);
        for (y, (i, line)) in
            (area.y..area.bottom()).zip(writing.editor.lines().iter().enumerate().skip(first))
        {
            let before: String = line.chars().take(if i == row { column } else { 0 }).collect();
            let before = text::cells(&text::clean(&before));
            let from = before.saturating_sub(room);
            let shown = text::fit(&text::skip(&text::clean(line), from), room + 1);
            let words = vec![self.span(Role::Text, shown)];
            self.put(buffer, area.x + used, y, area.width.saturating_sub(used), words);
            if i == row {
                let caret = u16::try_from(before - from).unwrap_or(0);
                at = ((area.x + used + caret).min(area.right().saturating_sub(1)), y);
            }
        }
        at
    }
}

/// How many cells the largest number of a line takes.
fn number_width(panel: &DiffPanel) -> usize {
    let mut most = 0;
    let mut at = 0;
    while let Some(hunk) = panel.hunk(at) {
        most = most.max(hunk.old.0.saturating_add(hunk.old.1)).max(hunk.new.0.saturating_add(hunk.new.1));
        at += 1;
    }
    most.to_string().len().max(NUMBER)
}

fn number(number: Option<u32>, digits: usize) -> String {
    number.map_or_else(|| " ".repeat(digits), |n| format!("{n:>digits$}"))
}

/// A path that is too long without its beginning: the name is at its end.
fn start_cut(path: &str, width: usize) -> String {
    let cells = text::cells(path);
    if cells <= width {
        return path.to_owned();
    }
    format!("…{}", text::skip(path, cells + 1 - width.max(1)))
}
