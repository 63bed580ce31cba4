//! Profiles.

#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;

use super::Version;
use crate::domain::id::ProfileName;

/// A profile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Profile {
    pub schema_version: Version,
    pub name: String,
    /// Whether it is used if none is named.
    pub default: bool,
    /// How many sessions it has; null if it can't be read.
    pub sessions: Option<usize>,
}

impl Profile {
    pub fn new(name: &ProfileName, default: bool, sessions: Option<usize>) -> Self {
        Self { schema_version: Version, name: name.to_string(), default, sessions }
    }
}

/// A profile that was created, renamed or deleted, or is the default one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct ProfileChanged {
    pub schema_version: Version,
    /// Its name; the new one, if that changed.
    pub name: String,
}

impl ProfileChanged {
    pub fn new(name: String) -> Self {
        Self { schema_version: Version, name }
    }
}
