//! From one capture of a pane to the next.
//!
//! Invariant: how many lines scrolled away is never guessed. Lines of the history that were seen before must stand where
//! the count says; otherwise the step is a [`Step::Jump`].

use std::fmt::Write as _;

use super::capture::{Capture, Facts};
use super::row::encoded;

/// More lines than this that scrolled away between two captures are not painted one after the other.
const MAX_LINES: usize = 400;
/// Nor are more bytes than this.
const MAX_BYTES: usize = 64 * 1024;
/// By how many lines of the history a count of scrolled lines is checked.
const ANCHOR: usize = 24;
/// How many times in a row the history may have reached its limit between two captures.
const MAX_DROPS: i64 = 4;

/// What follows from one more capture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// It shows the same.
    Same,
    /// Write these bytes; so many lines scrolled away.
    Paint(String, u32),
    /// Capture again with so many lines of the history: these don't reach back to what was seen before.
    More(u32),
    /// Write these bytes: the screen is right, but what scrolled away is missing. From now on only the screen is
    /// painted, until [`Painter::whole`].
    Jump(String),
    /// It can't be continued: the pane has another size, process or screen. Only [`Painter::whole`] helps.
    Restart,
}

/// What a terminal shows that has written everything so far.
#[derive(Debug, Default)]
pub struct Painter {
    shown: Option<Shown>,
}

#[derive(Debug)]
struct Shown {
    facts: Facts,
    screen: Vec<String>,
    /// The last lines of the history, oldest first.
    anchor: Vec<String>,
    /// Whether what scrolled away is missing.
    behind: bool,
}

impl Painter {
    /// How many lines of history the next capture should have.
    pub fn wants(&self) -> u32 {
        const USUAL: u32 = 40;
        match &self.shown {
            Some(shown) if shown.behind => 0,
            _ => USUAL,
        }
    }

    /// Takes one more capture.
    pub fn step(&mut self, capture: &Capture) -> Step {
        let Some(shown) = &mut self.shown else { return Step::Restart };
        let (old, new) = (shown.facts, capture.facts);
        if (old.size, old.alternate, old.pid) != (new.size, new.alternate, new.pid) {
            return Step::Restart;
        }
        let rows = encoded(&capture.rows);
        let (history, screen) = rows.split_at(capture.back().min(rows.len()));
        if shown.behind {
            return shown.paint(&[], screen, new).map_or(Step::Same, |bytes| Step::Paint(bytes, 0));
        }
        match shown.scrolled(history, new) {
            Scrolled::By(n) => {
                let lines = history.get(history.len() - n..).unwrap_or_default();
                if n > MAX_LINES || lines.iter().map(String::len).sum::<usize>() > MAX_BYTES {
                    return shown.jump(screen, new);
                }
                let painted = shown.paint(lines, screen, new);
                shown.remember(history);
                painted.map_or(Step::Same, |bytes| Step::Paint(bytes, u32::try_from(n).unwrap_or(u32::MAX)))
            }
            Scrolled::Further(lines) => Step::More(lines),
            Scrolled::Unknown => shown.jump(screen, new),
        }
    }

    /// Gives up on what scrolled away: the screen alone is painted, as after a [`Step::Jump`].
    pub fn skip(&mut self, capture: &Capture) -> Step {
        let Some(shown) = &mut self.shown else { return Step::Restart };
        let rows = encoded(&capture.rows);
        let screen = rows.get(capture.back().min(rows.len())..).unwrap_or_default();
        shown.jump(screen, capture.facts)
    }

    /// Begins with a capture as it is: what to write to a terminal that was reset, and how many of its rows are history.
    pub fn whole(&mut self, capture: &Capture) -> (String, u32) {
        let rows = encoded(&capture.rows);
        let back = capture.back().min(rows.len());
        let (history, screen) = rows.split_at(back);
        let mut shown =
            Shown { facts: capture.facts, screen: screen.to_vec(), anchor: Vec::new(), behind: false };
        shown.remember(history);
        self.shown = Some(shown);
        // Rows are as wide as the pane: a viewer's terminal that counts a character wider must not wrap.
        let mut out = "\x1b[?7l\x1b[0m".to_owned();
        out.push_str(&rows.join("\r\n"));
        cursor(&mut out, capture.facts);
        (out, u32::try_from(back).unwrap_or(u32::MAX))
    }
}

