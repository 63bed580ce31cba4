//! Comments on lines, and the message that they become.

use super::{DiffLine, Sign};
use crate::domain::text;

/// The most cells of a line that is quoted.
const QUOTED: usize = 160;

/// A comment on a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    /// The file's path from the worktree's top.
    pub path: String,
    /// The line's number: now, or before if it was removed.
    pub line: u32,
    /// Whether the line was removed.
    pub is_removed: bool,
    /// The line.
    pub quoted: String,
    /// The words.
    pub text: String,
}

impl Comment {
    /// An empty one on a line; none where the line has no number.
    pub fn on(path: &str, line: &DiffLine) -> Option<Self> {
        let is_removed = line.sign == Sign::Removed;
        let number = if is_removed { line.old? } else { line.new? };
        let (path, quoted) = (path.to_owned(), line.text.clone());
        Some(Self { path, line: number, is_removed, quoted, text: String::new() })
    }

    /// Whether it is on this line.
    pub fn is_on(&self, line: &DiffLine) -> bool {
        let same_side = self.is_removed == (line.sign == Sign::Removed);
        let number = if self.is_removed { line.old } else { line.new };
        same_side && number == Some(self.line) && line.text == self.quoted
    }

    /// Whether both are on the same line.
    pub fn is_beside(&self, other: &Self) -> bool {
        (&self.path, self.line, self.is_removed, &self.quoted)
            == (&other.path, other.line, other.is_removed, &other.quoted)
    }

    /// Where it is, in words.
    pub fn place(&self) -> String {
        let removed = if self.is_removed { " (removed)" } else { "" };
        format!("{}:{}{removed}", text::clean(&self.path), self.line)
    }
}

/// All comments as one message; empty without any.
pub fn message(comments: &[Comment]) -> String {
    let mut sorted: Vec<&Comment> = comments.iter().collect();
    sorted.sort_by(|a, b| (&a.path, a.line, !a.is_removed).cmp(&(&b.path, b.line, !b.is_removed)));
    let one = |c: &&Comment| {
        let quoted = text::fit(text::clean(&c.quoted).trim(), QUOTED);
        format!("\n{}\n> {quoted}\n{}\n", c.place(), c.text)
    };
    let all: String = sorted.iter().map(one).collect();
    if all.is_empty() {
        return all;
    }
    let comments = if sorted.len() == 1 { "A comment" } else { "Comments" };
    format!("{comments} on your changes:\n{}", all.trim_end_matches('\n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_become_one_message_in_the_order_of_the_files() {
        let comment = |path: &str, line, is_removed, quoted: &str, text: &str| Comment {
            path: path.into(),
            line,
            is_removed,
            quoted: quoted.into(),
            text: text.into(),
        };
        assert_eq!(message(&[]), "");
        let all = [
            comment("src/b.rs", 12, false, "\tlet \u{1b}[31mx = 1;\r", "why 1?"),
            comment("src/a.rs", 3, false, "new", "fine"),
            comment("src/a.rs", 3, true, "old", "was better"),
        ];
        let want = "Comments on your changes:\n\nsrc/a.rs:3 (removed)\n> old\nwas better\n\n\
                    src/a.rs:3\n> new\nfine\n\nsrc/b.rs:12\n> let x = 1;\nwhy 1?";
        assert_eq!(message(&all), want);
        assert!(message(&all[..1]).starts_with("A comment on your changes:\n\nsrc/b.rs:12\n"));
    }
}
