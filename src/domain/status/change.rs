//! One change of a session's status, kept so that it can be explained later.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::evidence::{Evidence, Source};
use super::memory::Memory;
use super::reduce::Verdict;
use super::{Reason, Status};

/// A change of status with the evidence that decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// When deck saw it.
    pub at: Timestamp,
    /// The status before.
    pub from: Status,
    /// The status since.
    pub status: Status,
    pub reason: Option<Reason>,
    /// Since when, by the evidence's own time.
    pub since: Timestamp,
    /// The source that decided; none when nothing did.
    pub source: Option<Source>,
    /// The rule that matched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// What the source reported, or the line that matched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<String>,
}

impl Change {
    /// The change from what was remembered to a new answer.
    pub fn new(before: &Memory, verdict: &Verdict, decider: Option<&Evidence>, at: Timestamp) -> Self {
        Self {
            at,
            from: before.status,
            status: verdict.status,
            reason: verdict.reason.clone(),
            since: verdict.since,
            source: decider.map(|e| e.source),
            rule: decider.and_then(|e| e.rule.clone()),
            line: decider.and_then(|e| e.line.clone()),
        }
    }

    /// What is remembered of the session after this change.
    pub fn memory(&self) -> Memory {
        let source = self.source.unwrap_or(Source::Activity);
        Memory::new(self.status, self.reason.clone(), self.since, source)
    }

    /// Whether it is the same change, seen by another deck.
    pub fn is_same(&self, other: &Self) -> bool {
        self.from == other.from
            && self.status == other.status
            && self.reason == other.reason
            && self.since == other.since
    }
}
