//! What sessions ask, and since when that is shown: a key counts only for the question that the user has seen.
//!
//! Invariants: no key answers a question that was not shown for long enough to be read, nor does a key that was pressed
//! before that and only arrives later, because deck or the machine stood still; after an answer no key counts until the
//! session was polled again, since two questions may look the same.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use crate::domain::id::SessionId;
use crate::ops::{Question, Snapshot};

/// How long a question must have been shown before a key answers it.
const SHOWN: SignedDuration = SignedDuration::from_millis(500);

/// What a session asks, as it is shown.
#[derive(Debug)]
struct Asked {
    question: Question,
    /// The first moment after it was drawn at which no input waited.
    since: Option<Timestamp>,
    /// Whether it was shown for long enough, and no input waited then.
    settled: bool,
}

/// What all sessions ask.
#[derive(Debug, Default)]
pub struct Questions {
    asked: BTreeMap<SessionId, Asked>,
    /// Sessions that were answered: when that was done, or none while it is under way.
    answered: BTreeMap<SessionId, Option<Timestamp>>,
}

impl Questions {
    /// Takes what was seen. Questions from before deck opened are not new.
    pub(super) fn state(&mut self, seen: &Snapshot, first: bool) {
        self.asked.retain(|id, _| seen.state(id).is_some_and(|l| l.dialog.is_some()));
        for (id, state) in &seen.states {
            let Some(question) = Question::of(state) else { continue };
            let is_fresh = self.answered.get(id).is_some_and(|at| at.is_some_and(|at| seen.at > at));
            match self.asked.get_mut(id) {
                // The cursor may have moved.
                Some(shown) if shown.question.is_same(&question) && !is_fresh => shown.question = question,
                _ => drop(self.asked.insert(id.clone(), Asked { question, since: None, settled: first })),
            }
        }
        self.answered.retain(|_, at| at.is_none_or(|at| seen.at <= at));
    }

    /// Takes the time at a moment at which no input waits: keys count for what was shown for long enough by then.
    pub(super) fn settle(&mut self, now: Timestamp) {
        for asked in self.asked.values_mut() {
            let since = *asked.since.get_or_insert(now);
            asked.settled |= now >= since.saturating_add(SHOWN).unwrap_or(since);
        }
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
        self.asked.get(id).map(|asked| &asked.question)
    }

    /// Why no key counts yet for what a session asks.
    pub fn rests(&self, id: &SessionId) -> Option<&'static str> {
        if self.answered.contains_key(id) {
            return Some("sending the last answer");
        }
        let asked = self.asked.get(id)?;
        (!asked.settled).then_some("the question has just changed; read it first")
    }

    /// Whether time alone will make a question one that can be answered.
    pub fn any_rests(&self) -> bool {
        self.asked.iter().any(|(id, asked)| !asked.settled && !self.answered.contains_key(id))
    }
}
