//! A captured pane's text with its escape sequences, turned into styled cells.
//!
//! tmux writes SGR sequences, carries their state over line ends, and draws lines with SO and SI
//! around letters. Everything else is stripped. No input panics; wide characters keep their width.

use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};

/// Reads a capture's lines. Colours that the terminal can't show are left to it.
pub(super) fn lines(raw: &[Vec<u8>]) -> Vec<Line<'static>> {
    let mut pen = Pen::default();
    raw.iter().map(|line| pen.line(&String::from_utf8_lossy(line))).collect()
}

#[derive(Default)]
struct Pen {
    style: Style,
    /// Whether letters stand for line-drawing characters.
    drawing: bool,
}

impl Pen {
    fn line(&mut self, text: &str) -> Line<'static> {
        let mut spans = Vec::new();
        let mut run = String::new();
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                '\u{e}' => self.drawing = true,
                '\u{f}' => self.drawing = false,
                '\u{1b}' => {
                    let before = self.style;
                    self.escape(&mut chars);
                    if self.style != before && !run.is_empty() {
                        spans.push(Span::styled(std::mem::take(&mut run), before));
                    }
                }
                c if c.is_control() || is_reordering(c) => {}
                c => run.push(if self.drawing { drawn(c) } else { c }),
            }
        }
        if !run.is_empty() {
            spans.push(Span::styled(run, self.style));
        }
        Line::from(spans)
    }

    fn escape(&mut self, chars: &mut std::iter::Peekable<std::str::Chars<'_>>) {
        match chars.next() {
            Some('[') => {
                let mut parameters = String::new();
                for c in chars.by_ref() {
                    if ('\u{40}'..='\u{7e}').contains(&c) {
                        if c == 'm' {
                            self.sgr(&parameters);
                        }
                        return;
                    }
                    parameters.push(c);
                }
            }
            Some(']' | 'P' | '_' | '^' | 'X') => {
                while let Some(c) = chars.next() {
                    if c == '\u{7}' {
                        return;
                    }
                    if c == '\u{1b}' {
                        chars.next_if_eq(&'\\');
                        return;
                    }
                }
            }
            Some('(' | ')') => {
                chars.next();
            }
            _ => {}
        }
    }

    fn sgr(&mut self, parameters: &str) {
        // Colons separate the parts of one attribute, semicolons attributes; both are read alike.
        let numbers: Vec<Option<u16>> = parameters.split([';', ':']).map(|p| p.parse().ok()).collect();
        let mut rest = numbers.as_slice();
        while let Some((first, after)) = rest.split_first() {
            rest = after;
            let set = |s: Style, m| s.add_modifier(m);
            let unset = |s: Style, m| s.remove_modifier(m);
            let style = self.style;
            self.style = match first.unwrap_or(0) {
                0 => Style::default(),
                1 => set(style, Modifier::BOLD),
                2 => set(style, Modifier::DIM),
                3 => set(style, Modifier::ITALIC),
                4 => set(style, Modifier::UNDERLINED),
                // Blinking would draw attention to the wrong thing.
                5 | 6 => style,
                7 => set(style, Modifier::REVERSED),
                8 => set(style, Modifier::HIDDEN),
                9 => set(style, Modifier::CROSSED_OUT),
                22 => unset(unset(style, Modifier::BOLD), Modifier::DIM),
                23 => unset(style, Modifier::ITALIC),
                24 => unset(style, Modifier::UNDERLINED),
                27 => unset(style, Modifier::REVERSED),
                28 => unset(style, Modifier::HIDDEN),
                29 => unset(style, Modifier::CROSSED_OUT),
                n @ 30..=37 => style.fg(indexed(n - 30)),
                n @ 40..=47 => style.bg(indexed(n - 40)),
                n @ 90..=97 => style.fg(indexed(n - 82)),
                n @ 100..=107 => style.bg(indexed(n - 92)),
                39 => style.fg(Color::Reset),
                49 => style.bg(Color::Reset),
                n @ (38 | 48 | 58) => {
                    let (color, after) = extended(rest);
                    rest = after;
                    match (n, color) {
                        (38, Some(color)) => style.fg(color),
                        (48, Some(color)) => style.bg(color),
                        _ => style,
                    }
                }
                _ => style,
            };
        }
    }
}

