//! Text from outside made safe to draw, and cut by cell width.
//!
//! Invariant: what [`clean`] returns holds no control character, no escape sequence and no
//! bidirectional override, so that it can't move the cursor or reorder the text around it.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Strips everything that could act on a terminal: escape sequences, C0 and C1 controls,
/// bidirectional overrides and isolates, zero-width joins of lines. A newline or tab becomes a blank.
pub fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => skip_escape(&mut chars),
            '\n' | '\r' | '\t' => out.push(' '),
            c if c.is_control() => {}
            '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {}
            '\u{2028}' | '\u{2029}' | '\u{feff}' => {}
            c => out.push(c),
        }
    }
    out
}

/// The same line by line: a text of several lines keeps them, and ends in a newline.
pub fn clean_lines(text: &str) -> String {
    text.lines().map(|line| clean(line).trim_end().to_owned() + "\n").collect()
}

/// Skips one escape sequence after its ESC: CSI to its final byte, OSC and other strings to BEL or ST.
fn skip_escape(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    match chars.next() {
        Some('[') => {
            for c in chars.by_ref() {
                if ('\u{40}'..='\u{7e}').contains(&c) {
                    break;
                }
            }
        }
        Some(']' | 'P' | 'X' | '^' | '_') => {
            while let Some(c) = chars.next() {
                if c == '\u{7}' || c == '\u{9c}' {
                    break;
                }
                if c == '\u{1b}' {
                    chars.next_if_eq(&'\\');
                    break;
                }
            }
        }
        Some(' '..='/') => {
            // Intermediate bytes (for example a character-set choice) run to one final byte.
            while chars.next_if(|c| (' '..='/').contains(c)).is_some() {}
            chars.next();
        }
        _ => {}
    }
}

/// Width of `text` in terminal cells.
pub fn cells(text: &str) -> usize {
    text.width()
}

/// `text` cut to at most `width` cells, with `…` where something was cut off.
pub fn fit(text: &str, width: usize) -> String {
    if cells(text) <= width {
        return text.to_owned();
    }
    if width == 0 {
        return String::new();
    }
    let mut out = String::new();
    let mut used = 0;
    for grapheme in text.graphemes(true) {
        let w = cells(grapheme);
        if used + w > width - 1 {
            break;
        }
        used += w;
        out.push_str(grapheme);
    }
    out.push('…');
    out
}

/// The end of `text` in at most `width` cells, with `…` where something was cut off.
pub fn fit_end(text: &str, width: usize) -> String {
    let all = cells(text);
    if all <= width {
        return text.to_owned();
    }
    if width == 0 {
        return String::new();
    }
    // A wide character that would be cut is left out.
    format!("…{}", skip(text, all + 1 - width).trim_start())
}

/// `text` without its first `width` cells. A wide character that is cut becomes a blank.
pub fn skip(text: &str, width: usize) -> String {
    if width == 0 {
        return text.to_owned();
    }
    let (mut used, mut out) = (0, String::new());
    for grapheme in text.graphemes(true) {
        let w = cells(grapheme);
        if used >= width {
            out.push_str(grapheme);
        } else if used + w > width {
            out.extend(std::iter::repeat_n(' ', used + w - width));
        }
        used += w;
    }
    out
}

/// `text` cut to `width` cells and padded with blanks to exactly that.
pub fn pad(text: &str, width: usize) -> String {
    let mut out = fit(text, width);
    out.extend(std::iter::repeat_n(' ', width.saturating_sub(cells(&out))));
    out
}

/// A number for people: `950`, `34 k`, `1.2 M`.
pub fn count(n: u64) -> String {
    match n {
        ..1000 => n.to_string(),
        1000..1_000_000 => format!("{} k", n / 1000),
        _ => format!("{}.{} M", n / 1_000_000, n % 1_000_000 / 100_000),
    }
}

/// A number of things: `1 session`, `2 sessions`.
pub fn counted(n: usize, one: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") }
}

/// A number of tokens for people: `812`, `61k`.
pub fn thousands(n: u64) -> String {
    if n < 1000 { n.to_string() } else { format!("{}k", n / 1000) }
}

/// A size for people: `950 B`, `34 kB`, `1.2 MB`.
pub fn bytes(n: u64) -> String {
    let words = count(n);
    if words.contains(' ') { format!("{words}B") } else { format!("{words} B") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_acts_on_a_terminal_survives() {
        let check = |dirty: &str, want: &str| assert_eq!(clean(dirty), want, "{dirty:?}");
        check("a\u{1b}[31mred\u{1b}[0m", "ared");
        check("\u{1b}]0;title\u{7}x", "x");
        check("\u{1b}]0;title\u{1b}\\x", "x");
        check("a\u{1b}(Bb", "ab");
        check("one\ntwo\tthree\r", "one two three ");
        check("\u{9b}31mx", "31mx");
        check("a\u{202e}b\u{2066}c", "abc");
        check("\u{1b}", "");
        check("grün ✳ 日本", "grün ✳ 日本");
    }

    #[test]
    fn cut_by_cells_not_by_characters() {
        assert_eq!(fit("日本語", 5), "日本…");
        assert_eq!(fit("日本語", 4), "日…");
        assert_eq!(fit("abc", 3), "abc");
        assert_eq!(fit("abcd", 1), "…");
        assert_eq!(fit("abcd", 0), "");
        assert_eq!(pad("日", 4), "日  ");
        assert_eq!(fit_end("~/src/api", 5), "…/api");
        assert_eq!(fit_end("日本語", 4), "…語");
        assert_eq!(fit_end("日本語", 5), "…本語");
        assert_eq!(
            (fit_end("ab", 2).as_str(), fit_end("abc", 1).as_str(), fit_end("a", 0).as_str()),
            ("ab", "…", "")
        );
        assert_eq!(skip("日本語", 2), "本語");
        assert_eq!(skip("日本語", 3), " 語");
        assert_eq!(skip("abc", 9), "");
    }

    #[test]
    fn numbers_for_people() {
        let all = [0, 999, 1000, 34_567, 999_999, 1_234_567, 520_000_000];
        assert_eq!(all.map(count), ["0", "999", "1 k", "34 k", "999 k", "1.2 M", "520.0 M"]);
        assert_eq!([bytes(7), bytes(140_000)], ["7 B", "140 kB"]);
        assert_eq!([0, 1, 2].map(|n| counted(n, "session")), ["0 sessions", "1 session", "2 sessions"]);
    }
}
