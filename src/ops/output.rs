//! What an agent shows.

use super::panes::find_row;
use super::{Cx, OpError, OpResult};
use crate::domain::id::SessionId;
use crate::ports::mux::ScreenCapture;

/// The session's screen, with its colours.
///
/// # Errors
/// [`OpError::NotRunning`] when there is none.
pub fn screen(cx: &Cx, id: &SessionId) -> OpResult<ScreenCapture> {
    let session = cx.session(id)?;
    let row = find_row(cx, &session)?.ok_or_else(|| OpError::NotRunning(session.name()))?;
    cx.mux.capture(&row.pane, 0)?.ok_or(OpError::NotRunning(session.name()))
}

/// The last `lines` lines of the session with what has scrolled away, as text.
///
/// # Errors
/// [`OpError::NotRunning`] when there is none.
pub fn history(cx: &Cx, id: &SessionId, lines: u32) -> OpResult<String> {
    let session = cx.session(id)?;
    let row = find_row(cx, &session)?.ok_or_else(|| OpError::NotRunning(session.name()))?;
    let text = cx.mux.history(&row.pane, lines)?.ok_or(OpError::NotRunning(session.name()))?;
    let all: Vec<&str> = text.trim_end().lines().collect();
    let wanted = usize::try_from(lines).unwrap_or(usize::MAX);
    Ok(all.iter().skip(all.len().saturating_sub(wanted)).map(|l| format!("{l}\n")).collect())
}
