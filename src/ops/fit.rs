//! Giving a session's window the size at which it is seen, as long as no client shows it.

use super::{Cx, OpResult};
use crate::domain::session::Session;
use crate::domain::status::Resized;
use crate::ports::mux::{PaneRef, PaneRow, Tag, TagName};

/// Whether its window may be given another size: it is one that deck made, its agent runs, and no client shows it.
pub fn can_fit(session: &Session, row: &PaneRow) -> bool {
    session.tmux.adopted.is_none()
        && row.tags.adopted.is_none()
        && row.facts.dead.is_none()
        && !row.facts.is_looked_at
}

/// Gives the window of a session this many columns and rows. `row` is what was last known of it. What it draws because of
/// that is no activity.
///
/// # Errors
/// [`super::OpError`] when the session is gone.
pub fn fit(cx: &Cx, row: &PaneRow, size: (u16, u16)) -> OpResult<()> {
    let resized = Resized { at: cx.clock.now().as_millisecond(), drawn: row.own_activity() };
    cx.mux.resize(&row.pane, size, Some((&row.session, &Tag::new(TagName::Resized, resized.to_text()))))?;
    Ok(())
}

/// The same for a terminal beside an agent: nothing is read of what it draws.
///
/// # Errors
/// [`super::OpError`] when it is gone.
pub fn fit_terminal(cx: &Cx, pane: &PaneRef, size: (u16, u16)) -> OpResult<()> {
    Ok(cx.mux.resize(pane, size, None)?)
}
