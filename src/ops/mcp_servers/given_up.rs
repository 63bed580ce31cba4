//! Which shared servers of the profile's sessions were given up.

use std::collections::BTreeMap;
use std::path::Path;

use crate::domain::mcp_servers::given_up::{FOLDER, GivenUp};
use crate::domain::profile::Profile;
use crate::ops::Cx;

/// Those that sessions of the profile use, by name, with why.
pub(super) fn given_up(cx: &Cx, profile: &Profile) -> BTreeMap<String, String> {
    let pattern = cx.installation.run.join(FOLDER).join("*.json");
    let notes = cx.host.all_files(&pattern.to_string_lossy()).into_iter();
    let of = |path: std::path::PathBuf| note(cx, &path);
    let is_own = |note: &GivenUp| {
        profile.live_sessions().any(|session| note.sessions.iter().any(|id| id == session.id.as_str()))
    };
    notes.filter_map(of).filter(is_own).map(|note| (note.name, note.why)).collect()
}

/// What a note says, while the process lives that wrote it.
fn note(cx: &Cx, path: &Path) -> Option<GivenUp> {
    let text = cx.host.read(path).ok()?;
    serde_json::from_str(&text).ok().filter(|note: &GivenUp| cx.host.lives(note.pid))
}
