//! What running agents say about themselves.

use crate::domain::status::Evidence;
use crate::domain::tool::Tool;

use jiff::Timestamp;

/// One agent process to ask about.
#[derive(Debug, Clone)]
pub struct Asked<'a> {
    /// The agent's process.
    pub pid: i32,
    /// Its tool.
    pub tool: &'a Tool,
    /// The session's own `CLAUDE_CONFIG_DIR` or the like, when it is set.
    pub config_dir: Option<&'a str>,
    /// The session's own `HOME`.
    pub home: Option<&'a str>,
    /// The time of the look.
    pub now: Timestamp,
}

/// What an agent says about itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    /// Its status.
    pub evidence: Option<Evidence>,
    /// The conversation it has open.
    pub conversation: Option<String>,
}

/// Reads the agents' own reports.
pub trait Reports: Send + Sync {
    /// What the agent says about itself; empty when its tool has no such source.
    fn report(&self, asked: &Asked<'_>) -> Report;
}
