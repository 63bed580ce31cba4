//! Noting that the user knows about a session.

use super::launch::find_row;
use super::{Deck, OpResult};
use crate::domain::id::SessionId;

/// Acknowledges what a session has done so far. One that isn't there needs no acknowledgement.
///
/// # Errors
/// [`super::OpError`] when the session or the server can't be asked.
pub fn acknowledge(deck: &Deck, id: &SessionId) -> OpResult<()> {
    let session = deck.session(id)?;
    if let Some(row) = find_row(deck, &session)? {
        let now = deck.clock.now().as_millisecond().to_string();
        deck.mux.set_options(&row.session, &[("@deck_ack", &now)])?;
    }
    Ok(())
}
