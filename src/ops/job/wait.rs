//! Waiting for jobs: for their end in the kernel, for what they print by looking at how much there is.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use regex::bytes::Regex;

use super::output::{OutputRange, output};
use crate::domain::shell::Job;
use crate::ops::Cx;
use crate::ops::shell::{ShellError, ShellOpResult};
use crate::ports::shells::Until;

/// Between two looks at what a job printed.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// What is waited for.
#[derive(Debug, Clone, Default)]
pub struct WaitOptions {
    /// Whether one of several is enough.
    pub any: bool,
    /// Whether all processes must have ended, not only the leader.
    pub all: bool,
    /// How long.
    pub timeout: Option<Duration>,
    /// A line that it must print.
    pub pattern: Option<String>,
    /// From which bytes on such a line counts.
    pub since: (u64, u64),
    /// For how long it must print nothing.
    pub idle: Option<Duration>,
}

/// A job that was waited for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waited {
    /// Its record.
    pub job: Job,
    /// Whether it is as it was waited for.
    pub is_done: bool,
    /// The line that was waited for.
    pub matched: Option<String>,
}

/// Waits for jobs. Those that are not done when the time is up, or another one was enough, say so.
///
/// # Errors
/// [`ShellError::BadPattern`], or the system's.
pub fn wait(cx: &Cx, jobs: &[Job], options: &WaitOptions) -> ShellOpResult<Vec<Waited>> {
    let pattern = options.pattern.as_deref().map(Regex::new).transpose();
    let pattern = pattern.map_err(|e| ShellError::BadPattern(e.to_string()))?;
    let deadline = options.timeout.map(|t| Instant::now() + t);
    let (sender, receiver) = channel();
    for (i, job) in jobs.iter().enumerate() {
        let (cx, job, options, pattern, sender) =
            (cx.clone(), job.clone(), options.clone(), pattern.clone(), sender.clone());
        let run = move || {
            // Nobody may wait any more.
            let _ = sender.send((i, wait_for(&cx, &job, &options, pattern.as_ref(), deadline)));
        };
        std::thread::Builder::new().name("wait".to_owned()).spawn(run).map_err(|source| {
            crate::ports::ShellsError::Io { action: "start", path: "a thread".into(), source }
        })?;
    }
    drop(sender);
    let mut found: Vec<Option<Waited>> = vec![None; jobs.len()];
    loop {
        match receiver.recv_timeout(POLL_INTERVAL) {
            Ok((i, result)) => {
                let waited = result?;
                let is_enough = options.any && waited.is_done;
                if let Some(place) = found.get_mut(i) {
                    *place = Some(waited);
                }
                if is_enough {
                    break;
                }
            }
            Err(RecvTimeoutError::Timeout) => cx.check_cancelled().map_err(|_| ShellError::Cancelled)?,
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    let rest = |(found, job): (Option<Waited>, &Job)| match found {
        Some(waited) => Ok(waited),
        None => Ok(Waited { job: again(cx, job)?, is_done: false, matched: None }),
    };
    found.into_iter().zip(jobs).map(rest).collect()
}

fn again(cx: &Cx, job: &Job) -> ShellOpResult<Job> {
    Ok(cx.shells.job(&job.session_id, job.seq)?.unwrap_or_else(|| job.clone()))
}

fn wait_for(
    cx: &Cx,
    job: &Job,
    options: &WaitOptions,
    pattern: Option<&Regex>,
    deadline: Option<Instant>,
) -> ShellOpResult<Waited> {
    let left = || deadline.map(|d| d.saturating_duration_since(Instant::now()));
    if pattern.is_none() && options.idle.is_none() {
        let until = if options.all { Until::All } else { Until::Leader };
        let is_done = cx.shells.wait(&job.job_id, until, left())?;
        return Ok(Waited { job: again(cx, job)?, is_done, matched: None });
    }
    let mut lines = Lines::new(options.since);
    let (mut size, mut silent) = (None, Instant::now());
    loop {
        let job = again(cx, job)?;
        if let Some(pattern) = pattern
            && let Some(line) = lines.find(cx, &job, pattern)?
        {
            return Ok(Waited { job, is_done: true, matched: Some(line) });
        }
        let now = (job.stdout.total, job.stderr.total);
        if size != Some(now) {
            (size, silent) = (Some(now), Instant::now());
        }
        if options.idle.is_some_and(|idle| silent.elapsed() >= idle) {
            return Ok(Waited { job, is_done: true, matched: None });
        }
        if job.status.is_final() {
            // A line that it never printed can't come any more; its silence has begun.
            return Ok(Waited { job, is_done: pattern.is_none(), matched: None });
        }
        if left().is_some_and(|l| l.is_zero()) {
            return Ok(Waited { job, is_done: false, matched: None });
        }
        cx.pause(POLL_INTERVAL).map_err(|_| ShellError::Cancelled)?;
    }
}

/// The complete lines of both streams.
struct Lines {
    at: (u64, u64),
    rest: (Vec<u8>, Vec<u8>),
}

impl Lines {
    const fn new(at: (u64, u64)) -> Self {
        Self { at, rest: (Vec::new(), Vec::new()) }
    }

    /// The first of the new lines that fits. After a job's end, the last line counts without its end.
    fn find(&mut self, cx: &Cx, job: &Job, pattern: &Regex) -> ShellOpResult<Option<String>> {
        let range = OutputRange { stdout: self.at.0, stderr: self.at.1, limit: u64::MAX };
        let new = output(cx, job.clone(), range)?;
        self.at = (new.stdout.end, new.stderr.end);
        for (rest, part) in [(&mut self.rest.0, &new.stdout), (&mut self.rest.1, &new.stderr)] {
            rest.extend(&part.bytes);
            let is_final = job.status.is_final();
            let end = if is_final {
                rest.len()
            } else {
                rest.iter().rposition(|b| *b == b'\n').map_or(0, |n| n + 1)
            };
            let lines: Vec<u8> = rest.drain(..end).collect();
            let found = lines.split(|b| *b == b'\n').find(|line| !line.is_empty() && pattern.is_match(line));
            if let Some(line) = found {
                return Ok(Some(String::from_utf8_lossy(line).into_owned()));
            }
        }
        Ok(None)
    }
}
