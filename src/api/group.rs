//! Groups.

#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;

use super::Version;
use crate::domain::group;

/// A group of sessions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Group {
    pub schema_version: Version,
    /// Its full path, such as `work/backend`.
    pub path: String,
    /// The last part of its path.
    pub name: String,
    /// Whether its rows are shown in the TUI.
    pub expanded: bool,
    /// Its place among its siblings; null if only groups below it were ever created.
    pub order: Option<i64>,
    /// Where its new sessions work.
    pub default_path: Option<String>,
    /// How many sessions are in it and in the groups below it.
    pub sessions: usize,
}

impl Group {
    /// The group at `path`, which may have no record of its own.
    pub fn of(path: &group::GroupPath, record: Option<&group::Group>, sessions: usize) -> Self {
        Self {
            schema_version: Version,
            path: path.to_string(),
            name: path.name().to_owned(),
            expanded: record.is_none_or(|g| g.expanded),
            order: record.map(|g| g.order),
            default_path: record.and_then(|g| g.default_path.clone()),
            sessions,
        }
    }
}

/// A group that was created, changed or deleted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct GroupChanged {
    pub schema_version: Version,
    /// Its path; the new one, if that changed.
    pub path: String,
}

impl From<&group::GroupPath> for GroupChanged {
    fn from(path: &group::GroupPath) -> Self {
        Self { schema_version: Version, path: path.to_string() }
    }
}
