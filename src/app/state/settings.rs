//! What the model knows of the settings and the tools.

use std::path::PathBuf;

use crate::app::dialogs::Setting;
use crate::domain::columns::Column;

/// A tool as the new-session form offers it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolInfo {
    pub name: String,
    /// Its name for people.
    pub title: String,
    /// Its sign in the list, one cell wide.
    pub icon: String,
    /// Whether its program was found.
    pub found: bool,
    /// Whether its program can be asked for its version.
    pub has_version: bool,
    /// Whether its agents can be given MCP servers of the user's.
    pub takes_servers: bool,
    /// Whether it keeps transcripts that deck can read.
    pub keeps_transcripts: bool,
    /// Its switches on the form.
    pub options: Vec<Switch>,
}

/// A switch of the new-session form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Switch {
    /// Its words.
    pub label: String,
    /// Whether it is on at first.
    pub on: bool,
    pub does: SwitchDoes,
}

/// What a switch does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SwitchDoes {
    /// It adds arguments.
    Args(Vec<String>),
    /// It gives the agent deck's MCP server.
    Server,
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
    /// Whether the selected session has the size of its preview.
    pub preview_fit: bool,
    /// Width of the list in percent of a wide terminal; none where the terminal's width decides.
    pub split: Option<u16>,
    /// What a row shows behind its title.
    pub columns: Vec<Column>,
    /// The tool used where none is named.
    pub default_tool: String,
    /// The tools, in the order in which they are offered.
    pub tools: Vec<ToolInfo>,
    /// The name of the theme, and of all that there are.
    pub theme: String,
    pub themes: Vec<String>,
    /// The file that they are in.
    pub file: String,
    /// Every setting, for the list of them.
    pub all: Vec<Setting>,
}

impl Settings {
    /// A path with the user's home as `~`.
    pub(in crate::app) fn tilde(&self, path: &str) -> String {
        match self.home.as_deref().and_then(|home| path.strip_prefix(home)) {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("~{rest}"),
            _ => path.to_owned(),
        }
    }
}
