//! A pane's captured rows, with their escape sequences, read into styled text.
//!
//! A capture holds text and SGR sequences, carries their state over line ends, and draws lines with SO and SI around
//! letters. Everything else is stripped: what is returned holds no control character and reorders no text around it.
//! No input panics.

mod drawing;
mod sgr;

#[cfg(any(test, feature = "web"))]
pub use sgr::sgr;
pub use sgr::{Attributes, Colour, Pen};

use unicode_width::UnicodeWidthChar;

/// Text that is drawn with one pen.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Run {
    pub text: String,
    pub pen: Pen,
}

/// Columns from one tab stop to the next.
const TAB: usize = 8;

/// Reads the rows of one capture.
pub fn rows(raw: &[Vec<u8>]) -> Vec<Vec<Run>> {
    let mut reader = Reader::default();
    raw.iter().map(|row| reader.row(&String::from_utf8_lossy(row))).collect()
}

#[derive(Default)]
struct Reader {
    pen: Pen,
    /// Whether letters stand for line-drawing characters.
    drawing: bool,
}

impl Reader {
    fn row(&mut self, text: &str) -> Vec<Run> {
        let mut runs = Vec::new();
        let mut run = String::new();
        let mut column = 0;
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                '\u{e}' => self.drawing = true,
                '\u{f}' => self.drawing = false,
                '\u{1b}' => {
                    let before = self.pen;
                    self.escape(&mut chars);
                    if self.pen != before && !run.is_empty() {
                        runs.push(Run { text: std::mem::take(&mut run), pen: before });
                    }
                }
                '\t' => {
                    let blanks = TAB - column % TAB;
                    run.extend(std::iter::repeat_n(' ', blanks));
                    column += blanks;
                }
                c if c.is_control() || is_reordering(c) => {}
                c => {
                    let c = if self.drawing { drawing::drawn(c) } else { c };
                    column += c.width().unwrap_or(0);
                    run.push(c);
                }
            }
        }
        if !run.is_empty() {
            runs.push(Run { text: run, pen: self.pen });
        }
        runs
    }

    fn escape(&mut self, chars: &mut std::iter::Peekable<std::str::Chars<'_>>) {
        match chars.next() {
            Some('[') => {
                let mut parameters = String::new();
                for c in chars.by_ref() {
                    if ('\u{40}'..='\u{7e}').contains(&c) {
                        if c == 'm' {
                            self.pen.take(&parameters);
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
}

/// Whether it changes the order in which the text around it is shown, or ends a line for some programs.
fn is_reordering(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Vec<(String, Pen)> {
        rows(&[text.as_bytes().to_vec()])[0].iter().map(|r| (r.text.clone(), r.pen)).collect()
    }

    fn fg(fg: Colour) -> Pen {
        Pen { fg, ..Pen::default() }
    }

    #[test]
    fn colours_of_all_depths() {
        assert_eq!(read("\x1b[31mred"), [("red".into(), fg(Colour::Indexed(1)))]);
        assert_eq!(
            read("\x1b[97;40mx"),
            [("x".into(), Pen { bg: Colour::Indexed(0), ..fg(Colour::Indexed(15)) })]
        );
        assert_eq!(read("\x1b[38;5;208mx"), [("x".into(), fg(Colour::Indexed(208)))]);
        assert_eq!(read("\x1b[38;2;1;2;3mx"), [("x".into(), fg(Colour::Rgb(1, 2, 3)))]);
        assert_eq!(
            read("\x1b[48:2::1:2:3mx"),
            [("x".into(), Pen { bg: Colour::Rgb(1, 2, 3), ..Pen::default() })]
        );
        assert_eq!(read("a\x1b[1mb\x1b[0mc")[2], ("c".into(), Pen::default()));
    }

    #[test]
    fn a_curly_underline_is_an_underline_and_nothing_else() {
        let pen = read("\x1b[4:3mx")[0].1;
        assert!(pen.attributes.has(Attributes::UNDERLINED) && !pen.attributes.has(Attributes::ITALIC));
        let pen = read("\x1b[4;58;5;9;1mx")[0].1;
        assert_eq!(pen.attributes, Attributes::UNDERLINED.with(Attributes::BOLD));
        assert_eq!(read("\x1b[4:0mx")[0].1, Pen::default());
    }

    #[test]
    fn state_is_carried_over_lines() {
        let two = rows(&[b"\x1b[31ma".to_vec(), b"b".to_vec()]);
        assert_eq!(two[1][0].pen, fg(Colour::Indexed(1)));
    }

    #[test]
    fn line_drawing_tabs_and_everything_else() {
        assert_eq!(read("\u{e}lqk\u{f}lqk"), [("┌─┐lqk".into(), Pen::default())]);
        assert_eq!(
            read("\x1b]8;;http://x\x07link\x1b]8;;\x1b\\\x1b[2J\x1b[?25h"),
            [("link".into(), Pen::default())]
        );
        assert_eq!(read("ab\tc\t"), [("ab      c       ".into(), Pen::default())]);
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_give_no_control_characters(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            for row in rows(&[bytes]) {
                for run in row {
                    prop_assert!(!run.text.chars().any(char::is_control));
                }
            }
        }

        #[test]
        fn a_pen_is_read_as_it_was_written(parameters in "[0-9;:]{0,40}") {
            let pens: Vec<Pen> = read(&format!("\x1b[{parameters}mx")).into_iter().map(|(_, pen)| pen).collect();
            for pen in pens {
                prop_assert_eq!(read(&format!("{}x", sgr(pen))), [("x".to_owned(), pen)]);
            }
        }
    }
}
