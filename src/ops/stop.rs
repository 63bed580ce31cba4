//! Stopping a session: its processes end, its record and conversation are kept.

use super::panes::find_row;
use super::{Cx, OpError, OpResult, guard, worker};
use crate::domain::guard::Act;
use crate::domain::id::SessionId;
use crate::domain::session::{DesiredState, Session};
use crate::domain::worker::Worker;
use crate::ports::mux::PaneRow;
use std::time::Duration;

/// How long an agent may take to end by its own keys.
const TIMEOUT: Duration = Duration::from_secs(3);
/// How often to look whether it has.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// What becomes of the terminals beside the agent that is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Terminals {
    Keep,
    End,
}

/// What stopping came to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stopped {
    /// Whether its agent ran.
    pub ran: bool,
    /// The terminals that go on running.
    pub terminals: Vec<String>,
}

/// Stops the agent of a session. Its tmux session stays as long as something else is in it.
///
/// # Errors
/// [`OpError`]; the intent is on disk by then, and stopping can be repeated.
pub fn stop(cx: &Cx, id: &SessionId, terminals: Terminals) -> OpResult<Stopped> {
    guard::check(cx, Act::End, &cx.session(id)?)?;
    let now = cx.clock.now();
    let session = cx.change_session(id, |s| {
        if s.wanted == DesiredState::Running || s.stopped_at.is_none() {
            s.stopped_at = Some(now);
        }
        s.wanted = DesiredState::Stopped;
    })?;
    // From here on it is done as a whole.
    let _whole = cx.cancel.hold_off();
    let row = find_row(cx, &session)?;
    if let Some(row) = &row {
        press_exit_keys(cx, &session, row)?;
        end_processes(cx, &session, row)?;
        if row.tags.adopted.is_none() || *row.server() == cx.installation.socket {
            // What else its user made there is kept, and with the last pane the tmux session goes.
            cx.mux.close(&row.pane)?;
        }
    }
    let beside = match session.workers.iter().any(Worker::is_terminal) {
        true => worker::panes_of(cx, &session)?,
        false => Vec::new(),
    };
    let runs = |w: &&Worker| beside.iter().any(|row| row.worker == w.id && row.facts.dead.is_none());
    let names: Vec<String> = session.workers.iter().filter(runs).map(|w| w.name.clone()).collect();
    if terminals == Terminals::End && session.workers.iter().any(Worker::is_terminal) {
        worker::end_all(cx, &session)?;
    }
    let ran = row.is_some_and(|row| row.facts.dead.is_none());
    Ok(Stopped { ran, terminals: if terminals == Terminals::Keep { names } else { Vec::new() } })
}

/// Presses the tool's own exit keys, if it has any, and waits for it to end.
fn press_exit_keys(cx: &Cx, session: &Session, row: &PaneRow) -> OpResult<()> {
    let keys = cx.tools.tool(&session.tool).map(|e| e.tool.stop.keys.clone()).unwrap_or_default();
    let (Some(pid), false, None) = (row.facts.pid, keys.is_empty(), &row.facts.dead) else { return Ok(()) };
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    cx.mux.keys(&row.pane, &keys)?;
    for _ in 0..TIMEOUT.as_millis() / POLL_INTERVAL.as_millis() {
        if !cx.host.group_lives(pid) {
            break;
        }
        // Who doesn't wait any longer has it ended at once.
        if cx.pause(POLL_INTERVAL).is_err() {
            break;
        }
    }
    Ok(())
}

/// Ends the process group of a pane: some agents survive the loss of their terminal.
pub(super) fn end_processes(cx: &Cx, session: &Session, row: &PaneRow) -> OpResult<()> {
    let Some(pid) = row.facts.pid else { return Ok(()) };
    if row.facts.dead.is_some() && cx.host.lives(pid) {
        // The agent's process is gone, so this one got its number later: it is somebody else's.
        return Ok(());
    }
    cx.host.end_group(pid).map_err(|source| OpError::End { session: session.name(), source })
}
