//! Running again what ran in a shell whose process is gone, with its state.

use super::{ExecOptions, ShellError, ShellOpResult, exec, find, may_change};
use crate::domain::shell::{Job, JobStatus, Shell};
use crate::ops::Cx;
use crate::ports::shells::Input;

/// What was run again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replayed {
    pub shell: Shell,
    /// The jobs, each with the one that ran its code again, oldest first.
    pub jobs: Vec<(u64, Job)>,
    /// The jobs whose code is not kept any more.
    pub missing: Vec<u64>,
}

/// Runs the code of a lost shell's jobs again, in a new process and in their order; `each` is told of each one before.
///
/// # Errors
/// [`ShellError::NotLost`] when its process lives.
pub fn replay(cx: &Cx, word: &str, each: &mut dyn FnMut(&Job)) -> ShellOpResult<Replayed> {
    let shell = find(cx, word)?;
    may_change(cx, &shell)?;
    if !shell.is_active() || !cx.shells.is_lost(&shell) {
        return Err(ShellError::NotLost(shell.label().to_owned()));
    }
    let mut old = cx.shells.jobs(&shell)?;
    old.reverse();
    // What another program ran changed no state, and what never ran neither.
    old.retain(|job| job.kind == shell.kind && job.status != JobStatus::Cancelled);
    let kept: Vec<u64> = old.iter().map(|job| job.seq).collect();
    let missing = (1..=shell.job_sequence)
        .filter(|seq| !kept.contains(seq))
        .filter(|seq| cx.shells.job(&shell.session_id, *seq).is_ok_and(|job| job.is_some_and(|j| j.trimmed)))
        .collect();
    cx.shells.begin_again(&shell)?;
    let mut jobs = Vec::new();
    for job in old {
        cx.check_cancelled().map_err(|_| ShellError::Cancelled)?;
        each(&job);
        let code = cx.shells.code(&job.job_id)?;
        let ran = exec(cx, shell.session_id.as_str(), again(code), &mut |_| {})?;
        jobs.push((job.seq, ran.job));
    }
    let shell = cx.shells.shell(&shell.session_id)?.unwrap_or(shell);
    Ok(Replayed { shell, jobs, missing })
}

fn again(code: Vec<u8>) -> ExecOptions {
    ExecOptions {
        code,
        background: false,
        timeout: None,
        kill_on_timeout: false,
        env: Vec::new(),
        folder: None,
        input: Input::Nothing,
        input_file: None,
        merge: false,
        stream: false,
    }
}
