//! What a screen shows of shells: who there is, what each does, and the end of what a job printed.

use super::ShellOpResult;
use crate::domain::shell::{Job, JobStatus, Shell, ShellId};
use crate::ops::Cx;
use crate::ops::job::{JobOutput, OutputRange, merged, output};
use crate::ports::shells::Which;

/// How much of the end of each stream is read, in bytes.
const TAIL: u64 = 32 * 1024;
/// How many of the last lines are kept.
const LINES: usize = 300;

/// A shell, and the job that it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellState {
    pub shell: Shell,
    /// The job that runs; else the last one, if that is kept.
    pub job: Option<Job>,
    /// How many jobs have not ended.
    pub running: usize,
    /// Whether its state is in a live process, and ends with that.
    pub is_live: bool,
    /// Whether that process is gone.
    pub is_lost: bool,
}

/// What is known of all active shells, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ShellsSeen {
    pub shells: Vec<ShellState>,
    /// The end of what the looked-at shell's job printed.
    pub tail: Option<JobTail>,
}

/// Which shells somebody is looking at.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ShellsInView {
    /// Those whose rows are in sight.
    pub rows: Vec<ShellId>,
    /// The one whose output is.
    pub at: Option<ShellId>,
}

/// The end of what a job printed, in lines, as they came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobTail {
    pub job: Job,
    pub lines: Vec<(Which, String)>,
}

/// The active shells as their records say, oldest first, without a look at what they do.
///
/// # Errors
/// The system's.
pub fn records(cx: &Cx) -> ShellOpResult<Vec<Shell>> {
    let (mut shells, problems) = cx.shells.all()?;
    for problem in problems {
        tracing::debug!(%problem, "a shell is left out");
    }
    shells.retain(Shell::is_active);
    Ok(shells)
}

/// What a shell does now.
///
/// # Errors
/// The system's.
pub fn state_of(cx: &Cx, shell: Shell) -> ShellOpResult<ShellState> {
    let running = cx.shells.running(&shell)?;
    let count = running.len();
    let rank = |job: &Job| match job.status {
        // What has its turn, rather than what waits for it or outlived its leader.
        JobStatus::Running if job.parent_job.is_none() => 0,
        JobStatus::Running => 1,
        JobStatus::Draining => 2,
        _ => 3,
    };
    let first = running.into_iter().min_by_key(|job| (rank(job), std::cmp::Reverse(job.seq)));
    let job = match first {
        Some(job) => Some(job),
        None if shell.job_sequence == 0 => None,
        None => cx.shells.job(&shell.session_id, shell.job_sequence)?,
    };
    let (is_live, is_lost) = (cx.shells.is_live(&shell), cx.shells.is_lost(&shell));
    Ok(ShellState { shell, job, running: count, is_live, is_lost })
}

/// The end of what a job printed.
///
/// # Errors
/// The system's.
pub fn tail(cx: &Cx, job: Job) -> ShellOpResult<JobTail> {
    let from = |total: u64| total.saturating_sub(TAIL);
    let range = OutputRange {
        stdout: from(job.stdout.total),
        stderr: from(job.stderr.total),
        ..OutputRange::default()
    };
    let is_cut = [range.stdout > 0, range.stderr > 0];
    let read = output(cx, job, range)?;
    let mut lines = lines(&merged(cx, &read)?, is_cut);
    lines.drain(..lines.len().saturating_sub(LINES));
    Ok(JobTail { job: read.job, lines })
}

/// All that is kept of what a job printed.
///
/// # Errors
/// The system's.
pub fn whole(cx: &Cx, job: Job) -> ShellOpResult<(JobOutput, Vec<(Which, String)>)> {
    let read = output(cx, job, OutputRange::default())?;
    let lines = lines(&merged(cx, &read)?, [false, false]);
    Ok((read, lines))
}

/// Both streams in lines. A line that was begun by one stream and goes on after the other printed stays one line; of
/// one that was written over again, only the last is left.
fn lines(pieces: &[(Which, Vec<u8>)], is_cut: [bool; 2]) -> Vec<(Which, String)> {
    let mut all: Vec<(Which, Vec<u8>)> = Vec::new();
    let mut open: [Option<usize>; 2] = [None, None];
    let mut skip = is_cut;
    for (which, bytes) in pieces {
        let n = usize::from(*which == Which::Stderr);
        for part in bytes.split_inclusive(|b| *b == b'\n') {
            let ends = part.ends_with(b"\n");
            let text = part.strip_suffix(b"\n").unwrap_or(part);
            if let Some(skips) = skip.get_mut(n).filter(|s| **s) {
                // The beginning of this line was not read.
                *skips = !ends;
                continue;
            }
            let Some(at) = open.get_mut(n) else { continue };
            match at.and_then(|i| all.get_mut(i)) {
                Some((_, line)) => line.extend(text),
                None => {
                    *at = Some(all.len());
                    all.push((*which, text.to_vec()));
                }
            }
            if ends {
                *at = None;
            }
        }
    }
    let shown = |line: Vec<u8>| {
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_end_matches('\r');
        text.rsplit('\r').next().unwrap_or(text).to_owned()
    };
    all.into_iter().map(|(which, line)| (which, shown(line))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use Which::{Stderr, Stdout};

    fn of(pieces: &[(Which, &str)], is_cut: [bool; 2]) -> Vec<(Which, String)> {
        let pieces: Vec<_> = pieces.iter().map(|(w, t)| (*w, t.as_bytes().to_vec())).collect();
        lines(&pieces, is_cut)
    }

    #[test]
    fn each_stream_keeps_its_lines() {
        let got = of(&[(Stdout, "one\ntw"), (Stderr, "oops\n"), (Stdout, "o\nthree")], [false, false]);
        let wanted = [(Stdout, "one"), (Stdout, "two"), (Stderr, "oops"), (Stdout, "three")];
        assert_eq!(got, wanted.map(|(w, t)| (w, t.to_owned())));
    }

    #[test]
    fn a_line_without_its_beginning_is_left_out() {
        let got = of(&[(Stdout, "rest"), (Stderr, "all\n"), (Stdout, " of it\nnext\n")], [true, false]);
        assert_eq!(got, [(Stderr, "all".to_owned()), (Stdout, "next".to_owned())]);
    }

    #[test]
    fn progress_is_shown_as_it_is_last() {
        assert_eq!(
            of(&[(Stdout, "10%\r50%\r100%\r\nok")], [false, false]),
            [(Stdout, "100%".to_owned()), (Stdout, "ok".to_owned())]
        );
    }
}
