//! What tools answer.

#[cfg(test)]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::clip::{Omitted, clip};
use super::error::ToolError;
use crate::api::Code;
use crate::domain::quote::sh_join;
use crate::domain::shell::Job;
use crate::ops::job::{JobOutput, Since};
use crate::ops::shell::Listed;

/// An answer as data.
///
/// # Errors
/// None of these types has any.
pub fn value(answer: &impl Serialize) -> Result<Value, ToolError> {
    serde_json::to_value(answer).map_err(|error| ToolError::new(Code::Failed, error.to_string()))
}

/// Bytes of both streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Offsets {
    #[serde(default, deserialize_with = "super::tools::number")]
    pub stdout: u64,
    #[serde(default, deserialize_with = "super::tools::number")]
    pub stderr: u64,
}

impl Offsets {
    pub const fn since(self) -> Since {
        Since::Each(self.stdout, self.stderr)
    }
}

/// A shell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Session {
    pub session_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    pub command: String,
    /// The folder that its next command starts in.
    pub work_dir: String,
    /// `active` or `ended`.
    pub status: String,
    /// Who started it: an agent's session, or `user`.
    pub owner: String,
    /// Its jobs that have not ended.
    pub running: Vec<String>,
    /// The names of the states that were kept.
    pub checkpoints: Vec<String>,
}

impl From<&Listed> for Session {
    fn from(listed: &Listed) -> Self {
        let shell = &listed.shell;
        Self {
            session_id: shell.session_id.to_string(),
            name: shell.name.clone(),
            command: sh_join(&shell.command),
            work_dir: shell.work_dir.clone(),
            status: shell.status.word().to_owned(),
            owner: shell.owner.clone(),
            running: listed.running.iter().map(|j| j.job_id.to_string()).collect(),
            checkpoints: listed.checkpoints.iter().map(|c| c.name.clone()).collect(),
        }
    }
}

/// A process that outlives its command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Child {
    pub pid: i32,
    pub command: String,
}

/// What is known of a job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct JobFacts {
    pub job_id: String,
    /// `queued`, `running`, `draining` (it ended, but processes that it started run on), `completed`, `failed`, `killed`,
    /// `timed_out`, `cancelled` (it never ran) or `orphaned` (nobody recorded how it ended).
    pub status: String,
    /// What it exited with; 128 and the signal's number if a signal ended it. Absent while it runs, or if that is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<i32>,
    /// Whether it ended with 0. Absent while it runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub success: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<i32>,
    /// Why it has its status, where that needs a word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What became of the shell's state: `kept` or `unchanged`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Why the state is unchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state_reason: Option<String>,
    /// Milliseconds that it ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration: Option<u64>,
    /// The processes that outlive it.
    pub children: Vec<Child>,
}

impl From<&Job> for JobFacts {
    fn from(job: &Job) -> Self {
        let has_ended = job.exit_code.is_some() || job.status.is_final();
        Self {
            job_id: job.job_id.to_string(),
            status: job.status.word().to_owned(),
            code: job.exit_code,
            success: has_ended.then(|| job.is_success()),
            pid: job.pid,
            reason: job.reason.clone(),
            state: crate::api::state_word(job.state),
            state_reason: job.state_reason.clone(),
            duration: job.duration_ms,
            children: job.children.iter().map(|c| Child { pid: c.pid, command: c.command.clone() }).collect(),
        }
    }
}

/// What a job printed, and what is known of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Ran {
    pub stdout: String,
    pub stderr: String,
    #[serde(flatten)]
    pub job: JobFacts,
    /// The folder that the shell's next command starts in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub work_dir: Option<String>,
    /// Where the output begins, in bytes of each stream.
    pub start: Offsets,
    /// Where it ends: getJobOutput reads on with `since` set to this.
    pub offset: Offsets,
    /// How many bytes there are.
    pub total: Offsets,
    /// Whether some bytes are not in this answer.
    pub truncated: bool,
    /// Which bytes.
    pub omitted: Vec<Omitted>,
    /// The line that was waited for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matched: Option<String>,
    /// What to call next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

impl Ran {
    /// With at most so many bytes of both streams: what one doesn't need, the other may have.
    pub fn of(output: &JobOutput, most: u64) -> Self {
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let (out, err) = (output.stdout.bytes.len(), output.stderr.bytes.len());
        let for_err = err.min((most / 2).max(most.saturating_sub(out)));
        let (stdout, mut omitted) = clip(&output.stdout, "stdout", most - for_err);
        let (stderr, more) = clip(&output.stderr, "stderr", for_err);
        omitted.extend(more);
        let job = JobFacts::from(&output.job);
        let runs = !output.job.status.is_final() && output.job.exit_code.is_none();
        let next = runs.then(|| format!("call waitJob with jobId {} to wait for it", job.job_id));
        Self {
            stdout,
            stderr,
            work_dir: None,
            start: Offsets { stdout: output.stdout.start, stderr: output.stderr.start },
            offset: Offsets { stdout: output.stdout.end, stderr: output.stderr.end },
            total: Offsets { stdout: output.stdout.total, stderr: output.stderr.total },
            truncated: !omitted.is_empty() || output.stdout.is_truncated || output.stderr.is_truncated,
            omitted,
            matched: None,
            next,
            job,
        }
    }
}
