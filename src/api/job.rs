//! Jobs of headless shells.

use jiff::Timestamp;
#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;

use super::Version;
use super::shell::ChildProcess;
use crate::domain::shell::{self as domain, StateOutcome};
use crate::ops::job as ops;
use crate::ops::shell::Executed;

/// A number of bytes, or an offset, for each stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Offsets {
    pub stdout: u64,
    pub stderr: u64,
}

/// A fact about each stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Both {
    pub stdout: bool,
    pub stderr: bool,
}

/// The bytes within what is given that are not kept, from the first to the one behind the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Gaps {
    pub stdout: Option<(u64, u64)>,
    pub stderr: Option<(u64, u64)>,
}

/// What is kept of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct KeptStream {
    /// How many bytes there were.
    pub total: u64,
    /// From which byte on all are kept.
    pub first: u64,
    /// How many of the first ones are kept, too.
    pub head: u64,
}

impl From<domain::Stream> for KeptStream {
    fn from(stream: domain::Stream) -> Self {
        Self { total: stream.total, first: stream.first, head: stream.head }
    }
}

pub fn state_word(state: Option<StateOutcome>) -> Option<String> {
    state.map(|s| if s == StateOutcome::Kept { "kept" } else { "unchanged" }.to_owned())
}

/// A job, without its output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Job {
    pub schema_version: Version,
    pub job_id: String,
    pub session_id: String,
    /// Its number in the shell.
    pub seq: u64,
    /// The job whose code started it.
    pub parent_job: Option<String>,
    /// The code, or its first 64 KiB.
    pub code: String,
    /// What ran it.
    #[cfg_attr(test, schemars(extend("examples" = ["bash", "program"])))]
    pub kind: String,
    /// Whether nobody waits for it.
    pub background: bool,
    #[cfg_attr(test, schemars(extend("examples" = ["queued", "running", "draining", "completed", "failed", "killed", "timed_out", "cancelled", "orphaned"])))]
    pub status: String,
    /// Its leader.
    pub pid: Option<i32>,
    pub work_dir: String,
    pub queued_at: Timestamp,
    pub started_at: Option<Timestamp>,
    /// When its leader ended.
    pub completed_at: Option<Timestamp>,
    pub duration_ms: Option<u64>,
    /// What its leader exited with; 128 and the signal's number if a signal ended it; null if that is unknown.
    pub exit_code: Option<i32>,
    /// The signal that ended its leader.
    pub signal: Option<String>,
    /// Why it has its status, where that needs a word.
    pub reason: Option<String>,
    /// What became of the shell's state.
    #[cfg_attr(test, schemars(extend("examples" = ["kept", "unchanged"])))]
    pub state: Option<String>,
    /// Why the state is unchanged.
    #[cfg_attr(test, schemars(extend("examples" = ["background", "killed", "exec", "exit_trap", "no_capture", "not_written"])))]
    pub state_reason: Option<String>,
    pub stdout: KeptStream,
    pub stderr: KeptStream,
    /// The processes that outlive its leader; of an orphaned job, all that still run.
    pub children: Vec<ChildProcess>,
    /// Whether its output was removed to make room.
    pub trimmed: bool,
}

impl From<&domain::Job> for Job {
    fn from(job: &domain::Job) -> Self {
        Self {
            schema_version: Version,
            job_id: job.job_id.to_string(),
            session_id: job.session_id.to_string(),
            seq: job.seq,
            parent_job: job.parent_job.as_ref().map(ToString::to_string),
            code: job.code.clone(),
            kind: job.kind.clone(),
            background: job.background,
            status: job.status.word().to_owned(),
            pid: job.pid,
            work_dir: job.work_dir.clone(),
            queued_at: job.queued_at,
            started_at: job.started_at,
            completed_at: job.completed_at,
            duration_ms: job.duration_ms,
            exit_code: job.exit_code,
            signal: job.signal.clone(),
            reason: job.reason.clone(),
            state: state_word(job.state),
            state_reason: job.state_reason.clone(),
            stdout: job.stdout.into(),
            stderr: job.stderr.into(),
            children: job.children.iter().map(ChildProcess::from).collect(),
            trimmed: job.trimmed,
        }
    }
}

