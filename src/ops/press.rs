//! Pressing keys in a session.

use super::launch::find_row;
use super::{Deck, OpError, OpResult};
use crate::domain::id::SessionId;
use crate::domain::key_name::key_name;

/// Presses keys, by their names, one after another.
///
/// # Errors
/// [`OpError::NoKey`], before any is pressed; [`OpError::NotRunning`] when nobody would take them.
pub fn press(deck: &Deck, id: &SessionId, keys: &[String]) -> OpResult<()> {
    let names = keys
        .iter()
        .map(|k| key_name(k).ok_or_else(|| OpError::NoKey(k.clone())))
        .collect::<OpResult<Vec<String>>>()?;
    let session = deck.session(id)?;
    let row = find_row(deck, &session)?.filter(|r| r.dead.is_none());
    let row = row.ok_or(OpError::NotRunning(session.title))?;
    Ok(deck.mux.keys(&row.pane, &names.iter().map(String::as_str).collect::<Vec<_>>())?)
}
