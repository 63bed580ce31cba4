//! Deleting sessions: they are moved to the trash, from which an undo restores them.

use super::panes::{is_of, panes};
use super::stop::{Terminals, stop};
use super::worker::WorkerError;
use super::{Cx, OpError, OpResult, guard};
use crate::domain::guard::Act;
use crate::domain::id::SessionId;
use crate::domain::profile::Profile;
use crate::domain::session::Session;
use crate::domain::worker::Worker;
use crate::ports::mux::TerminalRow;
use crate::ports::transact;

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
pub fn delete(cx: &Cx, ids: &[SessionId], stop_first: bool) -> OpResult<Deleted> {
    let profile = cx.profile.store.load()?.profile;
    let ids = &with_further(&profile, ids);
    let all = ids.iter().map(|id| cx.session(id)).collect::<OpResult<Vec<_>>>()?;
    all.iter().try_for_each(|session| guard::check(cx, Act::End, session))?;
    let now = cx.begun();
    let (stopped, sessions) = ended(cx, &all, stop_first, |profile| {
        let mut gone = Vec::new();
        for id in ids {
            if profile.delete_session(id, now) {
                gone.extend(profile.session(id).cloned());
            }
        }
        Ok(gone)
    })?;
    Ok(Deleted { sessions, stopped })
}

/// Sessions with their further agents, at any depth, which go with them.
fn with_further(profile: &Profile, ids: &[SessionId]) -> Vec<SessionId> {
    let mut all = ids.to_vec();
    let mut next = 0;
    while let Some(of) = all.get(next).cloned() {
        let further = profile.live_sessions().filter(|s| s.worker_of.as_ref() == Some(&of));
        let more: Vec<SessionId> = further.map(|s| s.id.clone()).filter(|id| !all.contains(id)).collect();
        all.extend(more);
        next += 1;
    }
    all
}

/// Ends what is about to be deleted, has it deleted, and releases what was adopted: deck doesn't end what it
/// did not start. Returns how many were stopped, and what `delete` returned.
///
/// # Errors
/// [`OpError::StillRunning`] before anything is ended, if one runs and may not be stopped; and others.
pub(super) fn ended<T>(
    cx: &Cx,
    sessions: &[Session],
    stop_first: bool,
    delete: impl FnMut(&mut Profile) -> OpResult<T>,
) -> OpResult<(usize, T)> {
    let list = panes(cx, sessions)?;
    for session in sessions {
        list.reached(cx.server_of(session))?;
    }
    let there = |session: &Session| list.rows.iter().find(|r| is_of(cx, r, session));
    let (adopted, own): (Vec<_>, Vec<_>) = sessions
        .iter()
        .filter_map(|session| Some((session, there(session)?)))
        .partition(|(_, row)| row.tags.adopted.is_some());
    let running = own.iter().find(|(_, row)| row.facts.dead.is_none() && !stop_first);
    if let Some((session, _)) = running {
        return Err(OpError::StillRunning(session.name()));
    }
    let is_of = |row: &TerminalRow, session: &Session| {
        row.of == session.id && session.workers.iter().any(|w| w.is_terminal() && w.id == row.worker)
    };
    let of = |session: &Session| list.terminals.iter().filter(|row| is_of(row, session)).collect::<Vec<_>>();
    for session in sessions.iter().filter(|_| !stop_first) {
        let beside = of(session);
        let runs = |w: &&Worker| beside.iter().any(|row| row.worker == w.id && row.facts.dead.is_none());
        let names: Vec<String> = session.workers.iter().filter(runs).map(|w| w.name.clone()).collect();
        if !names.is_empty() {
            return Err(WorkerError::TerminalsRun { session: session.name(), names }.into());
        }
    }
    let mut stopped = 0;
    for (session, _) in &own {
        stopped += usize::from(stop(cx, &session.id, Terminals::End)?.ran);
    }
    let alone = sessions.iter().filter(|s| own.iter().all(|(own, _)| own.id != s.id) && !of(s).is_empty());
    for session in alone {
        stop(cx, &session.id, Terminals::End)?;
    }
    let deleted = transact(&*cx.profile.store, delete)?;
    for session in sessions {
        super::mcp_servers::remove_files(cx, session, &[]);
    }
    for (_, row) in adopted {
        super::adopt::release(cx, &row.session)?;
    }
    Ok((stopped, deleted))
}
