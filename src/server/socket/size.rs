//! The size of a pane: a page only sees it, unless its user asks for another one and no terminal shows the session.

use crate::domain::session::Session;
use crate::ops::{self, Cx, OpResult};
use crate::ports::mux::{PaneRef, PaneRow};

/// What a pane may be given, columns and rows.
const COLUMNS: std::ops::RangeInclusive<u16> = 20..=400;
const ROWS: std::ops::RangeInclusive<u16> = 5..=200;

/// A pane that a page shows.
#[derive(Debug, Clone)]
pub struct Shown {
    pub session: Session,
    pub pane: PaneRef,
    /// The row of an agent; none of a terminal.
    pub row: Option<PaneRow>,
    /// Whether a terminal shows its session.
    pub attached: bool,
}

impl Shown {
    /// Whether its size may be changed.
    pub fn is_free(&self) -> bool {
        !self.attached && self.row.as_ref().is_none_or(|row| ops::can_fit(&self.session, row))
    }

    /// Gives it a size, as near to this one as there is.
    ///
    /// # Errors
    /// [`ops::OpError`] when it is gone.
    pub fn fit(&self, cx: &Cx, size: (u16, u16)) -> OpResult<(u16, u16)> {
        let within = |n: u16, range: std::ops::RangeInclusive<u16>| n.clamp(*range.start(), *range.end());
        let size = (within(size.0, COLUMNS), within(size.1, ROWS));
        match &self.row {
            Some(row) => ops::fit(cx, row, size)?,
            None => ops::fit_terminal(cx, &self.pane, size)?,
        }
        Ok(size)
    }
}
