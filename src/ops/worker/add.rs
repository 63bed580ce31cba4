//! Adding a worker to a session.

use super::{WorkerError, WorkerName, file, terminal};
use crate::domain::guard::Act;
use crate::domain::session::{DesiredState, Session};
use crate::domain::worker::{Worker, WorkerId, WorkerType, free_name, is_name, tabs};
use crate::ops::{Cx, OpError, OpResult, guard};
use crate::ports::transact;

/// A worker to be added.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewWorker {
    /// What it is; none: a terminal.
    pub kind: Option<WorkerType>,
    /// Its name; none: one after what it is.
    pub name: Option<String>,
    /// What a terminal runs; none: a shell.
    pub command: Option<String>,
    /// The folder that a terminal begins in, from the session's.
    pub dir: String,
    /// What a diff is against.
    pub against: Option<String>,
    /// The file that is rendered.
    pub file: Option<String>,
    /// The address of a link.
    pub url: Option<String>,
}

/// Adds a worker that is no agent: its record, and then the window of a terminal. Returns its record.
///
/// # Errors
/// [`WorkerError`]; nothing stays recorded.
pub fn add(cx: &Cx, session: &Session, new: &NewWorker) -> OpResult<Worker> {
    guard::check(cx, Act::Start, session)?;
    let kind = new.kind.clone().unwrap_or(WorkerType::Terminal);
    check(cx, session, new, &kind)?;
    let id = WorkerId::new(cx.clock.new_session_id().as_str());
    let worker = transact(&*cx.profile.store, |profile| {
        let known = profile.session(&session.id).filter(|s| s.deleted_at.is_none()).cloned();
        let known = known.ok_or_else(|| OpError::Missing(session.id.clone()))?;
        let name = match &new.name {
            Some(name) if tabs(profile, &known).iter().any(|tab| tab.name(&known) == *name) => {
                return Err(WorkerError::NameTaken { session: known.name(), name: name.clone() }.into());
            }
            Some(name) => name.clone(),
            None => free_name(profile, &known, &default_name(new, &kind)),
        };
        let mut worker = Worker::new(id.clone(), kind.clone(), &name, cx.clock.now());
        worker.command.clone_from(&new.command);
        worker.dir.clone_from(&new.dir);
        worker.against.clone_from(&new.against);
        worker.file.clone_from(&new.file);
        worker.url.clone_from(&new.url);
        if worker.is_terminal() {
            worker.wanted = DesiredState::Running;
        }
        let record = profile.session_mut(&session.id).ok_or_else(|| OpError::Missing(session.id.clone()))?;
        record.workers.push(worker.clone());
        record.updated_at = cx.clock.now();
        Ok::<_, OpError>(worker)
    })?;
    if !worker.is_terminal() {
        return Ok(worker);
    }
    cx.host.reached("worker-recorded");
    let session = cx.session(&session.id)?;
    if let Err(error) = terminal::make(cx, &session, &worker, worker.command.as_deref(), None) {
        // A record of nothing would be left behind.
        let _step = cx.cancel.hold_off();
        let name = WorkerName { session: session.id.clone(), worker: worker.id.clone() };
        if terminal::panes_of(cx, &session).is_ok_and(|rows| rows.iter().all(|row| row.worker != worker.id)) {
            super::remove::forget(cx, &name)?;
        }
        return Err(error);
    }
    Ok(worker)
}

/// Refuses what could not be shown, before anything is recorded.
fn check(cx: &Cx, session: &Session, new: &NewWorker, kind: &WorkerType) -> OpResult<()> {
    if let Some(name) = new.name.as_deref().filter(|name| !is_name(name)) {
        return Err(WorkerError::BadName(name.to_owned()).into());
    }
    match kind {
        WorkerType::Terminal if session.tmux.adopted.is_some() => {
            Err(WorkerError::Adopted(session.name()).into())
        }
        WorkerType::Terminal | WorkerType::Diff | WorkerType::Other(_) => Ok(()),
        WorkerType::Markdown => {
            let missing = WorkerError::Missing { kind: "markdown worker", what: "a file: --file FILE" };
            file::read_file(cx, session, new.file.as_deref().ok_or(missing)?).map(drop)
        }
        WorkerType::Link => {
            let missing = WorkerError::Missing { kind: "link", what: "an address: --url URL" };
            let url = new.url.as_deref().ok_or(missing)?;
            let is_web = ["http://", "https://"].iter().any(|scheme| url.starts_with(scheme));
            if is_web && !url.contains(|c: char| c.is_control() || c.is_whitespace()) {
                Ok(())
            } else {
                Err(WorkerError::BadUrl(url.to_owned()).into())
            }
        }
    }
}

fn default_name(new: &NewWorker, kind: &WorkerType) -> String {
    let of_file = new.file.as_deref().and_then(|f| f.rsplit('/').next());
    let of_command =
        new.command.as_deref().and_then(|c| c.split_whitespace().next()).and_then(|c| c.rsplit('/').next());
    let word = match kind {
        WorkerType::Markdown => of_file,
        WorkerType::Terminal => of_command,
        _ => None,
    };
    word.filter(|word| is_name(word)).unwrap_or(kind.word()).to_owned()
}
