//! What a watcher has found of sessions, and their tmux sessions don't carry yet.
//!
//! A list may be older than what was written after it, and what could not be written, or may not be, is in no list at all. Another
//! deck's word counts more: it was made of the same evidence, later.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::domain::id::SessionId;
use crate::ports::mux::{PaneRef, PaneRow};

/// What was found, by pane.
#[derive(Debug, Default)]
pub(super) struct Unwritten(BTreeMap<PaneRef, Found>);

#[derive(Debug, Default)]
struct Found {
    /// The memory that was on the session, and the one that follows from it.
    memory: Option<(String, String)>,
    acknowledged: Option<i64>,
}

impl Unwritten {
    /// Puts it into the rows of a list, and forgets what is there already.
    pub fn put_into(&mut self, rows: &mut BTreeMap<SessionId, PaneRow>) {
        self.0.retain(|pane, _| rows.values().any(|r| r.pane == *pane));
        for row in rows.values_mut() {
            let Some(found) = self.0.get_mut(&row.pane) else { continue };
            found.memory.take_if(|(before, _)| *before != row.tags.memory);
            if let Some((_, memory)) = &found.memory {
                row.tags.memory.clone_from(memory);
            }
            row.tags.ack = row.tags.ack.max(found.acknowledged);
        }
    }

    /// Another memory than the one that the row shows.
    pub fn remember(&mut self, row: &PaneRow, memory: String) {
        let found = self.0.entry(row.pane.clone()).or_default();
        match &mut found.memory {
            Some((_, last)) => *last = memory,
            None => found.memory = Some((row.tags.memory.clone(), memory)),
        }
    }

    /// The user has just seen it.
    pub fn acknowledge(&mut self, row: &PaneRow, now: Timestamp) {
        self.0.entry(row.pane.clone()).or_default().acknowledged = Some(now.as_millisecond());
    }
}
