//! The tools that sessions can run.

use std::sync::{Arc, OnceLock};

use crate::domain::screen::RuleSet;
use crate::domain::tool::Tool;

/// A tool with its rules, which are compiled when they are first needed: hundreds of regular
/// expressions are most of a short command's work.
#[derive(Debug, Default)]
pub struct ToolEntry {
    pub tool: Tool,
    rules: OnceLock<RuleSet>,
}

impl ToolEntry {
    /// A tool whose rules have been compiled.
    pub fn compiled(tool: Tool, rules: RuleSet) -> Self {
        Self { tool, rules: OnceLock::from(rules) }
    }

    /// A tool whose rules are known to compile.
    pub fn trusted(tool: Tool) -> Self {
        Self { tool, rules: OnceLock::new() }
    }

    pub fn has_rules(&self) -> bool {
        !(self.tool.rules.is_empty()
            && self.tool.busy_patterns.is_empty()
            && self.tool.prompt_patterns.is_empty())
    }

    /// Its screen rules.
    pub fn rules(&self) -> &RuleSet {
        self.rules.get_or_init(|| RuleSet::of(&self.tool).unwrap_or_default())
    }
}

/// All tools by name.
pub trait Catalogue: Send + Sync {
    fn tool(&self, name: &str) -> Option<Arc<ToolEntry>>;

    /// All of them, in the order in which they are offered.
    fn all(&self) -> Vec<Arc<ToolEntry>>;

    /// Which tool a command line means, and the line to record: a tool's name means that tool's
    /// own command; else the program in it decides; `custom` for what nobody knows.
    fn tool_of(&self, command: &str) -> (String, String);

    /// Every variable that some tool must not inherit: none of them passes to any agent.
    fn unset_env(&self) -> Vec<String>;
}
