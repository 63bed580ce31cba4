//! Whether agents that were started to resume a conversation keep running: one that can't find it ends at once.
//!
//! Invariant: a conversation's id is never dropped because an agent did not accept it.

use std::time::Duration;

use super::worktree::PlaceError;
use super::{Cx, OpError, OpResult, Watcher};
use crate::domain::id::SessionId;
use crate::domain::session::Session;
use crate::domain::status::{Exit, SetupStep, Status};
use crate::domain::text;
use crate::ports::mux::PaneRow;

/// How long an agent that resumes may take to fail.
const TIMEOUT: Duration = Duration::from_secs(3);
/// Between two polls of them.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// How many of its last lines are shown.
const LINES: u32 = 5;

/// Waits until each of these sessions shows what it does, or three seconds are over. Returns those whose
/// agent ended meanwhile, each with its last lines.
///
/// # Errors
/// [`OpError`] when they can't be looked at.
fn verify_resume(cx: &Cx, ids: &[SessionId]) -> OpResult<Vec<(SessionId, OpError)>> {
    let mut watcher = Watcher::of(ids.iter().cloned());
    let mut open: Vec<SessionId> = ids.to_vec();
    let mut failed = Vec::new();
    for _ in 0..=TIMEOUT.as_millis() / POLL_INTERVAL.as_millis() {
        let snapshot = watcher.tick(cx)?;
        let mut still = Vec::new();
        for id in open {
            let (Some(session), Some(state)) = (snapshot.profile.session(&id), snapshot.state(&id)) else {
                continue;
            };
            match &state.row {
                Some(row) if row.facts.dead.is_some() && row.tags.setup.is_some() => {
                    failed.push((id, setup_failed(cx, session, row)?));
                }
                Some(row) if row.facts.dead.as_ref().is_some_and(|e| *e != Exit::NotYetKnown) => {
                    failed.push((id, died(cx, session, row)?));
                }
                _ if state.verdict.status == Status::Starting => still.push(id),
                Some(row) if row.facts.dead.is_some() => still.push(id),
                _ => {}
            }
        }
        open = still;
        if open.is_empty() {
            break;
        }
        cx.pause(POLL_INTERVAL)?;
    }
    Ok(failed)
}

/// The same for one session; an error when its agent ended.
///
/// # Errors
/// [`OpError::ResumeDied`], or when it can't be looked at.
pub fn verify_resume_of(cx: &Cx, id: &SessionId) -> OpResult<()> {
    let mut failed = match verify_resume(cx, std::slice::from_ref(id)) {
        Err(OpError::Cancelled) => {
            return Err(OpError::CancelledStarted(cx.session(id)?.name()));
        }
        other => other?,
    };
    failed.pop().map_or(Ok(()), |(_, error)| Err(error))
}

/// That the agent was not started, since the setup of its worktree failed.
fn setup_failed(cx: &Cx, session: &Session, row: &PaneRow) -> OpResult<OpError> {
    let code = match row.tags.setup {
        Some(SetupStep::Failed(code)) => code,
        // It was ended before it could note that.
        _ => 1,
    };
    Ok(PlaceError::SetupFailed { session: session.name(), code, lines: last_lines(cx, row)? }.into())
}

fn died(cx: &Cx, session: &Session, row: &PaneRow) -> OpResult<OpError> {
    let how = match &row.facts.dead {
        Some(Exit::Code(code)) => format!("with status {code}"),
        Some(Exit::Signal(name)) => format!("on signal {name}"),
        _ => "immediately".to_owned(),
    };
    Ok(OpError::ResumeDied { session: session.name(), how, lines: last_lines(cx, row)? })
}

fn last_lines(cx: &Cx, row: &PaneRow) -> OpResult<Vec<String>> {
    let shown = cx.mux.history(&row.pane, LINES)?.unwrap_or_default();
    let lines: Vec<String> =
        shown.lines().map(|l| text::clean(l).trim().to_owned()).filter(|l| !l.is_empty()).collect();
    let from = lines.len().saturating_sub(LINES as usize);
    Ok(lines.get(from..).unwrap_or_default().to_vec())
}
