//! Finding the worker that a word means.

use super::WorkerError;
use crate::domain::id::SessionId;
use crate::domain::profile::Profile;
use crate::domain::resolve::resolve;
use crate::domain::session::Session;
use crate::domain::worker::{Tab, Worker, WorkerId, find_tab, split, tabs};
use crate::ops::{Cx, OpResult};

/// What `SESSION` or `SESSION:WORKER` means.
#[derive(Debug, Clone)]
pub enum Target {
    /// A session, or its agent, or a further agent, which is a session of its own.
    Session(Box<Session>),
    /// A worker of a session that is no agent.
    Worker(Box<Session>, Box<Worker>),
}

/// A worker, as it is named everywhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerName {
    pub session: SessionId,
    pub worker: WorkerId,
}

/// The session or the worker that a word means: a session as a whole first, since a title may hold colons.
///
/// # Errors
/// [`crate::ops::OpError::Resolve`], [`WorkerError::NoWorker`].
pub fn find(cx: &Cx, word: &str) -> OpResult<Target> {
    let profile = cx.profile.store.load()?.profile;
    find_in(cx, &profile, word)
}

fn find_in(cx: &Cx, profile: &Profile, word: &str) -> OpResult<Target> {
    let inside = cx.caller.inside.as_ref();
    let whole = match resolve(profile, word, inside) {
        Ok(session) => return Ok(Target::Session(Box::new(session.clone()))),
        Err(error) => error,
    };
    let named = split(word).filter_map(|(s, w)| Some((resolve(profile, s, inside).ok()?, w)));
    let mut missing = None;
    for (session, worker) in named {
        match find_tab(profile, session, worker) {
            Some(Tab::Agent) => return Ok(Target::Session(Box::new(session.clone()))),
            Some(Tab::Further(agent)) => return Ok(Target::Session(Box::new(agent.clone()))),
            Some(Tab::Worker(worker)) => {
                return Ok(Target::Worker(Box::new(session.clone()), Box::new(worker.clone())));
            }
            None => missing = missing.or(Some(no_worker(profile, session, worker))),
        }
    }
    // A worker's id names it by itself.
    let by_id =
        profile.live_sessions().find_map(|s| Some((s, s.workers.iter().find(|w| w.id.as_str() == word)?)));
    if let Some((session, worker)) = by_id {
        return Ok(Target::Worker(Box::new(session.clone()), Box::new(worker.clone())));
    }
    Err(missing.map_or_else(|| whole.into(), Into::into))
}

fn no_worker(profile: &Profile, session: &Session, name: &str) -> WorkerError {
    let numbered = |(at, tab): (usize, &Tab)| format!("{} {}", at + 1, tab.name(session));
    let names = tabs(profile, session).iter().enumerate().map(numbered).collect();
    WorkerError::NoWorker { session: session.name(), name: name.to_owned(), names }
}

/// The session with a worker of its own, as they are now.
///
/// # Errors
/// [`WorkerError::NoWorker`].
pub(super) fn record(cx: &Cx, name: &WorkerName) -> OpResult<(Session, Worker)> {
    let profile = cx.profile.store.load()?.profile;
    let session = cx.session(&name.session)?;
    match session.workers.iter().find(|w| w.id == name.worker).cloned() {
        Some(worker) => Ok((session, worker)),
        None => Err(no_worker(&profile, &session, name.worker.as_str()).into()),
    }
}
