//! Statuses, their reasons, and how many sessions have each.

#[cfg(test)]
use std::borrow::Cow;

#[cfg(test)]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;

use super::Version;
use crate::domain::status;

/// What a session is doing, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Launched a moment ago; nothing exact is known yet.
    Starting,
    /// Working; needs nobody.
    Running,
    /// Needs its user: a question, or a finished turn that nobody has looked at.
    Waiting,
    /// Has nothing to do, and its user knows.
    Idle,
    /// Can't continue by itself.
    Error,
    /// Stopped by its user, never started, or ended well by itself.
    Stopped,
}

impl From<status::Status> for Status {
    fn from(status: status::Status) -> Self {
        match status {
            status::Status::Starting => Self::Starting,
            status::Status::Running => Self::Running,
            status::Status::Waiting => Self::Waiting,
            status::Status::Idle => Self::Idle,
            status::Status::Error => Self::Error,
            status::Status::Stopped => Self::Stopped,
        }
    }
}

/// Why a session has its status.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Reason(String);

impl From<&status::Reason> for Reason {
    fn from(reason: &status::Reason) -> Self {
        Self(reason.to_string())
    }
}

#[cfg(test)]
impl JsonSchema for Reason {
    fn schema_name() -> Cow<'static, str> {
        "Reason".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut examples: Vec<String> = status::Reason::fixed().map(ToString::to_string).collect();
        let open = [
            status::Reason::Busy(status::BusyKind::Retrying(Some(2))),
            status::Reason::Exited(1),
            status::Reason::Killed("KILL".to_owned()),
            status::Reason::SetupExited(1),
        ];
        examples.extend(open.iter().map(ToString::to_string));
        json_schema!({
            "type": "string",
            "description": "Why a session has its status, in a word or two. More words may be added.",
            "examples": examples,
        })
    }
}

/// How many sessions of a profile have each status.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct StatusCounts {
    pub schema_version: Version,
    pub profile: String,
    /// All its sessions.
    pub total: usize,
    pub running: usize,
    pub waiting: usize,
    pub idle: usize,
    pub error: usize,
    pub starting: usize,
    pub stopped: usize,
}

impl StatusCounts {
    /// Counts these statuses.
    pub fn of(profile: &str, statuses: impl IntoIterator<Item = status::Status>) -> Self {
        let mut counts = Self {
            schema_version: Version,
            profile: profile.to_owned(),
            total: 0,
            running: 0,
            waiting: 0,
            idle: 0,
            error: 0,
            starting: 0,
            stopped: 0,
        };
        for status in statuses {
            counts.total += 1;
            *match status {
                status::Status::Running => &mut counts.running,
                status::Status::Waiting => &mut counts.waiting,
                status::Status::Idle => &mut counts.idle,
                status::Status::Error => &mut counts.error,
                status::Status::Starting => &mut counts.starting,
                status::Status::Stopped => &mut counts.stopped,
            } += 1;
        }
        counts
    }
}
