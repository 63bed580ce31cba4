//! Which sessions need the user, and in which order: for the attention line, `next` and notifications.

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
    let mut all: Vec<(Key<'_>, &Session, &SessionState)> = snapshot
        .profile
        .live_sessions()
        .filter_map(|s| {
            let state = snapshot.state(&s.id)?;
            let kind = state.verdict.kind();
            kind.needs_user().then_some(((kind, state.verdict.since, &s.id), s, state))
        })
        .collect();
    all.sort_by_key(|(key, ..)| *key);
    all.into_iter().map(|(_, s, l)| (s, l)).collect()
}
