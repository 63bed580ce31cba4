//! Which sessions need the user, and in which order: for the attention line, `next` and notifications.

use jiff::Timestamp;

use super::Snapshot;
use super::watch::SessionState;
use crate::domain::id::SessionId;
use crate::domain::session::Session;
use crate::domain::status::{Reason, Status};

/// How much a session needs its user; lower is more. `None` when it doesn't.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// It asks something and can't continue.
    Asks,
    Failed,
    /// Its turn is over.
    Finished,
}

/// How much a session needs its user.
pub const fn need(status: Status, reason: Option<&Reason>) -> Option<Need> {
    match (status, reason) {
        (Status::Waiting, Some(Reason::Finished)) => Some(Need::Finished),
        (Status::Waiting, _) => Some(Need::Asks),
        (Status::Error, _) => Some(Need::Failed),
        _ => None,
    }
}

/// The sessions that need their user: questions first, the one that waits longest before the others.
pub fn needy(snapshot: &Snapshot) -> Vec<(&Session, &SessionState)> {
    type Key<'a> = (Need, Timestamp, &'a SessionId);
    let mut all: Vec<(Key<'_>, &Session, &SessionState)> = snapshot
        .profile
        .live_sessions()
        .filter_map(|s| {
            let state = snapshot.state(&s.id)?;
            let need = need(state.verdict.status, state.verdict.reason.as_ref())?;
            Some(((need, state.verdict.since, &s.id), s, state))
        })
        .collect();
    all.sort_by_key(|(key, ..)| *key);
    all.into_iter().map(|(_, s, l)| (s, l)).collect()
}
