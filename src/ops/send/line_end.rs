//! Whether a program that reads lines took the last one: its input can't be read, but the cursor and what it writes can.

use crate::domain::screen::Lines;
use crate::ops::OpResult;
use crate::ports::mux::{MuxRead, PaneRef};

/// The end of what was typed into a program that reads lines.
pub(super) struct LineEnd {
    /// The cursor's row.
    row: usize,
    /// The screen's lines.
    lines: Vec<String>,
}

impl LineEnd {
    /// Where the cursor is, on this screen; none where it is hidden.
    pub fn of(mux: &dyn MuxRead, pane: &PaneRef, typed: &Option<String>) -> OpResult<Option<Self>> {
        let lines = Lines::of(typed.as_deref().unwrap_or_default()).raw;
        Ok(cursor_row(mux, pane)?.map(|row| Self { row, lines }))
    }

    /// Whether the cursor is still on that row.
    pub fn is_there(&self, mux: &dyn MuxRead, pane: &PaneRef) -> OpResult<bool> {
        Ok(cursor_row(mux, pane)?.is_none_or(|row| row == self.row))
    }

    /// Whether there is something below the line that was not there before.
    pub fn was_answered(&self, now: &Option<String>) -> bool {
        let now = Lines::of(now.as_deref().unwrap_or_default()).raw;
        let Some(line) = self.lines.get(self.row) else { return false };
        let above = self.row.checked_sub(1).and_then(|i| self.lines.get(i));
        // It may have scrolled, or not have been drawn to its end; and what answers may repeat it.
        let is_it = |i: &usize| {
            now.get(*i).is_some_and(|l| l.starts_with(line))
                && (above.is_none() || i.checked_sub(1).and_then(|i| now.get(i)) == above)
        };
        let found = match above {
            None => (0..now.len()).find(is_it),
            Some(_) => (0..now.len()).rev().find(is_it),
        };
        let Some(at) = found else { return now != self.lines };
        let below = |lines: &[String], at: usize| lines.get(at + 1..).unwrap_or_default().to_vec();
        let after = below(&now, at);
        after != below(&self.lines, self.row) && after.iter().any(|l| !l.is_empty())
    }
}

fn cursor_row(mux: &dyn MuxRead, pane: &PaneRef) -> OpResult<Option<usize>> {
    let capture = mux.capture(pane, 0)?;
    Ok(capture.and_then(|p| p.cursor).map(|(_, row)| usize::from(row)))
}
