//! Pressing keys in a session.

use super::panes::find_row;
use super::{Cx, OpError, OpResult, guard};
use crate::domain::guard::Act;
use crate::domain::id::SessionId;
use crate::domain::key_name::key_name;

/// Presses keys, by their names, one after another.
///
/// # Errors
/// [`OpError::NoKey`], before any is pressed; [`OpError::NotRunning`] when nobody would take them.
pub fn press(cx: &Cx, id: &SessionId, keys: &[String]) -> OpResult<()> {
    let names = keys
        .iter()
        .map(|k| key_name(k).ok_or_else(|| OpError::NoKey(k.clone())))
        .collect::<OpResult<Vec<String>>>()?;
    let session = cx.session(id)?;
    guard::check(cx, Act::Press, &session)?;
    let row = find_row(cx, &session)?.filter(|r| r.facts.dead.is_none());
    let row = row.ok_or(OpError::NotRunning(session.name()))?;
    Ok(cx.mux.keys(&row.pane, &names.iter().map(String::as_str).collect::<Vec<_>>())?)
}
