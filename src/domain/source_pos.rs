//! Positions in a text file, and how errors and warnings describe them.

/// The words for a key that nobody knows.
pub fn unknown(key: &str, near: Option<&str>) -> String {
    let hint = near.map(|n| format!("; did you mean `{n}`?")).unwrap_or_default();
    format!("unknown key `{key}`{hint}")
}

/// The line, counted from 1, of a byte position.
pub fn line_of(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|b| *b == b'\n').count() + 1
}

/// The first line that sets `name`, or opens a table of that name.
pub fn key_line(text: &str, name: &str) -> Option<usize> {
    let sets = |line: &str| {
        let line = line.trim_start();
        let key = line.strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with('='));
        key || line.trim_end().trim_matches(['[', ']']).ends_with(name) && line.starts_with('[')
    };
    text.lines().position(sets).map(|n| n + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_a_key_or_table() {
        let text = "a = 1\n[ui]\ntheme = 'x'\n[tools.vibe]\n";
        assert_eq!(key_line(text, "theme"), Some(3));
        assert_eq!(key_line(text, "vibe"), Some(4));
        assert_eq!(key_line(text, "none"), None);
        assert_eq!(line_of(text, 6), 2);
    }
}
