//! What a look at all sessions found.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;

use crate::domain::id::SessionId;
use crate::domain::profile::Profile;
use crate::domain::status::{Evidence, Verdict};
use crate::ports::mux::PaneRow;

/// What is known of one session.
#[derive(Debug, Clone, PartialEq)]
pub struct Look {
    /// Its agent's pane, if it has one.
    pub row: Option<PaneRow>,
    /// Its status.
    pub verdict: Verdict,
    /// What that rests on.
    pub evidence: Vec<Evidence>,
}

/// All sessions of a profile at one moment.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    /// The profile.
    pub profile: Arc<Profile>,
    /// What is known of each live session.
    pub looks: BTreeMap<SessionId, Look>,
    /// When it was taken.
    pub at: Timestamp,
    /// What had to be recovered when the profile was read.
    pub recovered: Option<String>,
}

impl Snapshot {
    /// What is known of a session.
    pub fn look(&self, id: &SessionId) -> Option<&Look> {
        self.looks.get(id)
    }
}