/// Code that was run; in the background, that it runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(untagged)]
pub enum ShellExec {
    /// It was waited for.
    Done(Box<ShellExecuted>),
    /// It runs in the background.
    Background(ShellBackground),
}

/// A job in the background.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct ShellBackground {
    pub schema_version: Version,
    pub job_id: String,
    pub pid: Option<i32>,
    #[cfg_attr(test, schemars(extend("examples" = ["running"])))]
    pub status: String,
}

/// Code that was run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct ShellExecuted {
    pub schema_version: Version,
    /// What it printed, as text.
    pub stdout: String,
    /// What it printed on stderr, as text.
    pub stderr: String,
    /// What it exited with; 128 and the signal's number if a signal ended it; null while it runs.
    pub exit_code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<String>,
    /// Whether it exited with 0.
    pub success: bool,
    pub execution_time_ms: Option<u64>,
    /// How long it waited for its turn.
    pub queued_ms: Option<u64>,
    pub job_id: String,
    pub pid: Option<i32>,
    #[cfg_attr(test, schemars(extend("examples" = ["running", "draining", "completed", "failed", "killed", "timed_out", "cancelled", "orphaned"])))]
    pub status: String,
    /// Why it has its status, where that needs a word.
    pub reason: Option<String>,
    /// What became of the shell's state.
    #[cfg_attr(test, schemars(extend("examples" = ["kept", "unchanged"])))]
    pub state: Option<String>,
    /// Why the state is unchanged.
    #[cfg_attr(test, schemars(extend("examples" = ["background", "killed", "exec", "exit_trap", "no_capture", "not_written"])))]
    pub state_reason: Option<String>,
    /// The folder that the shell's next command starts in.
    pub work_dir: String,
    /// Whether bytes of it are not kept.
    pub stdout_truncated: bool,
    /// Whether bytes of it are not kept.
    pub stderr_truncated: bool,
    /// The bytes that are not kept.
    pub gap: Gaps,
    /// Where the output ends: more is read from here on.
    pub offset: Offsets,
    /// Whether bytes that are not UTF-8 were replaced.
    pub lossy: bool,
    /// The processes that outlive it.
    pub children: Vec<ChildProcess>,
}

impl ShellExec {
    /// What became of code that was waited for.
    pub fn of(executed: &Executed, output: &ops::JobOutput) -> Self {
        let (job, (stdout, lossy_out), (stderr, lossy_err)) =
            (&executed.job, output.stdout.text(), output.stderr.text());
        let queued = job.started_at.map(|at| at.duration_since(job.queued_at).as_millis());
        Self::Done(Box::new(ShellExecuted {
            schema_version: Version,
            stdout,
            stderr,
            exit_code: job.exit_code,
            signal: job.signal.clone(),
            success: job.is_success(),
            execution_time_ms: job.duration_ms,
            queued_ms: queued.and_then(|ms| u64::try_from(ms).ok()),
            job_id: job.job_id.to_string(),
            pid: job.pid,
            status: job.status.word().to_owned(),
            reason: job.reason.clone(),
            state: state_word(job.state),
            state_reason: job.state_reason.clone(),
            work_dir: executed.shell.work_dir.clone(),
            stdout_truncated: output.stdout.is_truncated,
            stderr_truncated: output.stderr.is_truncated,
            gap: Gaps { stdout: output.stdout.gap, stderr: output.stderr.gap },
            offset: Offsets { stdout: output.stdout.end, stderr: output.stderr.end },
            lossy: lossy_out || lossy_err,
            children: job.children.iter().map(ChildProcess::from).collect(),
        }))
    }

    /// That code runs in the background.
    pub fn background(job: &domain::Job) -> Self {
        Self::Background(ShellBackground {
            schema_version: Version,
            job_id: job.job_id.to_string(),
            pid: job.pid,
            status: job.status.word().to_owned(),
        })
    }
}

