//! Events: what `deck list --watch --json` prints, one a line.

#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;

use super::{Session, Status, Version};
use crate::domain::id::SessionId;

/// A line of `deck list --watch --json`: a session whenever it changes, or one that was deleted.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(untagged)]
pub enum WatchLine {
    /// A session as it is now: at the start each of them, then each that changes.
    Changed(Box<ChangedSession>),
    /// One that no longer exists.
    Deleted(DeletedSession),
}

/// What happened to a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    /// It is new, or it is one of those that are there at the start.
    Added,
    /// Its status, or the reason of it.
    Status,
    /// Something else that is listed: its title, its group, or whether its first prompt waits to be sent.
    Changed,
    /// It was deleted or archived.
    Deleted,
}

/// A session, and what happened to it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct ChangedSession {
    pub event: EventKind,
    /// Its status before, if that changed and was known.
    pub from: Option<Status>,
    #[serde(flatten)]
    pub session: Session,
}

/// A session that no longer exists.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct DeletedSession {
    pub schema_version: Version,
    event: EventKind,
    pub id: String,
    /// Its last title.
    pub title: String,
    /// Always null.
    status: (),
    /// Always true.
    deleted: bool,
}

impl DeletedSession {
    pub fn new(id: &SessionId, title: String) -> Self {
        let (schema_version, event) = (Version, EventKind::Deleted);
        Self { schema_version, event, id: id.to_string(), title, status: (), deleted: true }
    }
}
