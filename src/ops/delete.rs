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
    let all = ids.iter().map(|id| deck.session(id)).collect::<OpResult<Vec<_>>>()?;
    deck.mux.include(&all.iter().map(|s| s.tmux.socket.as_str()).collect::<Vec<_>>());
    let rows = match deck.mux.panes(None) {
        Err(MuxError::NoServer(_)) => Vec::new(),
        other => other?.rows,
    };
    let mut stopped = 0;
    let mut adopted = Vec::new();
    for id in ids {
        let session = deck.session(id)?;
        let there = rows.iter().find(|r| is_of(r, &session));
        if let Some(row) = there.filter(|r| r.adopted.is_some()) {
            // What deck did not start it does not end: it only lets go.
            adopted.push(row.session.clone());
            continue;
        }
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
    for session in adopted {
        super::adopt::let_go(deck, &session)?;
    }
    Ok(Deleted { sessions, stopped })
}
