//! Reviving sessions that were lost with their server: after a reboot, or a `kill-server`.
//!
//! Invariants: only what should be running and is gone is started; a session that another deck
//! revives at the same time is started once.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::worker::Returned;
use super::{Cx, OpError, OpResult, SessionState, Snapshot, Watcher, start, verify_resume_of};
use crate::domain::id::SessionId;
use crate::domain::session::Session;
use crate::domain::status::{Reason, Status};

/// How many are started at the same time.
const AT_ONCE: usize = 3;

/// The sessions that should be running and are gone.
pub fn lost(snapshot: &Snapshot) -> Vec<&Session> {
    let is_gone = |s: &&Session| {
        let verdict = snapshot.state(&s.id).map(|l| &l.verdict);
        verdict.is_some_and(|v| v.status == Status::Error && v.reason == Some(Reason::Gone))
    };
    snapshot.profile.live_sessions().filter(is_gone).collect()
}

/// Between two polls of what is under way.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Looks until no start is under way any more: one that was cut off shows as lost a moment later.
///
/// # Errors
/// [`OpError`] when the sessions can't be looked at.
pub fn look_settled(cx: &Cx) -> OpResult<Snapshot> {
    let mut snapshot = Watcher::new().tick(cx)?;
    let is_under_way =
        |(_, l): &(&SessionId, &SessionState)| l.row.is_none() && l.verdict.status == Status::Starting;
    let under_way: Vec<SessionId> =
        snapshot.states.iter().filter(is_under_way).map(|(id, _)| id.clone()).collect();
    let mut watcher = Watcher::of(under_way.clone());
    while snapshot.states.iter().any(|s| is_under_way(&s)) {
        cx.pause(POLL_INTERVAL)?;
        let now = watcher.tick(cx)?;
        // One that was deleted meanwhile is not in it.
        snapshot.states.retain(|id, _| !under_way.contains(id));
        snapshot.states.extend(now.states);
        snapshot.profile = now.profile;
    }
    Ok(snapshot)
}

/// What became of one.
#[derive(Debug)]
pub enum Revived {
    /// It runs, with its conversation if it had one.
    Started(Vec<Returned>),
    /// It runs already: another deck was faster.
    Running,
    /// It could not be started.
    Failed(OpError),
}

/// Starts sessions again, a few at a time, and reports each when it is done. None is begun for a caller who no
/// longer waits.
pub fn revive(cx: &Cx, ids: &[SessionId], report: impl Fn(&SessionId, Revived) + Send) {
    let next = AtomicUsize::new(0);
    // One word at a time.
    let report = Mutex::new(report);
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE.min(ids.len()) {
            scope.spawn(|| {
                while let Some(id) = ids.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let started = cx.check_cancelled().and_then(|()| start(cx, id, false, None));
                    let verified = started.and_then(|launched| {
                        verify_resume_of(cx, id)?;
                        Ok(launched.terminals)
                    });
                    let result = match verified {
                        Ok(terminals) => Revived::Started(terminals),
                        Err(OpError::Running(_)) => Revived::Running,
                        Err(error) => Revived::Failed(error),
                    };
                    let report = report.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                    report(id, result);
                }
            });
        }
    });
}
