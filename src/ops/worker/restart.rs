//! Running the command of a terminal again.

use super::find::record;
use super::terminal::run_again;
use super::{Returned, WorkerError, WorkerName};
use crate::domain::guard::Act;
use crate::domain::id::SessionId;
use crate::domain::session::DesiredState;
use crate::domain::worker::Worker;
use crate::ops::{Cx, OpResult, guard};

/// Runs the commands of terminals that were brought back, each with a shell in its place.
///
/// # Errors
/// As for [`restart`]; the others are run all the same.
pub fn rerun(cx: &Cx, id: &SessionId, returned: &[Returned]) -> OpResult<()> {
    let session = cx.session(id)?;
    let is_back = |w: &&Worker| returned.iter().any(|r| r.name == w.name && r.error.is_none());
    let with_command = session.workers.iter().filter(is_back).filter(|w| w.command.is_some());
    let name = |w: &Worker| WorkerName { session: session.id.clone(), worker: w.id.clone() };
    let results: Vec<OpResult<Worker>> = with_command.map(|w| restart(cx, &name(w))).collect();
    results.into_iter().try_for_each(|result| result.map(drop))
}

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