fn indexed(n: u16) -> Color {
    Color::Indexed(u8::try_from(n).unwrap_or(0))
}

/// Reads `5;N` or `2;R;G;B` (also `2::R:G:B`), and returns what follows.
fn extended(rest: &[Option<u16>]) -> (Option<Color>, &[Option<u16>]) {
    let byte = |n: &Option<u16>| u8::try_from(n.unwrap_or(0)).unwrap_or(u8::MAX);
    match rest {
        [Some(5), n, after @ ..] => (Some(Color::Indexed(byte(n))), after),
        [Some(2), None, r, g, b, after @ ..] | [Some(2), r, g, b, after @ ..] => {
            (Some(Color::Rgb(byte(r), byte(g), byte(b))), after)
        }
        [_, after @ ..] => (None, after),
        [] => (None, &[]),
    }
}

fn is_reordering(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// What a letter stands for in the DEC special graphics set (VT100).
fn drawn(c: char) -> char {
    match c {
        '`' => '◆',
        'a' => '▒',
        'f' => '°',
        'g' => '±',
        'j' => '┘',
        'k' => '┐',
        'l' => '┌',
        'm' => '└',
        'n' => '┼',
        'o' => '⎺',
        'p' => '⎻',
        'q' => '─',
        'r' => '⎼',
        's' => '⎽',
        't' => '├',
        'u' => '┤',
        'v' => '┴',
        'w' => '┬',
        'x' => '│',
        'y' => '≤',
        'z' => '≥',
        '~' => '·',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Vec<(String, Style)> {
        let lines = lines(&[text.as_bytes().to_vec()]);
        lines[0].spans.iter().map(|s| (s.content.to_string(), s.style)).collect()
    }

    #[test]
    fn colours_of_all_depths() {
        let style = Style::default();
        assert_eq!(read("\x1b[31mred"), [("red".into(), style.fg(Color::Indexed(1)))]);
        assert_eq!(read("\x1b[97;40mx"), [("x".into(), style.fg(Color::Indexed(15)).bg(Color::Indexed(0)))]);
        assert_eq!(read("\x1b[38;5;208mx"), [("x".into(), style.fg(Color::Indexed(208)))]);
        assert_eq!(read("\x1b[38;2;1;2;3mx"), [("x".into(), style.fg(Color::Rgb(1, 2, 3)))]);
        assert_eq!(read("\x1b[48:2::1:2:3mx"), [("x".into(), style.bg(Color::Rgb(1, 2, 3)))]);
        assert_eq!(read("a\x1b[1mb\x1b[0mc")[2], ("c".into(), style));
    }

    #[test]
    fn state_is_carried_over_lines() {
        let two = lines(&[b"\x1b[31ma".to_vec(), b"b".to_vec()]);
        assert_eq!(two[1].spans[0].style.fg, Some(Color::Indexed(1)));
    }

    #[test]
    fn line_drawing_and_everything_else() {
        assert_eq!(read("\u{e}lqk\u{f}lqk"), [("┌─┐lqk".into(), Style::default())]);
        assert_eq!(
            read("\x1b]8;;http://x\x07link\x1b]8;;\x1b\\\x1b[2J\x1b[?25h"),
            [("link".into(), Style::default())]
        );
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_give_no_control_characters(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            for line in lines(&[bytes]) {
                for span in line.spans {
                    prop_assert!(!span.content.chars().any(char::is_control));
                }
            }
        }

        #[test]
        fn sgr_of_any_kind(parameters in "[0-9;:]{0,40}") {
            read(&format!("\x1b[{parameters}mx"));
        }
    }
}
