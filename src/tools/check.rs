//! Checking a tool's table: unknown keys, wrong types, faulty expressions.

use std::path::PathBuf;

use crate::domain::resolve::nearest;
use crate::domain::screen::RuleSet;
use crate::domain::source_pos::{key_line, unknown};
use crate::domain::text;
use crate::domain::tool::{KEYS, Tool};
use crate::ports::ToolEntry;

/// How bad a problem is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// The tool works in spite of it.
    Warning,
    /// The tool can't be used.
    Error,
}

/// Something wrong with a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub tool: String,
    /// How bad it is.
    pub severity: Severity,
    /// The file.
    pub path: PathBuf,
    /// The line, counted from 1.
    pub line: Option<usize>,
    /// What is wrong.
    pub message: String,
}

impl Problem {
    /// Whether the tool can't be used.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let word = if self.severity == Severity::Error { "error" } else { "warning" };
        let line = self.line.map(|n| format!(":{n}")).unwrap_or_default();
        write!(f, "{word}: tool {}: {}{line}: {}", self.tool, self.path.display(), self.message)
    }
}

/// Keys that nobody knows, with the nearest known name.
pub(super) fn unknown_keys(
    tool: &str,
    table: &toml::Table,
    path: &std::path::Path,
    text: &str,
) -> Vec<Problem> {
    let known: Vec<&str> = KEYS.iter().map(|(k, _)| *k).collect();
    let foreign_panes = table.keys().filter(|k| !known.contains(&k.as_str()));
    foreign_panes
        .map(|key| Problem {
            tool: tool.to_owned(),
            severity: Severity::Warning,
            path: path.to_owned(),
            line: key_line(text, key),
            message: unknown(key, nearest(key, known.iter().copied())),
        })
        .collect()
}

/// Reads the merged table. The rules of a tool that comes with deck are known to compile (a test
/// does it); all others are compiled now, so that a faulty one is reported.
pub(super) fn build(name: &str, table: &toml::Table, is_builtin: bool) -> Result<ToolEntry, String> {
    let known: toml::Table = {
        let is_known = |k: &str| KEYS.iter().any(|(known, _)| *known == k);
        table.iter().filter(|(k, _)| is_known(k)).map(|(k, v)| (k.clone(), v.clone())).collect()
    };
    let mut tool: Tool =
        toml::Value::Table(known).try_into().map_err(|e: toml::de::Error| e.message().to_owned())?;
    tool.name = name.to_owned();
    if tool.command.trim().is_empty() {
        return Err("`command` (the program to run) is missing".to_owned());
    }
    if is_builtin {
        return Ok(ToolEntry::trusted(tool));
    }
    let rules = RuleSet::of(&tool).map_err(|e| e.to_string())?;
    Ok(ToolEntry::compiled(tool, rules))
}

/// What is wrong with a tool's icon: it must fit into one cell.
pub(super) fn icon(tool: &Tool) -> Option<String> {
    let cells = text::cells(&text::clean(&tool.icon));
    (cells > 1).then(|| format!("`icon` must be one cell wide, and {:?} takes {cells}", tool.icon))
}
