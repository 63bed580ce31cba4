//! Waiting for jobs: for their end in the kernel, for what they print by looking at how much there is.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use regex::bytes::Regex;

use super::output::{OutputRange, Part, Since, output};
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
    pub since: Since,
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
    let mut lines = Lines::from(options.since.of(&again(cx, job)?));
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

/// The most that is kept of a line that has not ended, in bytes. A longer one matches nothing.
const LONGEST: usize = 1024 * 1024;

/// The complete lines of both streams.
struct Lines {
    stdout: LinesOf,
    stderr: LinesOf,
}

impl Lines {
    /// From these bytes of the two on.
    fn from((stdout, stderr): (u64, u64)) -> Self {
        Self { stdout: LinesOf::from(stdout), stderr: LinesOf::from(stderr) }
    }

    /// The first of the new lines that fits. After a job's end, the last line counts without its end.
    fn find(&mut self, cx: &Cx, job: &Job, pattern: &Regex) -> ShellOpResult<Option<String>> {
        let range = OutputRange { stdout: self.stdout.at, stderr: self.stderr.at, limit: u64::MAX };
        let new = output(cx, job.clone(), range)?;
        let is_final = job.status.is_final();
        let found = self.stdout.find(&new.stdout, is_final, pattern);
        Ok(found.or_else(|| self.stderr.find(&new.stderr, is_final, pattern)))
    }
}

/// Those of one stream.
struct LinesOf {
    /// How far it was read.
    at: u64,
    /// What was read of a line that has not ended.
    rest: Vec<u8>,
    /// Whether the beginning of that line is not known.
    is_cut: bool,
}

impl LinesOf {
    const fn from(at: u64) -> Self {
        Self { at, rest: Vec::new(), is_cut: false }
    }

    fn find(&mut self, part: &Part, is_final: bool, pattern: &Regex) -> Option<String> {
        let pieces = part.pieces(self.at);
        self.at = part.end;
        let last = pieces.len() - 1;
        let found = |(i, (bytes, goes_on)): (usize, (&[u8], bool))| {
            if !goes_on {
                // What is on both sides of a gap is no line.
                self.rest.clear();
                self.is_cut = true;
            }
            self.line_of(bytes, is_final && i == last, pattern)
        };
        pieces.into_iter().enumerate().find_map(found)
    }

    /// The first line that fits of what follows.
    fn line_of(&mut self, bytes: &[u8], is_last: bool, pattern: &Regex) -> Option<String> {
        for piece in bytes.split_inclusive(|b| *b == b'\n') {
            let (line, has_ended) = match piece.split_last() {
                Some((b'\n', line)) => (line, true),
                _ => (piece, false),
            };
            self.rest.extend(line);
            if self.rest.len() > LONGEST {
                self.rest.clear();
                self.is_cut = true;
            }
            if has_ended {
                let line = std::mem::take(&mut self.rest);
                if !std::mem::take(&mut self.is_cut) && !line.is_empty() && pattern.is_match(&line) {
                    return Some(String::from_utf8_lossy(&line).into_owned());
                }
            }
        }
        let is_line = is_last && !self.is_cut && !self.rest.is_empty() && pattern.is_match(&self.rest);
        is_line.then(|| String::from_utf8_lossy(&self.rest).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(bytes: &[u8], start: u64, gap: Option<(u64, u64)>) -> Part {
        let kept = bytes.len() as u64 + gap.map_or(0, |(from, to)| to - from);
        Part { bytes: bytes.to_vec(), start, end: start + kept, gap, ..Part::default() }
    }

    fn found(lines: &mut LinesOf, part: &Part, is_final: bool) -> Option<String> {
        lines.find(part, is_final, &Regex::new("port 80$").unwrap())
    }

    #[test]
    fn a_line_counts_once_it_has_ended() {
        let mut lines = LinesOf::from(0);
        assert_eq!(found(&mut lines, &part(b"one\non port", 0, None), false), None);
        assert_eq!(found(&mut lines, &part(b" 80", 11, None), false), None, "80 may become 8080");
        assert_eq!(found(&mut lines, &part(b"\nthree", 14, None), false).as_deref(), Some("on port 80"));
        let mut lines = LinesOf::from(0);
        assert_eq!(found(&mut lines, &part(b"on port 80", 0, None), true).as_deref(), Some("on port 80"));
    }

    #[test]
    fn no_line_is_made_of_what_is_on_both_sides_of_a_gap() {
        // Within what is read at once, and between two readings.
        let mut lines = LinesOf::from(0);
        assert_eq!(found(&mut lines, &part(b"port 80\n", 0, Some((5, 500))), true), None);
        let mut lines = LinesOf::from(0);
        assert_eq!(found(&mut lines, &part(b"port ", 0, None), false), None);
        assert_eq!(found(&mut lines, &part(b"80\nport 80\n", 900, None), false).as_deref(), Some("port 80"));
    }

    #[test]
    fn a_line_without_an_end_takes_no_more_memory_than_the_longest() {
        let mut lines = LinesOf::from(0);
        let piece = vec![b'x'; LONGEST / 4];
        for n in 0..20 {
            assert_eq!(found(&mut lines, &part(&piece, n * piece.len() as u64, None), false), None);
            assert!(lines.rest.len() <= LONGEST, "{}", lines.rest.len());
        }
        let at = lines.at;
        assert_eq!(found(&mut lines, &part(b"port 80\n", at, None), false), None, "it began long ago");
        assert!(found(&mut lines, &part(b"port 80\n", at + 8, None), false).is_some());
    }
}
