//! Ending a shell. Its files stay, so that its jobs can still be read, until they are removed.

use super::{ShellError, ShellOpResult};
use crate::domain::shell::{JobId, Shell};
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
    super::may_change(cx, &shell)?;
    let mut killed = Vec::new();
    let ended = loop {
        if let Some(ended) = cx.shells.end_idle(&shell.session_id, cx.clock.now())? {
            break ended;
        }
        // Another one may be asked for while these are ended.
        let running = cx.shells.running(&shell)?;
        if !kill {
            let jobs = running.iter().map(|j| j.job_id.to_string()).collect();
            return Err(ShellError::StillRuns { label: shell.label().to_owned(), jobs });
        }
        for job in &running {
            job::kill(cx, job, None)?;
            killed.push(job.job_id.clone());
        }
        cx.check_cancelled().map_err(|_| ShellError::Cancelled)?;
    };
    if now {
        cx.shells.remove(&ended.session_id)?;
    }
    Ok(Ended { shell: ended, killed })
}