/// How many lines scrolled away.
enum Scrolled {
    By(usize),
    /// The capture must have so many lines of history to say it.
    Further(u32),
    Unknown,
}

impl Shown {
    /// How many lines of `history` are new.
    fn scrolled(&self, history: &[String], new: Facts) -> Scrolled {
        let grown = i64::from(new.history) - i64::from(self.facts.history);
        let tenth = i64::from((new.limit / 10).max(1));
        let mut further = None;
        for drops in 0..=MAX_DROPS {
            let Ok(n) = usize::try_from(grown + drops * tenth) else { continue };
            let at_limit = i64::from(new.history) > i64::from(new.limit) - tenth;
            let anchors = self.anchor.len();
            // What was seen before must still be there to say how much is new, once lines may have been dropped.
            let is_provable = n + anchors <= new.history as usize && (anchors > 0 || n == 0 || !at_limit);
            if !is_provable || (drops > 0 && !at_limit) {
                break;
            }
            if n + anchors > history.len() {
                if n <= MAX_LINES {
                    further = u32::try_from(n + ANCHOR + self.screen.len()).ok();
                }
                continue;
            }
            let end = history.len() - n;
            let seen = history.get(end - anchors..end).unwrap_or_default();
            if self.anchor.ends_with(seen) {
                return Scrolled::By(n);
            }
        }
        further.map_or(Scrolled::Unknown, Scrolled::Further)
    }

    fn remember(&mut self, history: &[String]) {
        self.anchor = history.get(history.len().saturating_sub(ANCHOR)..).unwrap_or_default().to_vec();
    }

    fn jump(&mut self, screen: &[String], new: Facts) -> Step {
        self.behind = true;
        self.anchor.clear();
        Step::Jump(self.paint(&[], screen, new).unwrap_or_default())
    }

    /// The bytes that scroll these lines away and then show this screen; none if all of it is shown already.
    fn paint(&mut self, scrolled: &[String], screen: &[String], new: Facts) -> Option<String> {
        let mut out = String::new();
        let height = self.screen.len().max(1);
        for lines in scrolled.chunks(height) {
            // Each is written where it stood, and then leaves at the top.
            for (row, line) in lines.iter().enumerate() {
                self.put(&mut out, row, line);
            }
            // Writing to a string doesn't fail.
            let _ = write!(out, "\x1b[0m\x1b[{height};1H");
            out.extend(std::iter::repeat_n('\n', lines.len()));
            self.screen.drain(..lines.len().min(self.screen.len()));
            self.screen.resize(height, String::new());
        }
        for (row, line) in screen.iter().enumerate() {
            self.put(&mut out, row, line);
        }
        let moved = (new.cursor, new.cursor_shown) != (self.facts.cursor, self.facts.cursor_shown);
        self.facts = new;
        if out.is_empty() && !moved {
            return None;
        }
        let mut frame = "\x1b[?2026h".to_owned();
        frame.push_str(&out);
        cursor(&mut frame, new);
        frame.push_str("\x1b[?2026l");
        Some(frame)
    }

    /// Writes a row, unless it is shown already.
    fn put(&mut self, out: &mut String, row: usize, line: &str) {
        let Some(shown) = self.screen.get_mut(row) else { return };
        if shown != line {
            let _ = write!(out, "\x1b[{};1H\x1b[2K{line}", row + 1);
            line.clone_into(shown);
        }
    }
}

/// Puts the cursor where it is, and shows or hides it.
fn cursor(out: &mut String, facts: Facts) {
    let (column, row) = facts.cursor;
    let column = column.min(facts.size.0.saturating_sub(1));
    let shown = if facts.cursor_shown { 'h' } else { 'l' };
    let _ = write!(out, "\x1b[{};{}H\x1b[?25{shown}", row + 1, column + 1);
}
