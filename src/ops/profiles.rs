//! What is changed on tmux sessions when their profile is renamed.

use super::panes::{PaneRole, panes, role};
use super::{Cx, OpResult};
use crate::domain::id::ProfileName;
use crate::ports::mux::{PaneRow, SessionRef, Tag, TagName};

/// Writes the profile's new name on its tmux sessions: before its folder is
/// renamed, so that at no moment they seem to belong to a profile that lost its records.
///
/// # Errors
/// [`super::OpError`] when the server can't be asked; the sessions still belong by their ids.
pub fn retag_profile(cx: &Cx, name: &ProfileName) -> OpResult<()> {
    let profile = cx.profile.store.load()?.profile;
    let rows = panes(cx, &profile.sessions)?.rows;
    let name = name.to_string();
    let is_ours = |r: &&PaneRow| matches!(role(cx, r, &profile.sessions), PaneRole::Agent(id) if profile.session(&id).is_some());
    let ours = rows.iter().filter(is_ours);
    let news: Vec<(SessionRef, Tag)> =
        ours.map(|r| (r.session.clone(), Tag::new(TagName::Profile, &name))).collect();
    if news.is_empty() { Ok(()) } else { Ok(cx.mux.tag_each(&news)?) }
}
