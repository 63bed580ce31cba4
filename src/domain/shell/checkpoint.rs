//! States that a shell can go back to.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A state that was kept under a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    pub name: String,
    /// The number that the state had.
    pub generation: u64,
    pub made_at: Timestamp,
    /// Who made it: a session, or `user`.
    pub made_by: String,
}

/// Which state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StateFrom {
    /// The one of a checkpoint.
    Checkpoint(String),
    /// The one with this number: the last few are kept.
    Generation(u64),
}
