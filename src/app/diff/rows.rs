//! The chosen file as rows.

use super::DiffPanel;
use crate::domain::diff::{Comment, Content, DiffLine, FileDiff, Hunk, Sign};
use crate::domain::text;

/// A row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Row {
    /// Something about the file.
    Note(String),
    /// The head of a hunk.
    Head(usize),
    /// A line of a hunk.
    Line(usize, usize),
    /// An old and a new line of a hunk, side by side.
    Pair(usize, Option<usize>, Option<usize>),
    /// A line of a comment on the line above: the comment's place among the session's, and the line's in it.
    Comment(usize, usize),
}

/// The rows of the chosen file.
pub(super) fn of(panel: &DiffPanel, split: bool, comments: &[Comment]) -> Vec<Row> {
    let Some(file) = panel.chosen() else { return Vec::new() };
    // That it is untracked is in the list of files.
    let notes = file.notes().into_iter().filter(|n| n != "untracked");
    let mut rows: Vec<Row> = notes.map(Row::Note).collect();
    let here: Vec<usize> =
        comments.iter().enumerate().filter(|(_, c)| c.path == file.path).map(|(i, _)| i).collect();
    let mut placed = vec![false; comments.len()];
    let mut body = Vec::new();
    let hunks: &[Hunk] = if let Content::Text(hunks) = &file.content { hunks } else { &[] };
    for (at, hunk) in hunks.iter().enumerate() {
        body.push(Row::Head(at));
        let lines =
            if split { pairs(at, hunk) } else { (0..hunk.lines.len()).map(|i| Row::Line(at, i)).collect() };
        for row in lines {
            let on = here.iter().filter(|i| {
                let comment = comments.get(**i);
                lines_of(&row, hunk).any(|l| comment.is_some_and(|c| c.is_on(l)))
            });
            let on: Vec<usize> = on.copied().collect();
            body.push(row);
            for i in on {
                if let Some(placed) = placed.get_mut(i) {
                    *placed = true;
                }
                body.extend(comment_rows(i, comments));
            }
        }
    }
    // The line of a comment may have changed since.
    let left = here.into_iter().filter(|i| placed.get(*i) == Some(&false));
    rows.extend(left.flat_map(|i| comment_rows(i, comments)));
    rows.extend(body);
    if file.is_cut {
        rows.push(Row::Note("there are more lines than can be shown".to_owned()));
    }
    if rows.is_empty() {
        rows.push(Row::Note("an empty file".to_owned()));
    }
    rows
}

/// The lines of a comment.
fn comment_rows(at: usize, comments: &[Comment]) -> impl Iterator<Item = Row> {
    let lines = comments.get(at).map_or(0, |c| c.text.lines().count());
    (0..lines).map(move |line| Row::Comment(at, line))
}

/// Old lines beside the new ones that took their place.
fn pairs(at: usize, hunk: &Hunk) -> Vec<Row> {
    let mut rows = Vec::new();
    let (mut old, mut new): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
    let flush = |old: &mut Vec<usize>, new: &mut Vec<usize>, rows: &mut Vec<Row>| {
        for i in 0..old.len().max(new.len()) {
            rows.push(Row::Pair(at, old.get(i).copied(), new.get(i).copied()));
        }
        old.clear();
        new.clear();
    };
    for (i, line) in hunk.lines.iter().enumerate() {
        match line.sign {
            Sign::Removed => {
                if !new.is_empty() {
                    flush(&mut old, &mut new, &mut rows);
                }
                old.push(i);
            }
            Sign::Added => new.push(i),
            Sign::Same => {
                flush(&mut old, &mut new, &mut rows);
                rows.push(Row::Pair(at, Some(i), Some(i)));
            }
        }
    }
    flush(&mut old, &mut new, &mut rows);
    rows
}

/// The lines that a row shows, the newest first.
fn lines_of<'a>(row: &Row, hunk: &'a Hunk) -> impl Iterator<Item = &'a DiffLine> {
    let (first, second) = match row {
        Row::Line(_, line) => (Some(*line), None),
        Row::Pair(_, old, new) => (*new, *old),
        _ => (None, None),
    };
    first.into_iter().chain(second).filter_map(|i| hunk.lines.get(i))
}

impl DiffPanel {
    /// A hunk of the chosen file.
    pub fn hunk(&self, at: usize) -> Option<&Hunk> {
        match &self.chosen()?.content {
            Content::Text(hunks) => hunks.get(at),
            _ => None,
        }
    }

    /// A line of the chosen file.
    pub fn line(&self, hunk: usize, line: usize) -> Option<&DiffLine> {
        self.hunk(hunk)?.lines.get(line)
    }

    /// The line that a row is about, the new one if there are two.
    pub(super) fn line_at(&self, row: usize) -> Option<&DiffLine> {
        let row = self.rows.get(row)?;
        let hunk = match row {
            Row::Line(hunk, _) | Row::Pair(hunk, ..) => self.hunk(*hunk)?,
            _ => return None,
        };
        lines_of(row, hunk).next()
    }

    /// The row nearest to a line's number now.
    pub(super) fn row_of(&self, number: u32) -> usize {
        let distance =
            |row: &usize| self.line_at(*row).and_then(|l| l.new.or(l.old)).map(|n| n.abs_diff(number));
        (0..self.rows.len()).filter_map(|r| Some((distance(&r)?, r))).min().map_or(0, |(_, row)| row)
    }
}

/// A file's changes as text, as git prints them.
pub(super) fn as_text(file: &FileDiff) -> String {
    let Content::Text(hunks) = &file.content else { return format!("{}\n", file.path) };
    let old = file.old_path.as_ref().unwrap_or(&file.path);
    let mut out = format!("--- a/{old}\n+++ b/{}\n", file.path);
    for hunk in hunks {
        let range = |(start, count): (u32, u32)| format!("{start},{count}");
        let head = format!("@@ -{} +{} @@ {}", range(hunk.old), range(hunk.new), hunk.section);
        out.push_str(head.trim_end());
        out.push('\n');
        for line in &hunk.lines {
            out.push(sign(line.sign));
            out.push_str(&line.text);
            out.push_str(if line.ends { "\n" } else { "\n\\ No newline at end of file\n" });
        }
    }
    out
}

/// The sign before a line.
pub const fn sign(sign: Sign) -> char {
    match sign {
        Sign::Same => ' ',
        Sign::Added => '+',
        Sign::Removed => '-',
    }
}

/// How far apart the stops of tabs are.
const TAB: usize = 4;
/// The most characters of a line that are looked at.
const LONG: usize = 4000;

/// A line's text for a column of `width` cells, scrolled by `left`: cleaned, with blanks for tabs. Where it is cut
/// at the right it ends in `›`.
pub fn shown_text(line: &str, left: usize, width: usize) -> String {
    let line: String = line.chars().take(LONG).collect();
    let mut out = String::new();
    for (i, part) in line.split('\t').enumerate() {
        if i > 0 {
            let at = text::cells(&out);
            out.extend(std::iter::repeat_n(' ', TAB - at % TAB));
        }
        out.push_str(&text::clean(part));
    }
    let rest = text::skip(&out, left);
    if text::cells(&rest) <= width {
        return rest;
    }
    let mut cut = text::fit(&rest, width);
    cut.pop();
    cut + "›"
}
