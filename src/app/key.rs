//! Keys as they are written in help, docs and settings: `j`, `G`, `ctrl-d`, `space`, `enter`.

use std::fmt;

/// A key without its modifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum KeyCode {
    /// A character, upper case when shift made it so.
    Char(char),
    Enter,
    /// Escape.
    Esc,
    Tab,
    /// Shift and tab.
    BackTab,
    Backspace,
    Delete,
    Home,
    End,
    PageUp,
    PageDown,
    /// Arrow up.
    Up,
    /// Arrow down.
    Down,
    /// Arrow left.
    Left,
    /// Arrow right.
    Right,
    Insert,
    /// A function key.
    F(u8),
}

/// A key with its modifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    pub code: KeyCode,
    /// Whether control was held.
    pub ctrl: bool,
    /// Whether alt was held.
    pub alt: bool,
    /// Whether shift was held with a key that is not a character; a shifted character is another one.
    pub shift: bool,
}

/// Names of keys that are no single character.
const NAMES: &[(&str, KeyCode)] = &[
    ("space", KeyCode::Char(' ')),
    ("enter", KeyCode::Enter),
    ("esc", KeyCode::Esc),
    ("tab", KeyCode::Tab),
    ("backtab", KeyCode::BackTab),
    ("backspace", KeyCode::Backspace),
    ("delete", KeyCode::Delete),
    ("home", KeyCode::Home),
    ("end", KeyCode::End),
    ("pageup", KeyCode::PageUp),
    ("pagedown", KeyCode::PageDown),
    ("up", KeyCode::Up),
    ("down", KeyCode::Down),
    ("left", KeyCode::Left),
    ("right", KeyCode::Right),
    ("insert", KeyCode::Insert),
];

impl Key {
    /// A key without modifiers.
    pub const fn plain(code: KeyCode) -> Self {
        Self { code, ctrl: false, alt: false, shift: false }
    }

    /// A character.
    pub const fn char(c: char) -> Self {
        Self::plain(KeyCode::Char(c))
    }

    /// Control and a character.
    pub const fn ctrl(c: char) -> Self {
        Self { code: KeyCode::Char(c), ctrl: true, alt: false, shift: false }
    }

    /// Reads one key.
    pub fn parse(text: &str) -> Option<Self> {
        if let Some(rest) = text.strip_prefix("ctrl-").filter(|r| !r.is_empty()) {
            return Self::parse(rest).map(|k| Self { ctrl: true, ..k });
        }
        if let Some(rest) = text.strip_prefix("alt-").filter(|r| !r.is_empty()) {
            return Self::parse(rest).map(|k| Self { alt: true, ..k });
        }
        if let Some(rest) = text.strip_prefix("shift-").filter(|r| r.len() > 1) {
            return Self::parse(rest).map(|k| Self { shift: true, ..k });
        }
        let number = text.strip_prefix('f').and_then(|n| n.parse::<u8>().ok());
        if let Some(n) = number.filter(|n| (1..=12).contains(n)) {
            return Some(Self::plain(KeyCode::F(n)));
        }
        if let Some((_, code)) = NAMES.iter().find(|(n, _)| *n == text) {
            return Some(Self::plain(*code));
        }
        let mut chars = text.chars();
        match (chars.next(), chars.next()) {
            (Some(c), None) => Some(Self::char(c)),
            _ => None,
        }
    }

    /// Reads keys separated by blanks, such as `g g`.
    pub fn parse_all(text: &str) -> Option<Vec<Self>> {
        text.split(' ').map(Self::parse).collect()
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.ctrl {
            f.write_str("ctrl-")?;
        }
        if self.alt {
            f.write_str("alt-")?;
        }
        if self.shift {
            f.write_str("shift-")?;
        }
        match (NAMES.iter().find(|(_, c)| *c == self.code), self.code) {
            (Some((name, _)), _) => f.write_str(name),
            (None, KeyCode::Char(c)) => write!(f, "{c}"),
            (None, KeyCode::F(n)) => write!(f, "f{n}"),
            (None, _) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_read_back_as_they_are_written() {
        for text in
            ["j", "G", "ctrl-d", "space", "enter", "alt-x", "ctrl-space", "?", "-", "f", "f5", "shift-up"]
        {
            assert_eq!(Key::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(Key::parse_all("g g"), Some(vec![Key::char('g'), Key::char('g')]));
        assert_eq!(Key::parse("nonsense"), None);
    }
}
