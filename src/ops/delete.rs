//! Deleting sessions: into the trash, from where an undo brings them back.

use super::launch::is_of;
use super::stop::stop;
use super::{Deck, OpError, OpResult};
use crate::domain::id::SessionId;
use crate::domain::session::Session;
use crate::ports::{MuxError, transact};

/// What was deleted.
#[derive(Debug, Clone)]
pub struct Deleted {
    /// The records, now in the trash.
    pub sessions: Vec<Session>,
    /// How many of them ran and were stopped.
    pub stopped: usize,
}

/// Deletes sessions. One that runs is stopped first if `stop_first`, else nothing is deleted.
///
/// # Errors
/// [`OpError::StillRunning`] and others.
pub fn delete(deck: &Deck, ids: &[SessionId], stop_first: bool) -> OpResult<Deleted> {
    let rows = match deck.mux.panes(None) {
        Err(MuxError::NoServer(_)) => Vec::new(),
        other => other?.rows,
    };
    let mut stopped = 0;
    for id in ids {
        let session = deck.session(id)?;
        let there = rows.iter().find(|r| is_of(r, &session));
        if there.is_some_and(|r| r.dead.is_none()) && !stop_first {
            return Err(OpError::StillRunning(session.title));
        }
        if there.is_some() {
            stopped += usize::from(stop(deck, id)?);
        }
    }
    let now = deck.clock.now();
    let sessions = transact(&*deck.store, |profile| {
        let mut gone = Vec::new();
        for id in ids {
            if profile.delete_session(id, now) {
                gone.extend(profile.session(id).cloned());
            }
        }
        Ok::<_, OpError>(gone)
    })?;
    Ok(Deleted { sessions, stopped })
}
