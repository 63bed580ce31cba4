//! Waiting for sessions to reach a status.
//!
//! Invariant: it uses the same engine as everything else; a status that can no longer be reached is reported
//! at once, not waited for.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use super::{Blocking, Next};
use crate::domain::id::SessionId;
use crate::domain::status::{Reason, Status, Verdict};
use crate::ops::{Cx, OpError, OpResult, SessionState, Snapshot};
use crate::ports::MuxError;

/// What is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goal {
    /// It needs its user: a question, or a turn that is over.
    Waiting,
    /// It has nothing to do, whether its user knows or not.
    Idle,
    /// It works.
    Running,
    /// Its process ended.
    Exit,
}

/// How far a session is from a goal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// The goal is reached.
    Reached,
    /// It may come.
    Open,
    /// It can't come by itself any more.
    Never,
}

impl Goal {
    /// All goals with their words.
    pub const ALL: [(&'static str, Self); 4] =
        [("waiting", Self::Waiting), ("idle", Self::Idle), ("running", Self::Running), ("exit", Self::Exit)];

    /// How far a status is from it.
    pub fn progress(self, verdict: &Verdict) -> Progress {
        let ended = matches!(
            (verdict.status, &verdict.reason),
            (Status::Stopped, _)
                | (Status::Error, Some(Reason::Gone | Reason::Ended | Reason::Exited(_) | Reason::Killed(_)))
        );
        let reached = match self {
            Self::Waiting => verdict.status == Status::Waiting,
            Self::Idle => {
                verdict.status == Status::Idle
                    || (verdict.status == Status::Waiting && verdict.reason == Some(Reason::Finished))
            }
            Self::Running => verdict.status == Status::Running,
            Self::Exit => ended,
        };
        // An answer that nothing supports any more is none.
        match reached && verdict.unsure.is_none() {
            true => Progress::Reached,
            // An agent that failed needs its user, who won't come while they wait.
            false if ended || (verdict.status == Status::Error && self != Self::Exit) => Progress::Never,
            false => Progress::Open,
        }
    }
}

/// How a wait ended.
#[derive(Debug)]
pub struct Waited {
    /// The last poll.
    pub snapshot: Arc<Snapshot>,
    /// Each session's progress.
    pub progress: Vec<(SessionId, Progress)>,
    /// Whether the time was up.
    pub timed_out: bool,
}

/// How often to look whether the caller still waits.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Waits until every session, or with `any` one of them, has reached the goal or never will. A session
/// that is deleted meanwhile never will.
///
/// # Errors
/// [`OpError`] when the sessions can't be seen.
pub fn wait(
    cx: &Cx,
    polls: &mut Blocking,
    sessions: &[SessionId],
    goal: Goal,
    any: bool,
    until: Option<Timestamp>,
) -> OpResult<Waited> {
    let is_up = || until.is_some_and(|at| cx.clock.now() >= at);
    let begun = cx.clock.now();
    let mut last: Option<Waited> = None;
    loop {
        cx.check_cancelled()?;
        let poll = match polls.next_within(POLL_INTERVAL) {
            Next::Poll(poll) => poll,
            // A poll may take longer than there is time.
            Next::Nothing if is_up() => {
                let seconds = cx.clock.now().duration_since(begun).as_secs().unsigned_abs();
                return last.ok_or(OpError::Mux(MuxError::TimedOut(seconds)));
            }
            Next::Nothing => continue,
            Next::Ended => return Err(OpError::Mux(MuxError::Closed("polling ended".to_owned()))),
        };
        let snapshot = poll.snapshot()?.clone();
        let of = |state: Option<&SessionState>| state.map_or(Progress::Never, |l| goal.progress(&l.verdict));
        let progress: Vec<_> = sessions.iter().map(|id| (id.clone(), of(snapshot.state(id)))).collect();
        let is = |wanted| progress.iter().filter(|(_, p)| *p == wanted).count();
        let done =
            if any { is(Progress::Reached) > 0 || is(Progress::Open) == 0 } else { is(Progress::Open) == 0 };
        if done || is_up() {
            return Ok(Waited { snapshot, progress, timed_out: !done });
        }
        last = Some(Waited { snapshot, progress, timed_out: true });
    }
}