/// What a job printed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct JobOutput {
    pub schema_version: Version,
    pub job_id: String,
    #[cfg_attr(test, schemars(extend("examples" = ["running", "draining", "completed", "failed"])))]
    pub status: String,
    pub exit_code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    /// Where it begins, in bytes of each stream.
    pub start: Offsets,
    /// Where it ends: more is read from here on.
    pub offset: Offsets,
    /// How many bytes there are.
    pub total: Offsets,
    /// The bytes within it that are not kept.
    pub gap: Gaps,
    /// Whether some of what was asked for isn't kept.
    pub truncated: Both,
    /// Whether bytes that are not UTF-8 were replaced.
    pub lossy: bool,
}

impl From<&ops::JobOutput> for JobOutput {
    fn from(output: &ops::JobOutput) -> Self {
        let (out, err) = (&output.stdout, &output.stderr);
        let ((stdout, lossy_out), (stderr, lossy_err)) = (out.text(), err.text());
        Self {
            schema_version: Version,
            job_id: output.job.job_id.to_string(),
            status: output.job.status.word().to_owned(),
            exit_code: output.job.exit_code,
            stdout,
            stderr,
            start: Offsets { stdout: out.start, stderr: err.start },
            offset: Offsets { stdout: out.end, stderr: err.end },
            total: Offsets { stdout: out.total, stderr: err.total },
            gap: Gaps { stdout: out.gap, stderr: err.gap },
            truncated: Both { stdout: out.is_truncated, stderr: err.is_truncated },
            lossy: lossy_out || lossy_err,
        }
    }
}

/// A job that was waited for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct JobWaited {
    pub schema_version: Version,
    pub job_id: String,
    #[cfg_attr(test, schemars(extend("examples" = ["running", "draining", "completed", "failed", "killed", "orphaned"])))]
    pub status: String,
    pub stdout: String,
    pub stderr: String,
    pub exit_code: Option<i32>,
    /// The same as `exit_code`.
    pub code: Option<i32>,
    pub success: bool,
    pub duration_ms: Option<u64>,
    /// The line that was waited for.
    pub matched: Option<String>,
    /// Whether it is as it was waited for; false when the time was up.
    pub done: bool,
}

impl JobWaited {
    /// A job with what it printed.
    pub fn of(waited: &ops::Waited, output: &ops::JobOutput) -> Self {
        let job = &waited.job;
        Self {
            schema_version: Version,
            job_id: job.job_id.to_string(),
            status: job.status.word().to_owned(),
            stdout: output.stdout.text().0,
            stderr: output.stderr.text().0,
            exit_code: job.exit_code,
            code: job.exit_code,
            success: job.is_success(),
            duration_ms: job.duration_ms,
            matched: waited.matched.clone(),
            done: waited.is_done,
        }
    }
}

/// A job that was killed, or sent a signal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct JobKilled {
    pub schema_version: Version,
    pub job_id: String,
    #[cfg_attr(test, schemars(extend("examples" = ["running", "completed", "failed", "killed", "orphaned"])))]
    pub status: String,
    pub exit_code: Option<i32>,
    pub signal: Option<String>,
    /// Whether it had ended before.
    pub had_ended: bool,
}

impl From<&ops::Killed> for JobKilled {
    fn from(killed: &ops::Killed) -> Self {
        Self {
            schema_version: Version,
            job_id: killed.job.job_id.to_string(),
            status: killed.job.status.word().to_owned(),
            exit_code: killed.job.exit_code,
            signal: killed.job.signal.clone(),
            had_ended: killed.had_ended,
        }
    }
}

/// What was written to a job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct JobWritten {
    pub schema_version: Version,
    pub job_id: String,
    /// How many bytes.
    pub written: u64,
    /// Whether it now sees the end of its input.
    pub eof: bool,
}

/// What was removed of finished jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct JobsPruned {
    pub schema_version: Version,
    /// How many jobs.
    pub jobs: u64,
    /// How many bytes of output.
    pub bytes: u64,
}

impl From<ops::Pruned> for JobsPruned {
    fn from(pruned: ops::Pruned) -> Self {
        Self { schema_version: Version, jobs: pruned.jobs, bytes: pruned.bytes }
    }
}
