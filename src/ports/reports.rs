//! What running agents report about themselves.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use crate::domain::conversation::{Bookmark, Counted, Digest, Found, Part, Said};
use crate::domain::status::Evidence;
use crate::domain::tool::Tool;

/// One agent process to ask about.
#[derive(Debug, Clone)]
pub struct Asked<'a> {
    /// The agent's process.
    pub pid: i32,
    pub tool: &'a Tool,
    /// Those variables of its environment that reports need.
    pub env: &'a BTreeMap<String, String>,
    /// The conversation it has, as far as deck knows.
    pub conversation: Option<&'a str>,
    /// The loopback port it was told to serve on.
    pub port: Option<u16>,
    /// The title of its pane.
    pub title: &'a str,
    /// Whether anything was drawn on its window lately: if not, its last answer still holds.
    pub moved: bool,
    /// The time of the poll.
    pub now: Timestamp,
}

impl Asked<'_> {
    /// A variable of the agent's environment.
    pub fn var(&self, name: &str) -> Option<&str> {
        self.env.get(name).map(String::as_str).filter(|v| !v.is_empty())
    }
}

/// What an agent reports about itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    /// Its status, by its own word.
    pub evidence: Option<Evidence>,
    /// What the end of its conversation file reports.
    pub transcript: Option<Evidence>,
    /// The conversation it has open.
    pub conversation: Option<String>,
}

/// Reads the agents' own reports.
pub trait Reports: Send + Sync {
    /// What each agent reports about itself, in their order; empty where a tool has no such source.
    fn reports(&self, asked: &[Asked<'_>]) -> Vec<Report>;

    /// What the end of the agent's conversation reports; `None` when it isn't found or can't be read.
    /// For one that doesn't run, `pid` is 0 and nothing is asked of it.
    fn digest(&self, asked: &Asked<'_>) -> Option<Digest>;

    /// What was said last in the agent's conversation, oldest first, as far as the end of its file shows.
    fn said(&self, asked: &Asked<'_>) -> Vec<Said>;

    /// The file of the agent's conversation, and the user's first prompt in it, as far as these are known. No more than the
    /// beginning of the file is read.
    fn opening(&self, asked: &Asked<'_>) -> (Option<PathBuf>, Option<String>);

    /// What was said in the agent's conversation from a bookmark on, at most `most` bytes of its file; `None` when it isn't found or
    /// can't be read now.
    fn hear(&self, asked: &Asked<'_>, from: &Bookmark, most: u64) -> Option<Part>;

    /// The tool's conversations on this machine, newest first, at most `most` of them; with `folder` only
    /// those that were begun there. `asked` has no process and no conversation.
    fn conversations(&self, asked: &Asked<'_>, folder: Option<&Path>, most: usize) -> Vec<Found>;

    /// What the agent's whole conversation adds up to, as far as it has been counted, after reading
    /// `most` bytes more of it; `None` when it isn't found or can't be counted.
    fn count(&self, asked: &Asked<'_>, most: u64) -> Option<Counted>;
}
