//! Tools, their settings and their mistakes, and what their rules read on a screen.

use std::collections::BTreeMap;
use std::path::PathBuf;

#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::{Choice, Version};
use crate::domain::tool;

/// A tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Tool {
    pub schema_version: Version,
    pub name: String,
    /// Its name as it is shown.
    pub title: String,
    pub command: String,
    /// Its program; null if it is not installed.
    pub program: Option<PathBuf>,
}

impl Tool {
    pub fn of(tool: &tool::Tool, program: Option<PathBuf>) -> Self {
        Self {
            schema_version: Version,
            name: tool.name.clone(),
            title: tool.display_title().to_owned(),
            command: tool.command.clone(),
            program,
        }
    }
}

/// A tool's settings, merged from all places.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct ToolSettings {
    pub schema_version: Version,
    pub name: String,
    /// The settings, by key, as in a tool file.
    pub keys: Map<String, Value>,
    /// Where each key is from: `built in`, or the path of a file.
    pub origins: BTreeMap<String, String>,
}

/// A mistake in a tool's file or table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct ToolProblem {
    pub schema_version: Version,
    pub tool: String,
    /// The file.
    pub path: PathBuf,
    /// The line, counted from 1, where that is known.
    pub line: Option<usize>,
    pub message: String,
    /// Whether the tool can't be used.
    pub error: bool,
}

/// What a tool's rules read on a screen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct ToolTest {
    pub schema_version: Version,
    /// What was seen: gone, blocked, failed, busy, ready or unknown.
    pub observation: &'static str,
    /// What kind of that, such as `permission`.
    pub kind: Option<String>,
    /// The rule that matched.
    pub rule: Option<String>,
    /// The line that it matched.
    pub line: Option<String>,
    /// What is asked, or what went wrong.
    pub asks: Option<String>,
    /// The choices of the question; null if none is asked.
    pub choices: Option<Vec<Choice>>,
}
