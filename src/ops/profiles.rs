//! What is changed on tmux sessions when their profile is renamed.

use super::launch::is_of;
use super::{Cx, OpResult};
use crate::domain::id::ProfileName;
use crate::ports::MuxError;
use crate::ports::mux::{SessionRef, Tag, TagName};

/// Writes the profile's new name on its tmux sessions: before its folder is
/// renamed, so that at no moment they seem to belong to a profile that lost its records.
///
/// # Errors
/// [`super::OpError`] when the server can't be asked; the sessions still belong by their ids.
pub fn retag_profile(cx: &Cx, name: &ProfileName) -> OpResult<()> {
    let profile = cx.store.load()?.profile;
    let rows = match cx.mux.panes(None) {
        Err(MuxError::NoServer(_)) => return Ok(()),
        other => other?.rows,
    };
    let name = name.to_string();
    let ours = rows.iter().filter(|r| profile.sessions.iter().any(|s| is_of(cx, r, s)));
    let news: Vec<(SessionRef, Tag)> =
        ours.map(|r| (r.session.clone(), Tag::new(TagName::Profile, &name))).collect();
    if news.is_empty() { Ok(()) } else { Ok(cx.mux.tag_each(&news)?) }
}
