//! What a tick found that should be written, as data.
//!
//! Invariants: collecting it writes nothing; a caller that may not write drops it; applying it twice is the same as
//! applying it once; each change of the profile is a closure on the file as it is under its lock. What can't be written is
//! logged, and the next tick finds it again.

use crate::domain::id::SessionId;
use crate::domain::session::{IdSource, Session};
use crate::domain::status::Change;
use crate::ops::orphans::{Orphan, take_back};
use crate::ops::{Cx, OpError, OpResult, launch, record_conversation_id};
use crate::ports::mux::{PaneRow, SessionRef, Tag};

/// What should be written after a tick.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Repairs {
    /// Sessions that have no record.
    pub(super) orphans: Vec<Orphan>,
    /// Sessions whose deck was killed before it could put its facts on them.
    pub(super) unmarked: Vec<(Session, PaneRow)>,
    /// Facts for sessions: memories of statuses, acknowledgements, notes.
    pub(super) tags: Vec<(SessionRef, Tag)>,
    /// Changes of statuses, for the history.
    pub(super) changes: Vec<(SessionId, Change)>,
    /// Conversations' ids that were learnt.
    pub(super) conversations: Vec<(SessionId, String, IdSource)>,
    /// Sessions whose conversation had its first turn.
    pub(super) used: Vec<SessionId>,
    /// First prompts that arrived after all.
    pub(super) arrived: Vec<(SessionId, String)>,
}

impl Repairs {
    /// Writes all of it. One that fails keeps none of the others from being written.
    pub fn apply(&self, cx: &Cx) {
        let log = |what: &str, result: OpResult<()>| {
            if let Err(error) = result {
                tracing::warn!(%error, "{what}");
            }
        };
        log("can't recover sessions", self.recover(cx));
        for (session, row) in &self.unmarked {
            log("can't mark a session", launch::mark(cx, session, row));
        }
        if !self.tags.is_empty() {
            log("can't store statuses", cx.mux.tag_each(&self.tags).map_err(OpError::from));
        }
        for (id, change) in &self.changes {
            if let Err(error) = cx.history.note(id, change) {
                tracing::debug!(%error, "can't store a status change");
            }
        }
        for (id, conversation, source) in &self.conversations {
            let recorded = record_conversation_id(cx, id, conversation, *source).map(drop);
            log("can't record a conversation id", recorded);
        }
        // After the ids: a conversation that is new in the record has had no turn there.
        log("can't record what the agents did", self.note_in_records(cx));
    }

    fn recover(&self, cx: &Cx) -> OpResult<()> {
        let now = cx.clock.now();
        if !self.orphans.is_empty() {
            cx.profile.store.change(&mut |profile| take_back(profile, &self.orphans, now))?;
        }
        Ok(())
    }

    fn note_in_records(&self, cx: &Cx) -> OpResult<()> {
        if self.used.is_empty() && self.arrived.is_empty() {
            return Ok(());
        }
        let now = cx.clock.now();
        cx.profile.store.change(&mut |profile| {
            let mut changed = false;
            for session in profile.sessions.iter_mut().filter(|s| s.deleted_at.is_none()) {
                let used = self.used.contains(&session.id) && !session.resume.used;
                let is_it = |(id, text): &(SessionId, String)| {
                    *id == session.id && session.draft.as_ref() == Some(text)
                };
                let arrived = self.arrived.iter().any(is_it);
                if used || arrived {
                    session.resume.used |= used;
                    session.draft.take_if(|_| arrived);
                    (session.updated_at, changed) = (now, true);
                }
            }
            changed
        })?;
        Ok(())
    }
}
