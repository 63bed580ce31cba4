//! What sessions ask, and since when that is shown: a key counts only for the question that the user has seen.
//!
//! Invariants: no key answers a question that was not shown for long enough to be read; after an answer
//! no key counts until the session was polled again, since two questions may look the same.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use crate::domain::id::SessionId;
use crate::ops::{Question, Snapshot};

/// How long a question must have been shown before a key answers it.
const SHOWN: SignedDuration = SignedDuration::from_millis(500);

/// What all sessions ask.
#[derive(Debug, Default)]
pub struct Questions {
    asked: BTreeMap<SessionId, (Question, Timestamp)>,
    /// Sessions that were answered: when that was done, or none while it is under way.
    answered: BTreeMap<SessionId, Option<Timestamp>>,
}

impl Questions {
    /// Takes what was seen. Questions from before deck opened are not new.
    pub(super) fn state(&mut self, seen: &Snapshot, now: Timestamp, first: bool) {
        let since = if first { Timestamp::MIN } else { now };
        self.asked.retain(|id, _| seen.state(id).is_some_and(|l| l.dialog.is_some()));
        for (id, state) in &seen.states {
            let Some(question) = Question::of(state) else { continue };
            let is_fresh = self.answered.get(id).is_some_and(|at| at.is_some_and(|at| seen.at > at));
            let is_same = self.asked.get(id).is_some_and(|(shown, _)| shown.is_same(&question));
            match self.asked.get_mut(id) {
                // The cursor may have moved.
                Some((shown, _)) if is_same && !is_fresh => *shown = question,
                _ => drop(self.asked.insert(id.clone(), (question, since))),
            }
        }
        self.answered.retain(|_, at| at.is_none_or(|at| seen.at <= at));
    }

    /// An answer is on its way.
    pub(super) fn answering(&mut self, id: &SessionId) {
        self.answered.insert(id.clone(), None);
    }

    /// An answer was taken: what is shown is the question from before it.
    pub(super) fn answered(&mut self, id: &SessionId, now: Timestamp) {
        if let Some(at) = self.answered.get_mut(id) {
            at.get_or_insert(now);
        }
    }

    /// An answer was not taken: the question is still the one that was seen.
    pub(super) fn not_answered(&mut self, id: &SessionId) {
        self.answered.remove(id);
    }

    /// What a session asks.
    pub fn of(&self, id: &SessionId) -> Option<&Question> {
        self.asked.get(id).map(|(question, _)| question)
    }

    /// Why no key counts yet for what a session asks.
    pub fn rests(&self, id: &SessionId, now: Timestamp) -> Option<&'static str> {
        if self.answered.contains_key(id) {
            return Some("sending the last answer");
        }
        let (_, since) = self.asked.get(id)?;
        (now < since.saturating_add(SHOWN).unwrap_or(*since))
            .then_some("the question has just changed; read it first")
    }

    /// Whether time alone will make a question one that can be answered.
    pub fn any_rests(&self, now: Timestamp) -> bool {
        self.asked.keys().any(|id| !self.answered.contains_key(id) && self.rests(id, now).is_some())
    }
}
