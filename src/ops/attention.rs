//! Which sessions need the user, and in which order: for the attention line, `next` and notifications.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::Snapshot;
use super::watch::SessionState;
use crate::domain::id::SessionId;
use crate::domain::session::Session;
use crate::domain::status::StatusKind;

/// The sessions that need their user: questions first, then failures, then finished turns; the one that waits
/// longest before the others.
pub fn needy(snapshot: &Snapshot) -> Vec<(&Session, &SessionState)> {
    type Key<'a> = (StatusKind, Timestamp, &'a SessionId);
    // Asked for in each frame: those that need nobody, which are most, are not looked up.
    let asking: BTreeMap<&SessionId, &SessionState> =
        snapshot.states.iter().filter(|(_, state)| state.verdict.kind().needs_user()).collect();
    if asking.is_empty() {
        return Vec::new();
    }
    let mut all: Vec<(Key<'_>, &Session, &SessionState)> = snapshot
        .profile
        .live_sessions()
        .filter_map(|s| {
            let state = *asking.get(&s.id)?;
            Some(((state.verdict.kind(), state.verdict.since, &s.id), s, state))
        })
        .collect();
    all.sort_by_key(|(key, ..)| *key);
    all.into_iter().map(|(_, s, l)| (s, l)).collect()
}
