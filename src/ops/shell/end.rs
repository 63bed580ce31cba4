//! Ending a shell. Its files stay, so that its jobs can still be read, until they are removed.

use super::{ShellError, ShellOpResult};
use crate::domain::shell::{Job, JobId, Shell, ShellId, ShellStatus};
use crate::ops::{Cx, job};

/// A shell that was ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// Its record.
    pub shell: Shell,
    /// The jobs that were killed.
    pub killed: Vec<JobId>,
}

/// Ends a shell: with `kill` its jobs, too; with `now` its files are removed at once.
///
/// # Errors
/// [`ShellError::StillRuns`] while a job runs.
pub fn end(cx: &Cx, word: &str, kill: bool, now: bool) -> ShellOpResult<Ended> {
    let shell = super::find(cx, word)?;
    let running = cx.shells.running(&shell)?;
    if !running.is_empty() && !kill {
        let jobs = running.iter().map(|j| j.job_id.to_string()).collect();
        return Err(ShellError::StillRuns { label: shell.label().to_owned(), jobs });
    }
    for job in &running {
        job::kill(cx, job, None)?;
    }
    let shell = if shell.is_active() { mark_ended(cx, &shell.session_id)? } else { shell };
    if now {
        cx.shells.remove(&shell.session_id)?;
    }
    Ok(Ended { shell, killed: running.into_iter().map(|j: Job| j.job_id).collect() })
}

/// Records that a shell takes no further commands.
///
/// # Errors
/// The system's.
pub(super) fn mark_ended(cx: &Cx, id: &ShellId) -> ShellOpResult<Shell> {
    let now = cx.clock.now();
    Ok(cx.shells.change(id, &mut |shell| {
        shell.status = ShellStatus::Ended;
        shell.ended_at = Some(now);
    })?)
}
