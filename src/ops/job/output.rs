//! What a job printed, by absolute offsets.

use crate::domain::shell::{Job, Stream, Window, whole_characters};
use crate::ops::Cx;
use crate::ops::shell::{ShellError, ShellOpResult};
use crate::ports::ShellsError;
use crate::ports::shells::Which;

/// Which part of a job's output is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutputRange {
    /// From which byte of stdout on.
    pub stdout: u64,
    /// From which byte of stderr on.
    pub stderr: u64,
    /// How many bytes of each at most.
    pub limit: u64,
}

impl Default for OutputRange {
    fn default() -> Self {
        Self { stdout: 0, stderr: 0, limit: u64::MAX }
    }
}

/// From which byte on output is wanted, as a caller says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// One number for both streams, of which one may be shorter.
    Both(u64),
    /// Of stdout and of stderr.
    Each(u64, u64),
}

impl Default for Since {
    fn default() -> Self {
        Self::Both(0)
    }
}

impl Since {
    /// The bytes of stdout and of stderr.
    pub fn of(self, job: &Job) -> (u64, u64) {
        match self {
            Self::Each(stdout, stderr) => (stdout, stderr),
            // Beyond the end of both it is a mistake, which reading reports.
            Self::Both(n) if n > job.stdout.total.max(job.stderr.total) => (n, n),
            Self::Both(n) => (n.min(job.stdout.total), n.min(job.stderr.total)),
        }
    }
}

/// A part of one stream.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Part {
    /// The bytes that are kept of it.
    pub bytes: Vec<u8>,
    /// Where it begins.
    pub start: u64,
    /// Where it ends, and the next part begins.
    pub end: u64,
    /// How many bytes there are.
    pub total: u64,
    /// The bytes within it that are not kept.
    pub gap: Option<(u64, u64)>,
    /// Whether some of what was asked for isn't kept.
    pub is_truncated: bool,
}

impl Part {
    /// It in pieces without a gap: their bytes, and whether each goes on where what was read up to `read` ends.
    pub fn pieces(&self, read: u64) -> Vec<(&[u8], bool)> {
        let goes_on = self.start == read;
        let Some((from, _)) = self.gap else { return vec![(&self.bytes, goes_on)] };
        let at = usize::try_from(from - self.start).unwrap_or(usize::MAX).min(self.bytes.len());
        let (before, behind) = self.bytes.split_at(at);
        vec![(before, goes_on), (behind, false)]
    }

    /// It as text, and whether some bytes of it are none.
    pub fn text(&self) -> (String, bool) {
        let text = String::from_utf8_lossy(&self.bytes);
        let lossy = matches!(text, std::borrow::Cow::Owned(_));
        (text.into_owned(), lossy)
    }
}

/// Parts of both streams.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobOutput {
    /// The job, as it was before they were read.
    pub job: Job,
    /// Of what it prints.
    pub stdout: Part,
    /// Of what it complains of.
    pub stderr: Part,
}

/// How often bytes that were removed meanwhile are looked for again.
const TRIES: u32 = 20;

/// Reads parts of a job's output. While it runs, none ends within a character.
///
/// # Errors
/// [`ShellError::BeyondEnd`] when there is no such byte.
pub fn output(cx: &Cx, job: Job, range: OutputRange) -> ShellOpResult<JobOutput> {
    let mut job = job;
    let mut tries = 0;
    loop {
        let part = |which, since| read(cx, &job, which, since, range.limit);
        match part(Which::Stdout, range.stdout).and_then(|o| Ok((o, part(Which::Stderr, range.stderr)?))) {
            Ok((stdout, stderr)) => return Ok(JobOutput { job, stdout, stderr }),
            // The job went on printing, and what was kept a moment ago is gone.
            Err(ShellError::Shells(ShellsError::Io { .. })) if tries < TRIES => {
                tries += 1;
                job = cx.shells.job(&job.session_id, job.seq)?.unwrap_or(job);
            }
            Err(error) => return Err(error),
        }
    }
}

fn read(cx: &Cx, job: &Job, which: Which, since: u64, limit: u64) -> ShellOpResult<Part> {
    let (stream, name) = match which {
        Which::Stdout => (job.stdout, "stdout"),
        Which::Stderr => (job.stderr, "stderr"),
    };
    if job.trimmed {
        let Stream { total, .. } = stream;
        return Ok(Part { start: total, end: total, total, is_truncated: since < total, ..Part::default() });
    }
    let beyond = || ShellError::BeyondEnd { since, stream: name, total: stream.total };
    let mut window = Window::of(stream, since, limit).ok_or_else(beyond)?;
    let mut bytes = Vec::new();
    for (from, to) in window.ranges() {
        bytes.extend(cx.shells.read(&job.job_id, which, from, to)?);
    }
    let is_cut = window.end < stream.total || !job.status.is_final();
    let whole = whole_characters(&bytes);
    // A part that holds nothing but the beginning of a character is given as it is once there can be no more.
    if is_cut && (whole > 0 || !job.status.is_final()) {
        window.end -= (bytes.len() - whole) as u64;
        bytes.truncate(whole);
    }
    let is_truncated = window.gap.is_some() || window.start > since;
    Ok(Part {
        bytes,
        start: window.start,
        end: window.end,
        total: stream.total,
        gap: window.gap,
        is_truncated,
    })
}

/// Both streams in the order in which they came, as far as that is known.
///
/// # Errors
/// The system's.
pub fn merged(cx: &Cx, output: &JobOutput) -> ShellOpResult<Vec<(Which, Vec<u8>)>> {
    let order = cx.shells.order(&output.job.job_id)?;
    let mut at = [output.stdout.start, output.stderr.start];
    let mut all = Vec::new();
    let mut take = |which: Which, to: u64, all: &mut Vec<(Which, Vec<u8>)>| {
        let (part, at) = match which {
            Which::Stdout => (&output.stdout, &mut at[0]),
            Which::Stderr => (&output.stderr, &mut at[1]),
        };
        let to = to.min(part.end);
        if to > *at {
            all.push((which, slice(part, *at, to)));
            *at = to;
        }
    };
    for (i, (which, _)) in order.iter().enumerate() {
        // This stream lasts until it begins again after the other one.
        let next = order.iter().skip(i + 1).find(|(w, _)| w == which).map_or(u64::MAX, |(_, offset)| *offset);
        take(*which, next, &mut all);
    }
    take(Which::Stdout, u64::MAX, &mut all);
    take(Which::Stderr, u64::MAX, &mut all);
    Ok(all)
}

/// The kept bytes of a part between two offsets.
fn slice(part: &Part, from: u64, to: u64) -> Vec<u8> {
    let index = |offset: u64| {
        let skipped = match part.gap {
            Some((a, b)) if offset >= b => b - a,
            Some((a, _)) if offset > a => offset - a,
            _ => 0,
        };
        usize::try_from(offset - part.start - skipped).unwrap_or(usize::MAX).min(part.bytes.len())
    };
    part.bytes.get(index(from)..index(to)).unwrap_or_default().to_vec()
}
