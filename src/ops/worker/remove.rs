//! Removing a worker.

use super::find::record;
use super::terminal::{end, panes_of};
use super::{WorkerError, WorkerName};
use crate::domain::guard::Act;
use crate::domain::session::DesiredState;
use crate::domain::worker::Worker;
use crate::ops::{Cx, OpResult, guard};

/// What was removed.
#[derive(Debug, Clone)]
pub struct Removed {
    pub worker: Worker,
    /// Whether something ran in it.
    pub ran: bool,
}

/// Removes a worker. A terminal in which something runs is ended first if `stop_first`, else it stays.
///
/// # Errors
/// [`WorkerError::StillRunning`], [`WorkerError::NoWorker`], and others.
pub fn remove(cx: &Cx, name: &WorkerName, stop_first: bool) -> OpResult<Removed> {
    let (session, worker) = record(cx, name)?;
    guard::check(cx, Act::End, &session)?;
    let row = match worker.is_terminal() {
        true => panes_of(cx, &session)?.into_iter().find(|row| row.worker == worker.id),
        false => None,
    };
    let ran = row.as_ref().is_some_and(|row| row.facts.dead.is_none());
    if ran && !stop_first {
        return Err(WorkerError::StillRunning { session: session.name(), name: worker.name }.into());
    }
    // A deck that is killed in the middle leaves a terminal that isn't brought back.
    cx.change_session(&session.id, |s| {
        s.workers.iter_mut().filter(|w| w.id == worker.id).for_each(|w| w.wanted = DesiredState::Stopped);
    })?;
    let _whole = cx.cancel.hold_off();
    if let Some(row) = row {
        end(cx, &session, &row)?;
        cx.mux.close(&row.pane)?;
    }
    forget(cx, name)?;
    Ok(Removed { worker, ran })
}

/// Removes the record alone.
pub(super) fn forget(cx: &Cx, name: &WorkerName) -> OpResult<()> {
    cx.change_session(&name.session, |s| s.workers.retain(|w| w.id != name.worker)).map(drop)
}
