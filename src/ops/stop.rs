//! Stopping a session: its processes end, its record and conversation are kept.

use super::panes::find_row;
use super::{Cx, OpError, OpResult, guard};
use crate::domain::guard::Act;
use crate::domain::id::SessionId;
use crate::domain::session::{DesiredState, Session};
use crate::ports::mux::PaneRow;
use std::time::Duration;

/// How long an agent may take to end by its own keys.
const TIMEOUT: Duration = Duration::from_secs(3);
/// How often to look whether it has.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Stops a session. Returns whether anything ran.
///
/// # Errors
/// [`OpError`]; the intent is on disk by then, and stopping can be repeated.
pub fn stop(cx: &Cx, id: &SessionId) -> OpResult<bool> {
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
    let Some(row) = find_row(cx, &session)? else { return Ok(false) };
    press_exit_keys(cx, &session, &row)?;
    end_processes(cx, &session, &row)?;
    match (*row.server() == cx.installation.socket, &row.tags.adopted) {
        (true, _) => cx.mux.kill(&row.session)?,
        // What the user made is kept: the shell, and everything else in that session.
        (false, Some(_)) => {}
        (false, None) => cx.mux.close(&row.pane)?,
    }
    Ok(row.facts.dead.is_none())
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
