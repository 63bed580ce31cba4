//! A shell's record.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::ShellId;

/// Whether a shell takes further commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ShellStatus {
    /// It does.
    Active,
    /// It was ended. Its files stay until they are removed.
    Ended,
}

impl ShellStatus {
    /// Its word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Ended => "ended",
        }
    }
}

/// How long an ended shell can be brought back.
pub const KEPT: SignedDuration = SignedDuration::from_hours(7 * 24);
/// How long a shell that ran one command is kept after its end, so that its output can be read.
pub const KEPT_ONCE: SignedDuration = SignedDuration::from_hours(1);

/// What a shell may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// Bytes of kept output, all jobs together.
    pub bytes: u64,
    /// Folders of jobs.
    pub jobs: u64,
    /// Jobs that run at once.
    pub running: usize,
    /// Active shells of one owner.
    pub shells: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 50 * 1024 * 1024, jobs: 1000, running: 16, shells: 10 }
    }
}

/// A shell: its record on disk. What its code sees is in its states.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shell {
    /// The format of the record.
    pub schema_version: u32,
    /// Its id.
    pub session_id: ShellId,
    /// What its user calls it.
    pub name: Option<String>,
    /// What runs its code: `bash` …
    pub kind: String,
    /// The program and its further arguments, as they were given.
    pub command: Vec<String>,
    /// The program's file.
    pub program: String,
    /// What runs it: a program's file and arguments, of which `{job}` stands for a job's folder; empty for nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wrap: Vec<String>,
    /// Whether it takes further commands.
    pub status: ShellStatus,
    /// Whether it runs one command and is ended with it: it takes nobody's place.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub once: bool,
    /// Who started it.
    pub owner: String,
    /// The folder that its next command starts in.
    pub work_dir: String,
    /// When it was started.
    pub created_at: Timestamp,
    /// When it last ran or changed.
    pub last_activity_at: Timestamp,
    /// When it was ended.
    #[serde(default)]
    pub ended_at: Option<Timestamp>,
    /// How many jobs it ran.
    #[serde(default)]
    pub execution_count: u64,
    /// The number of the last job.
    #[serde(default)]
    pub job_sequence: u64,
    /// The oldest job whose folder is kept.
    #[serde(default = "first")]
    pub first_job: u64,
    /// The state that its next command starts from.
    #[serde(default)]
    pub generation: u64,
    /// Bytes of output kept of finished jobs.
    #[serde(default)]
    pub bytes: u64,
    /// What it may use.
    #[serde(default)]
    pub limits: Limits,
}

const fn first() -> u64 {
    1
}

impl Shell {
    /// The format of records that this deck writes.
    pub const FORMAT: u32 = 1;

    /// What it is called: its name, else its id.
    pub fn label(&self) -> &str {
        self.name.as_deref().unwrap_or(self.session_id.as_str())
    }

    /// It takes no further commands from now on.
    pub fn end(&mut self, at: Timestamp) {
        if self.is_active() {
            self.status = ShellStatus::Ended;
            self.ended_at = Some(at);
        }
    }

    /// Whether it was ended so long ago that its files can go.
    pub fn is_expired(&self, now: Timestamp) -> bool {
        let kept = if self.once { KEPT_ONCE } else { KEPT };
        !self.is_active() && self.ended_at.is_some_and(|at| now.duration_since(at) > kept)
    }

    /// The words that run its program with the folder that must be writable in a sandbox.
    pub fn words_around(&self, writable: &str) -> Vec<String> {
        let wrap = self.wrap.iter().map(|word| word.replace("{job}", writable));
        wrap.chain([self.program.clone()]).collect()
    }

    /// Whether an interactive shell can start from its state.
    pub fn can_be_opened(&self) -> bool {
        self.kind == "bash"
    }

    /// Whether it takes further commands.
    pub fn is_active(&self) -> bool {
        self.status == ShellStatus::Active
    }
}

#[cfg(test)]
impl Shell {
    /// A bash that was started at the beginning of time and ran one command.
    pub fn sample(n: u8) -> Self {
        Self {
            schema_version: Self::FORMAT,
            session_id: ShellId::from_entropy([n; 16]),
            name: None,
            kind: "bash".to_owned(),
            command: vec!["bash".to_owned()],
            program: "/bin/bash".to_owned(),
            wrap: Vec::new(),
            status: ShellStatus::Active,
            once: false,
            owner: "user".to_owned(),
            work_dir: "/src".to_owned(),
            created_at: Timestamp::UNIX_EPOCH,
            last_activity_at: Timestamp::UNIX_EPOCH,
            ended_at: None,
            execution_count: 1,
            job_sequence: 1,
            first_job: 1,
            generation: 0,
            bytes: 0,
            limits: Limits::default(),
        }
    }
}

/// The rule for names of shells.
#[derive(Debug, Clone, Copy)]
pub struct ShellName;

impl ShellName {
    /// The rule in words.
    pub const RULE: &'static str =
        "1 to 64 of A-Z a-z 0-9 . _ -, beginning with a letter or digit, and not an id";

    /// Whether a text can be a shell's name: nothing that could be an option, a path, an id or a job.
    pub fn is_valid(name: &str) -> bool {
        let more = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        name.len() <= 64
            && name.starts_with(|c: char| c.is_ascii_alphanumeric())
            && name.chars().all(more)
            && !name.starts_with("sess_")
            && !name.starts_with("job-")
    }
}

#[cfg(test)]
mod tests {
    use super::ShellName;

    #[test]
    fn a_name_is_nothing_else() {
        for good in ["api", "a.b-c_1", "1"] {
            assert!(ShellName::is_valid(good), "{good}");
        }
        for bad in ["", ".", "-x", "a/b", "sess_k3v9q2xa", "job-x", "a b", "é", "%1", &"x".repeat(65)] {
            assert!(!ShellName::is_valid(bad), "{bad}");
        }
    }
}
