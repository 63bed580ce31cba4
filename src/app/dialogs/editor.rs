//! A text of several lines being edited.
//!
//! Invariants: there is always at least one line; the caret is in one of them, counted in characters.

use super::{Key, KeyCode};

/// The text and its caret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Editor {
    lines: Vec<String>,
    row: usize,
    column: usize,
}

impl Editor {
    /// A text with the caret at its end.
    pub fn new(text: &str) -> Self {
        let lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
        let row = lines.len() - 1;
        let column = lines.last().map_or(0, |l| l.chars().count());
        Self { lines, row, column }
    }

    /// The whole text.
    pub fn text(&self) -> String {
        self.lines.join("\n")
    }

    pub fn lines(&self) -> &[String] {
        &self.lines
    }

    /// The caret's line and character.
    pub const fn caret(&self) -> (usize, usize) {
        (self.row, self.column)
    }

    /// Whether the caret is in the first line.
    pub const fn is_at_top(&self) -> bool {
        self.row == 0
    }

    /// Whether the caret is in the last line.
    pub fn is_at_bottom(&self) -> bool {
        self.row + 1 == self.lines.len()
    }

    fn width(&self) -> usize {
        self.lines.get(self.row).map_or(0, |l| l.chars().count())
    }

    /// The line with the caret, in two parts.
    fn parts(&self) -> (String, String) {
        let line = self.lines.get(self.row).map_or("", String::as_str);
        (line.chars().take(self.column).collect(), line.chars().skip(self.column).collect())
    }

    fn put(&mut self, line: String) {
        if let Some(at) = self.lines.get_mut(self.row) {
            *at = line;
        }
    }

    /// Puts a text in at the caret.
    pub fn insert(&mut self, text: &str) {
        let (before, after) = self.parts();
        let inserted = Self::new(text);
        let mut lines = inserted.lines;
        let last = lines.len() - 1;
        self.column = lines.last().map_or(0, |l| l.chars().count()) + if last == 0 { self.column } else { 0 };
        if let Some(first) = lines.first_mut() {
            first.insert_str(0, &before);
        }
        if let Some(end) = lines.last_mut() {
            end.push_str(&after);
        }
        self.lines.splice(self.row..=self.row, lines);
        self.row += last;
    }

    /// The word that ends at the caret.
    pub fn word(&self) -> String {
        let (before, _) = self.parts();
        before.rsplit(char::is_whitespace).next().unwrap_or_default().to_owned()
    }

    /// Puts another word in the place of the one that ends at the caret.
    pub fn replace_word(&mut self, with: &str) {
        for _ in 0..self.word().chars().count() {
            self.backspace();
        }
        self.insert(with);
    }

    fn backspace(&mut self) {
        let (mut before, after) = self.parts();
        if before.pop().is_some() {
            self.column -= 1;
            self.put(before + &after);
        } else if self.row > 0 {
            self.lines.remove(self.row);
            self.row -= 1;
            self.column = self.width();
            let (before, _) = self.parts();
            self.put(before + &after);
        }
    }

    fn delete(&mut self) {
        if self.column < self.width() {
            self.column += 1;
            self.backspace();
        } else if !self.is_at_bottom() {
            self.row += 1;
            self.column = 0;
            self.backspace();
        }
    }

    fn word_back(&mut self) {
        let (before, _) = self.parts();
        let trimmed = before.trim_end();
        let to = trimmed
            .rfind(char::is_whitespace)
            .map_or(0, |at| trimmed.get(..at).map_or(0, |t| t.chars().count()) + 1);
        self.column = to;
    }

