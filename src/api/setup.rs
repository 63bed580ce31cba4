//! The settings file and the state of the installation.

use std::path::PathBuf;

#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::Version;

/// Where the config file is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct ConfigPath {
    pub schema_version: Version,
    pub path: String,
}

impl ConfigPath {
    pub fn new(path: String) -> Self {
        Self { schema_version: Version, path }
    }
}

/// A mistake in the config file or in a file that it names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct ConfigWarning {
    pub schema_version: Version,
    /// The file.
    pub path: PathBuf,
    /// The line, counted from 1, where that is known.
    pub line: Option<usize>,
    /// The setting, such as `ui.theme`, where it is about one.
    pub key: Option<String>,
    pub message: String,
    /// Whether it only says what follows from a setting, such as a command that lost its key.
    pub note: bool,
}

/// A setting with its value.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct ConfigSetting {
    pub schema_version: Version,
    /// Its name, such as `ui.theme`, or `keys.stop` for the keys of one command.
    pub key: String,
    /// Its value: the default if the config file has none that can be used.
    pub value: Value,
    pub default: Value,
    /// The line of the config file that sets it, counted from 1; null if none does.
    pub line: Option<usize>,
    /// What it does.
    pub description: String,
}

/// One thing that `deck doctor` checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Finding {
    pub schema_version: Version,
    pub what: Check,
    pub ok: bool,
    /// What was found.
    pub text: String,
}

/// What `deck doctor` checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Check {
    Tmux,
    Folders,
    Profiles,
    Tools,
    /// Headless shells, and those of their jobs whose end nobody recorded.
    Shells,
    /// Sessions on deck's server that are in no profile.
    Strangers,
}
