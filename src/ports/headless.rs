//! Agents' programs that are run once, without a terminal, to write something.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use super::Cancel;

/// One run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeadlessJob {
    /// The program and its arguments. `{schema}`, `{schema_file}`, `{out}` and `{system}` in these are filled in.
    pub argv: Vec<String>,
    /// All of its environment.
    pub env: BTreeMap<String, String>,
    /// The folder with the empty one that it works in, and with files of the run, which are removed at its end.
    pub scratch: PathBuf,
    /// What it reads on stdin.
    pub input: String,
    /// What it is told.
    pub system: String,
    /// The JSON Schema of its answer.
    pub schema: String,
    /// Where the answer is in the JSON that it prints, such as `.response`; `.` is all that it prints. If its arguments name
    /// `{out}`, it is that file.
    pub result: String,
    /// Where the id of a conversation is in that JSON which it leaves behind; empty for none.
    pub leaves: String,
    pub time: Duration,
    /// The most that is read of its answer, in bytes.
    pub bytes: u64,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HeadlessAnswer {
    pub text: String,
    /// The id of the conversation that it left.
    pub left: Option<String>,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HeadlessError {
    #[error("it can't be started: {0}")]
    NotStarted(String),
    #[error("it gave no answer within {} s", .0.as_secs())]
    TimedOut(Duration),
    #[error("it printed more than {0} bytes")]
    TooMuch(u64),
    #[error("it ended with exit code {code}{}", if words.is_empty() { String::new() } else { format!(": {words}") })]
    Failed { code: String, words: String },
    #[error("what it printed has no {0}")]
    NoResult(String),
    #[error("interrupted")]
    Cancelled,
}

/// Runs agents' programs.
pub trait Headless: Send + Sync {
    /// Runs a program and returns its answer. When this ends, nothing of it runs any more.
    ///
    /// # Errors
    /// [`HeadlessError`].
    fn run(&self, job: &HeadlessJob, cancel: &Cancel) -> Result<HeadlessAnswer, HeadlessError>;
}