    /// Takes a key that edits or moves. Returns whether it was one.
    pub fn key(&mut self, key: Key) -> bool {
        match (key.code, key.ctrl, key.alt) {
            (KeyCode::Char('a'), true, _) | (KeyCode::Home, ..) => self.column = 0,
            (KeyCode::Char('e'), true, _) | (KeyCode::End, ..) => self.column = self.width(),
            (KeyCode::Char('u'), true, _) => {
                let (_, after) = self.parts();
                self.put(after);
                self.column = 0;
            }
            (KeyCode::Char('k'), true, _) => {
                let (before, _) = self.parts();
                self.put(before);
            }
            (KeyCode::Char('w'), true, _) | (KeyCode::Backspace, _, true) => {
                let (end, (_, after)) = (self.column, self.parts());
                self.word_back();
                let kept: String = self.parts().0;
                if end == 0 {
                    self.backspace();
                } else {
                    self.put(kept + &after);
                }
            }
            (KeyCode::Left, true, _) => self.word_back(),
            (KeyCode::Char(c), false, false) => self.insert(c.encode_utf8(&mut [0; 4])),
            (KeyCode::Backspace, ..) => self.backspace(),
            (KeyCode::Delete, ..) => self.delete(),
            (KeyCode::Left, ..) if self.column > 0 => self.column -= 1,
            (KeyCode::Left, ..) if self.row > 0 => {
                self.row -= 1;
                self.column = self.width();
            }
            (KeyCode::Right, ..) if self.column < self.width() => self.column += 1,
            (KeyCode::Right, ..) if !self.is_at_bottom() => (self.row, self.column) = (self.row + 1, 0),
            (KeyCode::Up, ..) if !self.is_at_top() => {
                self.row -= 1;
                self.column = self.column.min(self.width());
            }
            (KeyCode::Down, ..) if !self.is_at_bottom() => {
                self.row += 1;
                self.column = self.column.min(self.width());
            }
            _ => return false,
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(text: &str, keys: &str) -> String {
        let mut e = Editor::new(text);
        keys.split(' ').filter(|k| !k.is_empty()).for_each(|k| {
            e.key(Key::parse(k).unwrap());
        });
        let (row, column) = e.caret();
        format!("{} @{row}:{column}", e.text().replace('\n', "|"))
    }

    #[test]
    fn editing() {
        assert_eq!(typed("", "a b"), "ab @0:2");
        assert_eq!(typed("one\ntwo", "backspace"), "one|tw @1:2");
        assert_eq!(typed("one\ntwo", "home backspace"), "onetwo @0:3");
        assert_eq!(typed("one\ntwo", "up end delete"), "onetwo @0:3");
        assert_eq!(typed("one two  three", "ctrl-w"), "one two   @0:9");
        assert_eq!(typed("one two", "ctrl-w ctrl-w ctrl-w x"), "x @0:1");
        assert_eq!(typed("日本", "left x"), "日x本 @0:2");
        assert_eq!(typed("a\nb", "ctrl-u up ctrl-k"), "a| @0:0".replace("a|", "|"));
        assert_eq!(typed("long\nx", "up end down"), "long|x @1:1");
    }

    #[test]
    fn a_paste_of_several_lines_lands_between() {
        let mut e = Editor::new("ab");
        e.key(Key::parse("left").unwrap());
        e.insert("1\n2\n3");
        assert_eq!((e.text().as_str(), e.caret()), ("a1\n2\n3b", (2, 1)));
        e.replace_word("@x/");
        assert_eq!(e.text(), "a1\n2\n@x/b");
    }

    #[test]
    fn any_keys_keep_the_caret_inside() {
        use proptest::prelude::*;
        let keys = [
            "a",
            "left",
            "right",
            "up",
            "down",
            "home",
            "end",
            "backspace",
            "delete",
            "ctrl-w",
            "ctrl-u",
            "ctrl-k",
        ];
        proptest!(|(picked in proptest::collection::vec(0..keys.len() + 1, 0..60))| {
            let mut e = Editor::new("x\nyy");
            for i in picked {
                match keys.get(i) {
                    Some(k) => { e.key(Key::parse(k).unwrap()); }
                    None => e.insert("p\nq"),
                }
                let (row, column) = e.caret();
                prop_assert!(row < e.lines().len());
                prop_assert!(column <= e.lines()[row].chars().count());
            }
        });
    }
}
