//! What an answer by deck changes: what was reported of the answered question counts no more.
//!
//! Invariant: a dialog on the screen is open, whatever was answered before.

use jiff::{SignedDuration, Timestamp};

use super::evidence::{BlockKind, BusyKind, Evidence, Observation, Source};
use super::memory::Memory;
use super::reduce::Facts;
use super::{Reason, Status};

/// For how long an agent's own report may still hold a question that was answered. One that holds it for longer
/// reports another question.
const LAG: SignedDuration = SignedDuration::from_secs(3);

/// Whether a question that was reported is the one that deck answered.
pub(super) fn is_answered(facts: &Facts<'_>, e: &Evidence) -> bool {
    let Some(answered) = facts.answered_at else { return false };
    let before = e.since.is_none_or(|since| since <= answered);
    match e.source {
        Source::Screen => false,
        Source::Hook => before,
        _ => before && facts.now.duration_since(answered) < LAG,
    }
}

/// The earliest time that a question which is open now can be from.
pub(super) fn earliest(facts: &Facts<'_>, since: Timestamp) -> Timestamp {
    let after = facts.answered_at.and_then(|at| at.checked_add(SignedDuration::from_millis(1)).ok());
    after.map_or(since, |after| since.max(after)).min(facts.now)
}

/// The memory of a session whose question was answered: it continues with what it asked for.
pub(super) fn continued(facts: &Facts<'_>, memory: Option<&Memory>) -> Option<Memory> {
    let m = memory.filter(|m| m.status == Status::Waiting)?;
    let answered = facts.answered_at.filter(|at| m.since <= *at)?;
    let Some(Reason::Blocked(kind)) = m.reason else { return None };
    let (status, reason) = match kind {
        BlockKind::Permission => (Status::Running, Some(Reason::Busy(BusyKind::Tool))),
        BlockKind::Question | BlockKind::Plan => (Status::Running, Some(Reason::Busy(BusyKind::Thinking))),
        // Those are asked before an agent is up.
        BlockKind::Trust | BlockKind::Login | BlockKind::Dialog => (Status::Starting, None),
    };
    Some(Memory::new(status, reason, answered, m.source))
}

/// Whether evidence asks something that is still open.
pub(super) fn open_kind(facts: &Facts<'_>, e: &Evidence) -> Option<BlockKind> {
    match e.what {
        Observation::Blocked(kind) if !is_answered(facts, e) => Some(kind),
        _ => None,
    }
}
