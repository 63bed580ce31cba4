//! Headless shells.

use jiff::Timestamp;
#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;

use super::Version;
use crate::domain::quote::sh_join;
use crate::domain::shell;
use crate::ops::shell as ops;

/// A shell that was started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct ShellStarted {
    pub schema_version: Version,
    pub session_id: String,
    pub name: Option<String>,
    pub command: String,
    /// What runs its code.
    #[cfg_attr(test, schemars(extend("examples" = ["bash"])))]
    pub kind: String,
    pub work_dir: String,
    #[cfg_attr(test, schemars(extend("examples" = ["active", "ended"])))]
    pub status: String,
    /// The shells that were ended to make room, by id.
    pub evicted: Vec<String>,
    /// Whether functions are kept between commands: an `sh` that can't list them keeps none.
    pub keeps_functions: bool,
}

impl From<&ops::Started> for ShellStarted {
    fn from(started: &ops::Started) -> Self {
        let shell = &started.shell;
        Self {
            schema_version: Version,
            session_id: shell.session_id.to_string(),
            name: shell.name.clone(),
            command: sh_join(&shell.command),
            kind: shell.kind.clone(),
            work_dir: shell.work_dir.clone(),
            status: shell.status.word().to_owned(),
            evicted: started.evicted.clone(),
            keeps_functions: started.keeps_functions,
        }
    }
}

/// A shell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Shell {
    pub schema_version: Version,
    pub session_id: String,
    pub name: Option<String>,
    pub command: String,
    /// What runs its code.
    #[cfg_attr(test, schemars(extend("examples" = ["bash"])))]
    pub kind: String,
    /// Of a shell whose state is in a process that is gone, `lost`.
    #[cfg_attr(test, schemars(extend("examples" = ["active", "ended", "lost"])))]
    pub status: String,
    /// The session that started it, or `user`.
    pub owner: String,
    /// The folder that its next command starts in.
    pub work_dir: String,
    pub created_at: Timestamp,
    pub last_activity_at: Timestamp,
    pub ended_at: Option<Timestamp>,
    /// How many jobs it ran.
    pub execution_count: u64,
    /// The jobs that have not ended.
    pub running: Vec<String>,
    /// Bytes of output that are kept.
    pub bytes: u64,
    /// The folder with its state, jobs and history.
    pub folder: String,
    /// The names of the states that were kept, oldest first.
    pub checkpoints: Vec<String>,
}

impl From<&ops::Listed> for Shell {
    fn from(listed: &ops::Listed) -> Self {
        let shell = &listed.shell;
        Self {
            schema_version: Version,
            session_id: shell.session_id.to_string(),
            name: shell.name.clone(),
            command: sh_join(&shell.command),
            kind: shell.kind.clone(),
            status: listed.status_word().to_owned(),
            owner: shell.owner.clone(),
            work_dir: shell.work_dir.clone(),
            created_at: shell.created_at,
            last_activity_at: shell.last_activity_at,
            ended_at: shell.ended_at,
            execution_count: shell.execution_count,
            running: listed.running.iter().map(|j| j.job_id.to_string()).collect(),
            bytes: shell.bytes,
            folder: listed.folder.to_string_lossy().into_owned(),
            checkpoints: listed.checkpoints.iter().map(|c| c.name.clone()).collect(),
        }
    }
}

/// A state that was kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct ShellCheckpoint {
    pub schema_version: Version,
    pub session_id: String,
    pub name: String,
    pub made_at: Timestamp,
    /// The session that made it, or `user`.
    pub made_by: String,
}

impl ShellCheckpoint {
    pub fn of(shell: &shell::Shell, checkpoint: &shell::Checkpoint) -> Self {
        Self {
            schema_version: Version,
            session_id: shell.session_id.to_string(),
            name: checkpoint.name.clone(),
            made_at: checkpoint.made_at,
            made_by: checkpoint.made_by.clone(),
        }
    }
}

/// A shell that was ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct ShellEnded {
    pub schema_version: Version,
    pub session_id: String,
    #[cfg_attr(test, schemars(extend("examples" = ["terminated"])))]
    pub status: String,
    /// The jobs that were killed.
    pub killed: Vec<String>,
}

impl From<&ops::Ended> for ShellEnded {
    fn from(ended: &ops::Ended) -> Self {
        Self {
            schema_version: Version,
            session_id: ended.shell.session_id.to_string(),
            status: "terminated".to_owned(),
            killed: ended.killed.iter().map(ToString::to_string).collect(),
        }
    }
}

/// A process that outlives the job's leader.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct ChildProcess {
    pub pid: i32,
    /// Its command line.
    pub command: String,
}

impl From<&shell::Child> for ChildProcess {
    fn from(child: &shell::Child) -> Self {
        Self { pid: child.pid, command: child.command.clone() }
    }
}
