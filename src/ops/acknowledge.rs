//! Noting that the user knows about a session.

use super::panes::find_row;
use super::{Cx, OpResult};
use crate::domain::id::SessionId;
use crate::ports::mux::{Tag, TagName};

/// The same for a session that somebody was attached to, unless the window that they left it at is not its agent's.
///
/// # Errors
/// As for [`acknowledge`].
pub fn acknowledge_shown(cx: &Cx, id: &SessionId) -> OpResult<()> {
    let session = cx.session(id)?;
    match find_row(cx, &session)? {
        Some(row) if !row.facts.is_current => Ok(()),
        _ => acknowledge(cx, id),
    }
}

/// Acknowledges what a session has done so far. One that isn't there needs no acknowledgement.
///
/// # Errors
/// [`super::OpError`] when the session or the server can't be asked.
pub fn acknowledge(cx: &Cx, id: &SessionId) -> OpResult<()> {
    let session = cx.session(id)?;
    if let Some(row) = find_row(cx, &session)? {
        let now = cx.clock.now().as_millisecond().to_string();
        cx.mux.tag(&row.session, &[Tag::new(TagName::Acknowledged, now)])?;
    }
    Ok(())
}
