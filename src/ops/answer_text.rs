//! Text that is written into the field of a choice: "Type something".
//!
//! Invariants: before each key the dialog is still the one that was shown, with the same question and the same
//! other choices; Enter follows only a text that is seen in it.

use super::answer::{POLL_INTERVAL, STANDS, Seen, read};
use super::{Cx, OpError, OpResult};
use crate::domain::screen::{Choice, Press};
use crate::domain::session::Session;
use crate::ports::mux::PaneRow;

/// After how many polls to give up.
const GIVE_UP: u32 = 30;
/// How much of the end of a text is looked for: a field may scroll.
const TAIL: usize = 24;

/// Goes to a choice, writes the text into its field and sends it.
pub(super) fn write(
    cx: &Cx,
    session: &Session,
    row: &PaneRow,
    before: &Seen,
    choice: &Choice,
    text: &str,
) -> OpResult<()> {
    let field = Field { cx, session, row, before, choice };
    if !choice.here {
        field.go_there()?;
        field.until(|now| field.is_open(now))?;
    }
    super::acknowledge(cx, &session.id)?;
    cx.pause(STANDS)?;
    let empty = field.same()?;
    // What an answer before this one wrote too late is there now: it would be sent twice in one.
    if !field.holds(&empty, text) {
        cx.mux.type_text(&row.pane, text)?;
        let is_written = |now: &Seen| times(&now.screen, text) > times(&empty.screen, text);
        field.until(is_written)?;
        cx.pause(STANDS)?;
        let written = field.same()?;
        if !is_written(&written) {
            return Err(field.not_taken());
        }
    }
    cx.mux.keys(&row.pane, &["Enter"])?;
    for _ in 0..GIVE_UP {
        cx.pause(POLL_INTERVAL)?;
        if !read(cx, session, row)?.is_some_and(|now| field.is_same(&now)) {
            return Ok(());
        }
    }
    Err(field.not_taken())
}

struct Field<'a> {
    cx: &'a Cx,
    session: &'a Session,
    row: &'a PaneRow,
    before: &'a Seen,
    choice: &'a Choice,
}

impl Field<'_> {
    fn go_there(&self) -> OpResult<()> {
        match self.choice.press {
            Press::Number => self.cx.mux.keys(&self.row.pane, &[&self.choice.number.to_string()])?,
            Press::Steps(steps) if self.before.dialog.choices.iter().any(|c| c.here) => {
                let way = if steps < 0 { "Up" } else { "Down" };
                let keys = vec![way; usize::try_from(steps.unsigned_abs()).unwrap_or(0)];
                self.cx.mux.keys(&self.row.pane, &keys)?;
            }
            _ => {
                let (session, choice) = (self.session.name(), self.choice.label.clone());
                return Err(OpError::NotAChoice { session, choice, is_text: false });
            }
        }
        Ok(())
    }

    /// Whether the cursor is in the field; where no cursor is drawn, whether anything came of the key.
    fn is_open(&self, now: &Seen) -> bool {
        let marks_cursor = self.before.dialog.choices.iter().any(|c| c.here);
        let here = now.dialog.choices.iter().any(|c| c.here && c.number == self.choice.number);
        here || (!marks_cursor && now.screen != self.before.screen)
    }

    /// Waits until the dialog is as wanted. It must not become another one meanwhile.
    fn until(&self, wanted: impl Fn(&Seen) -> bool) -> OpResult<()> {
        for _ in 0..GIVE_UP {
            self.cx.pause(POLL_INTERVAL)?;
            if wanted(&self.same()?) {
                return Ok(());
            }
        }
        Err(self.not_taken())
    }

    /// The dialog as it is now.
    fn same(&self) -> OpResult<Seen> {
        let now = read(self.cx, self.session, self.row)?.filter(|now| self.is_same(now));
        now.ok_or_else(|| OpError::DialogChanged(self.session.name()))
    }

    /// Whether this very text is written in the field.
    fn holds(&self, now: &Seen, text: &str) -> bool {
        let field = now.dialog.choices.iter().find(|c| c.number == self.choice.number);
        field.is_some_and(|c| solid(&c.label) == solid(text))
    }

    /// Whether it is the same question with the same choices, whatever is written into this one.
    fn is_same(&self, now: &Seen) -> bool {
        let (a, b) = (&self.before.dialog, &now.dialog);
        let is_one = |(a, b): (&Choice, &Choice)| {
            a.number == b.number && (a.number == self.choice.number || a.label == b.label)
        };
        a.rule == b.rule
            && a.asks == b.asks
            && a.choices.len() == b.choices.len()
            && a.choices.iter().zip(&b.choices).all(is_one)
    }

    fn not_taken(&self) -> OpError {
        OpError::NotTaken { session: self.session.name(), choice: self.choice.label.clone() }
    }
}

/// A text without blanks and frames.
fn solid(text: &str) -> Vec<char> {
    let is_frame = |c: char| ('\u{2500}'..='\u{257f}').contains(&c);
    text.chars().filter(|c| !c.is_whitespace() && !is_frame(*c)).collect()
}

/// How often the end of a text is on a screen, however it is wrapped and framed.
fn times(screen: &str, text: &str) -> usize {
    let (screen, text) = (crate::domain::screen::Lines::of(screen).text.join(""), solid(text));
    let tail: String = text.iter().skip(text.len().saturating_sub(TAIL)).collect();
    let screen: String = solid(&screen).into_iter().collect();
    if tail.is_empty() { 0 } else { screen.matches(&tail).count() }
}
