//! The tools that sessions can run.

use std::sync::Arc;

use crate::domain::screen::RuleSet;
use crate::domain::tool::Tool;

/// A tool with its compiled rules.
#[derive(Debug, Clone, Default)]
pub struct ToolEntry {
    /// The tool.
    pub tool: Tool,
    /// Its screen rules.
    pub rules: RuleSet,
}

/// All tools by name.
pub trait Catalogue: Send + Sync {
    /// The tool of this name.
    fn tool(&self, name: &str) -> Option<Arc<ToolEntry>>;

    /// All of them, in the order in which they are offered.
    fn all(&self) -> Vec<Arc<ToolEntry>>;

    /// Which tool a command line means, and the line to record: a tool's name means that tool's
    /// own command; else the program in it decides; `custom` for what nobody knows.
    fn tool_of(&self, command: &str) -> (String, String);

    /// Every variable that some tool must not inherit: none of them passes to any agent.
    fn unset_env(&self) -> Vec<String>;
}
