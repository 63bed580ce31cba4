//! A screen's text as rules see it.

use std::sync::LazyLock;

use regex::Regex;

/// A screen's lines, twice: as they are, and without the borders of boxes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lines {
    /// Escapes and controls stripped, NBSP as blank, trailing blanks and lines dropped.
    pub raw: Vec<String>,
    /// The same with box borders at both ends turned into blanks: no character changes its column.
    pub text: Vec<String>,
}

#[expect(clippy::expect_used, reason = "constant patterns, each built by a test")]
pub(super) fn constant(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a constant pattern")
}

static ESCAPES: LazyLock<Regex> = LazyLock::new(|| {
    constant(
        r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]|[\x00-\x08\x0b-\x1f\x7f]",
    )
});
static LEFT: LazyLock<Regex> = LazyLock::new(|| constant(r"^(?: *[│┃║])*(?: *[╭╰┌└├][─━═╌]+)?"));
static RIGHT: LazyLock<Regex> = LazyLock::new(|| constant(r"(?:[─━═╌]*[╮╯┐┘┤])?(?: *[│┃║])*$"));

impl Lines {
    /// Reads a captured screen, with or without escape sequences.
    pub fn of(screen: &str) -> Self {
        let plain = ESCAPES.replace_all(screen, "").replace(['\t', '\u{a0}'], " ");
        let mut raw: Vec<String> = plain.split('\n').map(|l| l.trim_end_matches(' ').to_owned()).collect();
        while raw.last().is_some_and(String::is_empty) {
            raw.pop();
        }
        let text = raw.iter().map(|l| without_borders(l)).collect();
        Self { raw, text }
    }
}

fn without_borders(line: &str) -> String {
    let blank = |m: &regex::Captures<'_>| " ".repeat(m.get(0).map_or(0, |m| m.as_str().chars().count()));
    let left = LEFT.replace(line, blank);
    RIGHT.replace(&left, blank).trim_end_matches(' ').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn borders_become_blanks_and_columns_stay() {
        let check = |line: &str, want: &str| assert_eq!(without_borders(line), want);
        check("│ Allow?   │", "  Allow?");
        check("╭──── x ───╮", "      x");
        check("plain", "plain");
        check("│ │ deep │ │", "    deep");
    }

    #[test]
    fn escapes_controls_and_trailing_blanks_go() {
        let lines = Lines::of("\u{1b}[31mred\u{1b}[0m  \n\u{1b}]8;;x\u{7}a\u{a0}b\u{e}\n\n  \n");
        assert_eq!(lines.raw, ["red", "a b"]);
    }
}
