//! A shared server that isn't started any more by itself, as the process that shared it notes it for all decks.

use serde::{Deserialize, Serialize};

/// The folder of these notes, below the one for what may be lost.
pub const FOLDER: &str = "mcp-given-up";

/// One that was given up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GivenUp {
    pub name: String,
    /// Why, in words.
    pub why: String,
    /// The process that shares it: without it the note is of no use.
    pub pid: i32,
    /// The ids of the sessions that use it.
    pub sessions: Vec<String>,
}
