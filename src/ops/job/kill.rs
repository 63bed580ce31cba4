//! Ending a job. No process is ever signalled by its id alone: a supervisor is asked by its pipe, and what a killed one
//! left is known by id and start.

use std::time::Duration;

use super::{find, of_own_shell};
use crate::domain::shell::{Job, JobStatus};
use crate::ops::Cx;
use crate::ops::shell::{ShellError, ShellOpResult};
use crate::ports::shells::Until;

/// How long a job without a supervisor may take to end by itself.
const GRACE: Duration = Duration::from_secs(3);
/// How long its supervisor may take to report the end: it uses force after three seconds.
const LIMIT: Duration = Duration::from_secs(10);
/// Between two looks at what is left of an orphaned job.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Signals that can be sent.
const SIGNALS: &[&str] = &[
    "HUP", "INT", "QUIT", "ABRT", "KILL", "USR1", "USR2", "PIPE", "ALRM", "TERM", "CONT", "STOP", "TSTP",
    "TTIN", "TTOU", "WINCH",
];

/// What became of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Killed {
    /// Its record.
    pub job: Job,
    /// Whether it had ended before.
    pub had_ended: bool,
}

/// Ends the job that a word means, or sends it a signal.
///
/// # Errors
/// [`ShellError`].
pub fn kill_word(cx: &Cx, word: &str, signal: Option<&str>) -> ShellOpResult<Killed> {
    let job = find(cx, word)?;
    of_own_shell(cx, &job)?;
    kill(cx, &job, signal)
}

/// The same for a job that is known. Without a signal: TERM, and after three seconds KILL, until nothing is left.
///
/// # Errors
/// [`ShellError`].
pub fn kill(cx: &Cx, job: &Job, signal: Option<&str>) -> ShellOpResult<Killed> {
    let named = signal.map(signal_name).transpose()?;
    let line = named.as_ref().map_or_else(|| "kill".to_owned(), |name| format!("signal {name}"));
    let mut had_ended = job.status.is_final();
    let mut waited = Duration::ZERO;
    while !had_ended {
        if cx.shells.control(&job.job_id, &line)? {
            if named.is_none() && !cx.shells.wait(&job.job_id, Until::All, Some(LIMIT))? {
                return Err(not_ended(job));
            }
            return Ok(Killed { job: again(cx, job)?, had_ended: false });
        }
        // It has just ended, its supervisor was killed, or has just begun.
        let now = again(cx, job)?;
        if now.status == JobStatus::Orphaned {
            break;
        }
        had_ended = now.status.is_final();
        if waited >= LIMIT {
            return Err(not_ended(job));
        }
        cx.pause(POLL_INTERVAL).map_err(|_| ShellError::Cancelled)?;
        waited += POLL_INTERVAL;
    }
    let now = again(cx, job)?;
    if now.status == JobStatus::Orphaned {
        had_ended = !end_orphans(cx, &now, named.as_deref())?;
    }
    Ok(Killed { job: again(cx, job)?, had_ended })
}

fn not_ended(job: &Job) -> ShellError {
    ShellError::NotEnded { job: job.job_id.to_string(), seconds: LIMIT.as_secs() }
}

fn again(cx: &Cx, job: &Job) -> ShellOpResult<Job> {
    Ok(cx.shells.job(&job.session_id, job.seq)?.unwrap_or_else(|| job.clone()))
}

/// `SIGTERM` from `term`, `SIGTERM` or a number.
fn signal_name(given: &str) -> ShellOpResult<String> {
    const NUMBERS: &[(&str, &str)] =
        &[("1", "HUP"), ("2", "INT"), ("3", "QUIT"), ("9", "KILL"), ("15", "TERM")];
    let upper = given.to_ascii_uppercase();
    let word = upper.strip_prefix("SIG").unwrap_or(&upper);
    let word = NUMBERS.iter().find(|(number, _)| *number == word).map_or(word, |(_, name)| name);
    let known = SIGNALS.contains(&word).then(|| format!("SIG{word}"));
    known.ok_or_else(|| ShellError::BadSignal(given.to_owned()))
}

/// Ends what a killed supervisor left. Returns whether there was anything.
fn end_orphans(cx: &Cx, job: &Job, signal: Option<&str>) -> ShellOpResult<bool> {
    let send = |signal: &str| {
        let alive = cx.shells.alive(job);
        alive.iter().for_each(|child| cx.shells.signal(child, signal));
        !alive.is_empty()
    };
    if let Some(signal) = signal {
        return Ok(send(signal));
    }
    if !send("SIGTERM") {
        return Ok(false);
    }
    let mut waited = Duration::ZERO;
    while !cx.shells.alive(job).is_empty() {
        if waited >= GRACE {
            send("SIGKILL");
        }
        // One that may not be signalled, or that waits for a disk.
        if waited >= LIMIT {
            return Err(not_ended(job));
        }
        cx.pause(POLL_INTERVAL).map_err(|_| ShellError::Cancelled)?;
        waited += POLL_INTERVAL;
    }
    Ok(true)
}
