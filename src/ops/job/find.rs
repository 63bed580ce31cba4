//! The job that a word means, and the jobs that there are.

use crate::domain::shell::{Job, JobStatus, JobWord, ShellId};
use crate::ops::Cx;
use crate::ops::shell::{ShellError, ShellOpResult, find as find_shell, inside, list, may_change};

/// The job that a word means: `job-SHELL-12`, `SHELL/12`, or `%12` in a shell.
///
/// # Errors
/// [`ShellError::NoJob`].
pub fn find(cx: &Cx, word: &str) -> ShellOpResult<Job> {
    let missing = || ShellError::NoJob(word.to_owned());
    let here = || inside(cx).ok_or(ShellError::NotInside("`%N`"));
    let (shell, seq): (ShellId, u64) = match JobWord::parse(word).ok_or_else(missing)? {
        JobWord::Id(id) => (find_shell(cx, id.shell.as_str())?.session_id, id.seq),
        JobWord::Of(shell, seq) => (find_shell(cx, &shell)?.session_id, seq),
        JobWord::Here(seq) => (here()?, seq),
    };
    cx.shells.job(&shell, seq)?.ok_or_else(missing)
}

/// Refuses the job of a shell that an agent may not change.
///
/// # Errors
/// [`ShellError::NotOwn`].
pub fn of_own_shell(cx: &Cx, job: &Job) -> ShellOpResult<()> {
    match cx.shells.shell(&job.session_id)? {
        Some(shell) => may_change(cx, &shell),
        None => Ok(()),
    }
}

/// Which jobs are wanted.
#[derive(Debug, Clone, Default)]
pub struct JobFilter {
    /// Those with one of these statuses; empty: all.
    pub statuses: Vec<JobStatus>,
    /// Those in the background alone.
    pub background: bool,
    /// How many.
    pub limit: Option<usize>,
}

/// The jobs of one shell, or of all active ones, newest first.
///
/// # Errors
/// [`ShellError`].
pub fn jobs(cx: &Cx, shell: Option<&str>, filter: &JobFilter) -> ShellOpResult<Vec<Job>> {
    let shells = match shell {
        Some(word) => vec![find_shell(cx, word)?],
        None => list(cx, false)?.0.into_iter().map(|listed| listed.shell).collect(),
    };
    let mut all = Vec::new();
    for shell in &shells {
        all.extend(cx.shells.jobs(shell)?);
    }
    all.retain(|job| {
        (filter.statuses.is_empty() || filter.statuses.contains(&job.status))
            && (!filter.background || job.background)
    });
    all.sort_by_key(|job| std::cmp::Reverse((job.queued_at, job.seq)));
    all.truncate(filter.limit.unwrap_or(usize::MAX));
    Ok(all)
}
