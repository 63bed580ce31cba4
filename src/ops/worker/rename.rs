//! Renaming a worker.

use super::find::record;
use super::{WorkerError, WorkerName};
use crate::domain::guard::Act;
use crate::domain::worker::{Worker, is_name, tabs};
use crate::ops::{Cx, OpError, OpResult, guard};
use crate::ports::transact;

/// Gives a worker another name.
///
/// # Errors
/// [`WorkerError::BadName`], [`WorkerError::NameTaken`], and others.
pub fn rename(cx: &Cx, name: &WorkerName, to: &str) -> OpResult<Worker> {
    if !is_name(to) {
        return Err(WorkerError::BadName(to.to_owned()).into());
    }
    let (session, _) = record(cx, name)?;
    guard::check(cx, Act::Configure, &session)?;
    transact(&*cx.profile.store, |profile| {
        let known =
            profile.session(&session.id).cloned().ok_or_else(|| OpError::Missing(session.id.clone()))?;
        let is_other = |id: &str| id != name.worker.as_str();
        if tabs(profile, &known).iter().any(|t| is_other(&t.id(&known)) && t.name(&known) == to) {
            return Err(WorkerError::NameTaken { session: known.name(), name: to.to_owned() }.into());
        }
        let record = profile.session_mut(&session.id).ok_or_else(|| OpError::Missing(session.id.clone()))?;
        record.updated_at = cx.clock.now();
        let worker = record.workers.iter_mut().find(|w| w.id == name.worker);
        let worker = worker.ok_or_else(|| OpError::Missing(session.id.clone()))?;
        worker.name = to.to_owned();
        Ok(worker.clone())
    })
}
