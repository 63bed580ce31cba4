//! What the model knows of the settings and the tools.

use std::path::PathBuf;

use crate::app::dialogs::Setting;

/// A tool as the new-session form offers it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolInfo {
    pub name: String,
    /// Its name for people.
    pub title: String,
    /// Whether its program was found.
    pub found: bool,
    /// Its switches: words and arguments.
    pub options: Vec<(String, Vec<String>)>,
}

/// The settings, as they were read last.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Settings {
    /// The user's home.
    pub home: Option<String>,
    /// The folder deck was opened in.
    pub cwd: PathBuf,
    /// Plain letters in place of status glyphs.
    pub ascii: bool,
    /// Whether the next session that asks is selected after an answer.
    pub answer_advance: bool,
    /// Width of the list in percent of a wide terminal.
    pub split: u16,
    /// The tool used where none is named.
    pub default_tool: String,
    /// The tools, in the order in which they are offered.
    pub tools: Vec<ToolInfo>,
    /// Every setting, for the list of them.
    pub all: Vec<Setting>,
}
