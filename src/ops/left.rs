//! Leaving a session that had the terminal, or the one that its user went to from there.

use super::panes::{is_of, panes};
use super::{Cx, OpResult, acknowledge_shown};
use crate::domain::id::SessionId;

/// Notes that its user has seen a session that had the terminal. If they went to another one from there, they have seen that as
/// well: it is returned. `client` is the process of the terminal's client, which has ended.
///
/// # Errors
/// [`super::OpError`] when the sessions or the server can't be asked.
pub fn left(cx: &Cx, attached: &SessionId, client: i32) -> OpResult<Option<SessionId>> {
    acknowledge_shown(cx, attached)?;
    let Some(last) = cx.mux.last_session_of(client)? else { return Ok(None) };
    let profile = cx.profile.store.load()?.profile;
    let rows = panes(cx, profile.live_sessions())?.rows;
    let Some(row) = rows.into_iter().find(|r| r.session == last) else { return Ok(None) };
    // One of another profile is in no row of this one.
    let at = profile.live_sessions().find(|s| is_of(cx, &row, s)).map(|s| s.id.clone());
    let Some(id) = at.filter(|id| id != attached) else { return Ok(None) };
    acknowledge_shown(cx, &id)?;
    Ok(Some(id))
}
