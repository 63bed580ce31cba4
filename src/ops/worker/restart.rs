//! Running the command of a terminal again.

use super::find::record;
use super::terminal::run_again;
use super::{WorkerError, WorkerName};
use crate::domain::guard::Act;
use crate::domain::session::DesiredState;
use crate::domain::worker::Worker;
use crate::ops::{Cx, OpResult, guard};

/// Ends what runs in a terminal, and runs its command, or a shell, again in its place.
///
/// # Errors
/// [`WorkerError::NoTerminal`], [`WorkerError::Adopted`], and others.
pub fn restart(cx: &Cx, name: &WorkerName) -> OpResult<Worker> {
    let (session, worker) = record(cx, name)?;
    guard::check(cx, Act::Start, &session)?;
    if !worker.is_terminal() {
        return Err(WorkerError::NoTerminal { name: worker.name, kind: worker.kind.word().to_owned() }.into());
    }
    if session.tmux.adopted.is_some() {
        return Err(WorkerError::Adopted(session.name()).into());
    }
    cx.change_session(&session.id, |s| {
        s.workers.iter_mut().filter(|w| w.id == worker.id).for_each(|w| w.wanted = DesiredState::Running);
    })?;
    let _whole = cx.cancel.hold_off();
    run_again(cx, &session, &worker)?;
    Ok(worker)
}
