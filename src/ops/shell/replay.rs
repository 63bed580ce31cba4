//! Running again what ran in a shell whose process is gone, with its state.

use super::exec::exec_in;
use super::{ExecOptions, ShellError, ShellOpResult, find, may_change};
use crate::domain::shell::{Job, JobStatus, Shell, StateOutcome};
use crate::ops::Cx;

/// What was run again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replayed {
    pub shell: Shell,
    /// How many commands.
    pub count: usize,
    /// The jobs that were not: they were killed, ended their process, or their code is not kept any more.
    pub left_out: Vec<u64>,
}

/// Runs the code of a lost shell's jobs again, in a new process and in their order; `each` is told of each one before.
/// One that did not come to its end by itself might not do so now either.
///
/// # Errors
/// [`ShellError::NotLost`] when its state is there; [`ShellError`] when one could not be run: the shell then stays lost.
pub fn replay(cx: &Cx, word: &str, each: &mut dyn FnMut(&Job)) -> ShellOpResult<Replayed> {
    let shell = find(cx, word)?;
    may_change(cx, &shell)?;
    if !shell.is_active() || !cx.shells.is_lost(&shell) {
        return Err(ShellError::NotLost(shell.label().to_owned()));
    }
    let (_alone, numbers) = cx.shells.begin_again(&shell)?;
    let (mut again, mut left_out) = (Vec::new(), Vec::new());
    for seq in numbers {
        let Some(job) = cx.shells.job(&shell.session_id, seq)? else { continue };
        // What another program ran changed no state, and what never ran neither.
        if job.kind != shell.kind || job.status == JobStatus::Cancelled {
            continue;
        }
        let came_to_its_end = matches!(job.status, JobStatus::Completed | JobStatus::Failed)
            && job.state == Some(StateOutcome::Kept);
        if came_to_its_end && !job.trimmed { again.push(job) } else { left_out.push(seq) }
    }
    let count = again.len();
    for job in again {
        cx.check_cancelled().map_err(|_| ShellError::Cancelled)?;
        each(&job);
        let code = cx.shells.code(&job.job_id)?;
        let ran = exec_in(cx, shell.clone(), ExecOptions::of(code), Vec::new(), &mut |_| {})?;
        if ran.job.state != Some(StateOutcome::Kept) {
            return Err(ShellError::NotReplayed { job: job.seq, by: ran.job.job_id.to_string() });
        }
    }
    cx.shells.end_again(&shell)?;
    let shell = cx.shells.shell(&shell.session_id)?.unwrap_or(shell);
    Ok(Replayed { shell, count, left_out })
}
