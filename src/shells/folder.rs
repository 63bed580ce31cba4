//! Where a shell's files are.

use std::path::{Path, PathBuf};

use crate::domain::shell::{JobId, ShellId};
use crate::ports::shells::Which;

/// A shell's folder.
#[derive(Debug, Clone)]
pub struct ShellFolder(pub PathBuf);

impl ShellFolder {
    pub fn of(root: &Path, shell: &ShellId) -> Self {
        Self(root.join(shell.as_str()))
    }

    pub fn record(&self) -> PathBuf {
        self.0.join("shell.json")
    }

    /// The record as it was when the shell was started, for when the other is damaged.
    pub fn first_record(&self) -> PathBuf {
        self.0.join("shell.json.bak")
    }

    pub fn lock(&self) -> PathBuf {
        self.0.join("lock")
    }

    pub fn turn(&self) -> PathBuf {
        self.0.join("turn")
    }

    pub fn env(&self) -> PathBuf {
        self.0.join("env")
    }

    /// What an interactive shell that starts from this one runs first.
    pub fn start_script(&self) -> PathBuf {
        self.0.join("interactive")
    }

    /// What the live process of a shell is known by.
    pub fn interpreter(&self) -> PathBuf {
        self.0.join("interpreter.json")
    }

    /// Which jobs are to be run again in a new one; it is there until all were.
    pub fn replay(&self) -> PathBuf {
        self.0.join("replay.json")
    }

    /// Whoever runs them again holds this.
    pub fn replaying(&self) -> PathBuf {
        self.0.join("replaying")
    }

    /// An empty folder, for a sandbox in which nothing needs to be written.
    pub fn scratch(&self) -> PathBuf {
        self.0.join("scratch")
    }

    /// Where that process reads what it is asked to run.
    pub fn requests(&self) -> PathBuf {
        self.0.join("requests")
    }

    /// It reads and holds this as long as it lives.
    pub fn life(&self) -> PathBuf {
        self.0.join("life")
    }

    pub fn older_history(&self) -> PathBuf {
        self.0.join("history.1.jsonl")
    }

    pub fn history(&self) -> PathBuf {
        self.0.join("history.jsonl")
    }

    pub fn states(&self) -> PathBuf {
        self.0.join("state")
    }

    pub fn state(&self, generation: u64) -> PathBuf {
        self.states().join(format!("{generation:06}"))
    }

    pub fn checkpoints(&self) -> PathBuf {
        self.0.join("checkpoints")
    }

    pub fn checkpoint(&self, name: &str) -> PathBuf {
        self.checkpoints().join(name)
    }

    /// When it was made, and by whom. No checkpoint's own name ends like this.
    pub fn checkpoint_record(&self, name: &str) -> PathBuf {
        self.checkpoints().join(format!("{name}.json"))
    }

    pub fn jobs(&self) -> PathBuf {
        self.0.join("jobs")
    }

    pub fn job(&self, seq: u64) -> JobFolder {
        JobFolder(self.jobs().join(seq.to_string()))
    }
}

/// A job's folder.
#[derive(Debug, Clone)]
pub struct JobFolder(pub PathBuf);

impl JobFolder {
    pub fn of(root: &Path, job: &JobId) -> Self {
        ShellFolder::of(root, &job.shell).job(job.seq)
    }

    /// The folder of its shell.
    pub fn shell(&self) -> Option<ShellFolder> {
        Some(ShellFolder(self.0.parent()?.parent()?.to_owned()))
    }

    /// The code. Its lock is the job's proof of life.
    pub fn code(&self) -> PathBuf {
        self.0.join("code")
    }

    pub fn record(&self) -> PathBuf {
        self.0.join("job.json")
    }

    /// Locked until the leader's end is recorded.
    pub fn leader(&self) -> PathBuf {
        self.0.join("leader")
    }

    pub fn control(&self) -> PathBuf {
        self.0.join("control")
    }

    /// What is written to the job.
    pub fn stdin(&self) -> PathBuf {
        self.0.join("stdin")
    }

    /// Where the shell writes its state to.
    pub fn capture(&self) -> PathBuf {
        self.0.join("capture")
    }

    /// What a live process writes to, and where it says how the code ended.
    pub fn answer(&self) -> PathBuf {
        self.0.join("done")
    }

    pub fn pipe(&self, which: Which) -> PathBuf {
        self.0.join(match which {
            Which::Stdout => "out",
            Which::Stderr => "err",
        })
    }

    pub fn order(&self) -> PathBuf {
        self.0.join("order")
    }

    pub fn segment(&self, which: Which, number: u64) -> PathBuf {
        self.0.join(format!("{}{number:06}", prefix(which)))
    }
}

/// What the names of a stream's segments begin with.
pub fn prefix(which: Which) -> &'static str {
    match which {
        Which::Stdout => "out.",
        Which::Stderr => "err.",
    }
}
