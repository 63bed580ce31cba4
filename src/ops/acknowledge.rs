//! Noting that the user knows about a session.

use super::panes::find_row;
use super::{Cx, OpResult};
use crate::domain::id::SessionId;
use crate::ports::mux::{Tag, TagName};

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
