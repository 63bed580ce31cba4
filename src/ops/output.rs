//! What an agent shows.

use super::launch::find_row;
use super::{Deck, OpError, OpResult};
use crate::domain::id::SessionId;
use crate::ports::mux::ScreenCapture;

/// The session's screen, with its colours.
///
/// # Errors
/// [`OpError::NotRunning`] when there is none.
pub fn screen(deck: &Deck, id: &SessionId) -> OpResult<ScreenCapture> {
    let session = deck.session(id)?;
    let row = find_row(deck, &session)?.ok_or_else(|| OpError::NotRunning(session.title.clone()))?;
    deck.mux.capture(&row.pane, 0)?.ok_or(OpError::NotRunning(session.title))
}

/// The last `lines` lines of the session with what has scrolled away, as text.
///
/// # Errors
/// [`OpError::NotRunning`] when there is none.
pub fn history(deck: &Deck, id: &SessionId, lines: u32) -> OpResult<String> {
    let session = deck.session(id)?;
    let row = find_row(deck, &session)?.ok_or_else(|| OpError::NotRunning(session.title.clone()))?;
    let text = deck.mux.history(&row.pane, lines)?.ok_or(OpError::NotRunning(session.title))?;
    let all: Vec<&str> = text.trim_end().lines().collect();
    let wanted = usize::try_from(lines).unwrap_or(usize::MAX);
    Ok(all.iter().skip(all.len().saturating_sub(wanted)).map(|l| format!("{l}\n")).collect())
}
