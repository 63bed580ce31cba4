//! A job's record.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{JobId, ShellId};

/// What a job does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobStatus {
    /// It waits for its turn.
    Queued,
    /// Its leader runs.
    Running,
    /// Its leader has ended, and processes that it started still run.
    Draining,
    /// It ended with 0.
    Completed,
    /// It ended with anything else.
    Failed,
    /// It was ended by deck.
    Killed,
    /// Its time limit ended it.
    TimedOut,
    /// It never ran: whoever asked left the queue.
    Cancelled,
    /// Its supervisor is gone, and recorded no end.
    Orphaned,
}

impl JobStatus {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Queued,
        Self::Running,
        Self::Draining,
        Self::Completed,
        Self::Failed,
        Self::Killed,
        Self::TimedOut,
        Self::Cancelled,
        Self::Orphaned,
    ];

    /// The status with this word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|s| s.word() == word)
    }

    /// Its word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Draining => "draining",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Killed => "killed",
            Self::TimedOut => "timed_out",
            Self::Cancelled => "cancelled",
            Self::Orphaned => "orphaned",
        }
    }

    /// Whether nothing more is recorded of such a job.
    pub const fn is_final(self) -> bool {
        !matches!(self, Self::Queued | Self::Running | Self::Draining)
    }
}

/// What became of the shell's state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StateOutcome {
    /// What the code changed is what the next command starts from.
    Kept,
    /// The next command starts from what this one started from.
    Unchanged,
}

/// What is kept of an output stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Stream {
    /// How many bytes there were.
    pub total: u64,
    /// From which byte on all are kept.
    pub first: u64,
    /// How many of the first ones are kept, too.
    pub head: u64,
}

impl Stream {
    /// Whether bytes in between are not kept.
    pub const fn is_truncated(self) -> bool {
        self.first > self.head
    }

    /// How many bytes are kept.
    pub const fn kept(self) -> u64 {
        if self.is_truncated() { self.head + (self.total - self.first) } else { self.total }
    }
}

/// A process, known by its id and its start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Child {
    /// Its id.
    pub pid: i32,
    /// Its start, in clock ticks since boot; null where that is unknown.
    pub start: Option<u64>,
    /// Its command line.
    pub command: String,
}

/// One execution.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// Its id.
    pub job_id: JobId,
    /// Its shell.
    pub session_id: ShellId,
    /// Its number in the shell.
    pub seq: u64,
    /// The job whose code started it.
    #[serde(default)]
    pub parent_job: Option<JobId>,
    /// The code: all of it is in the file `code` beside the record.
    pub code: String,
    /// What ran it.
    pub kind: String,
    /// Whether nobody waits for it.
    pub background: bool,
    /// What it does.
    pub status: JobStatus,
    /// Its leader.
    #[serde(default)]
    pub pid: Option<i32>,
    /// Its leader's process group.
    #[serde(default)]
    pub pgid: Option<i32>,
    /// Its leader's start, in clock ticks since boot.
    #[serde(default)]
    pub leader_start: Option<u64>,
    /// The boot of the machine in which its processes ran.
    #[serde(default)]
    pub boot_id: Option<String>,
    /// The process that owns its pipes and its record.
    #[serde(default)]
    pub supervisor_pid: Option<i32>,
    /// Where it started.
    pub work_dir: String,
    /// When it was asked for.
    pub queued_at: Timestamp,
    /// When its leader started.
    #[serde(default)]
    pub started_at: Option<Timestamp>,
    /// When its leader ended.
    #[serde(default)]
    pub completed_at: Option<Timestamp>,
    /// How long its leader ran.
    #[serde(default)]
    pub duration_ms: Option<u64>,
    /// What its leader exited with; 128 and the signal's number if a signal ended it.
    #[serde(default)]
    pub exit_code: Option<i32>,
    /// The signal that ended its leader.
    #[serde(default)]
    pub signal: Option<String>,
    /// Why it has its status, where that needs a word.
    #[serde(default)]
    pub reason: Option<String>,
    /// What became of the shell's state.
    #[serde(default)]
    pub state: Option<StateOutcome>,
    /// Why it is unchanged.
    #[serde(default)]
    pub state_reason: Option<String>,
    /// The state that it started from.
    #[serde(default)]
    pub generation: u64,
    /// Its stdout.
    #[serde(default)]
    pub stdout: Stream,
    /// Its stderr.
    #[serde(default)]
    pub stderr: Stream,
    /// The processes that outlive its leader.
    #[serde(default)]
    pub children: Vec<Child>,
    /// Whether its output was removed to make room.
    #[serde(default)]
    pub trimmed: bool,
}

/// How much of the code a record repeats, in bytes.
const CODE: usize = 64 * 1024;

impl Job {
    /// A job that was asked for.
    pub fn queued(id: JobId, code: &[u8], kind: &str, now: Timestamp) -> Self {
        let shown = code.get(..CODE.min(code.len())).unwrap_or_default();
        Self {
            session_id: id.shell.clone(),
            seq: id.seq,
            job_id: id,
            parent_job: None,
            code: String::from_utf8_lossy(shown).into_owned(),
            kind: kind.to_owned(),
            background: false,
            status: JobStatus::Queued,
            pid: None,
            pgid: None,
            leader_start: None,
            boot_id: None,
            supervisor_pid: None,
            work_dir: String::new(),
            queued_at: now,
            started_at: None,
            completed_at: None,
            duration_ms: None,
            exit_code: None,
            signal: None,
            reason: None,
            state: None,
            state_reason: None,
            generation: 0,
            stdout: Stream::default(),
            stderr: Stream::default(),
            children: Vec::new(),
            trimmed: false,
        }
    }

    /// Whether it ended with 0.
    pub fn is_success(&self) -> bool {
        self.exit_code == Some(0)
    }
}
