//! The first seconds of an agent: which evidence counts for one that was just started.
//!
//! Invariant: nothing here looks at a session that has been seen to be up.

use jiff::SignedDuration;

use super::Status;
use super::evidence::{Evidence, Observation, Source, Turn};
use super::memory::{Memory, Pending};
use super::reduce::{Facts, GRACE, HOLD, NO_EVIDENCE, SHORT_HOLD, StartKind, Verdict, verdict};

/// How long an agent may take to begin on a prompt that it was started with.
const FIRST_PROMPT: SignedDuration = SignedDuration::from_secs(10);

/// Whether it was started so lately that only an exact source may report that it is up.
pub(super) fn is_in_grace(facts: &Facts<'_>, memory: Option<&Memory>) -> bool {
    let Some(started) = facts.started_at else { return false };
    // Once it has been seen to work, it is up.
    let is_up = memory.is_some_and(|m| m.status != Status::Starting && m.since >= started);
    !is_up && facts.now.duration_since(started) < GRACE
}

/// Whether a title that shows busy means no more than that the agent starts: nobody gave it anything to
/// do yet.
pub(super) fn is_start_up(facts: &Facts<'_>, memory: Option<&Memory>, e: &Evidence) -> bool {
    let Some(started) = facts.started_at else { return false };
    let fresh = facts.now.duration_since(started) < GRACE;
    let untouched = is_untouched(facts);
    let new = memory.is_none_or(|m| m.status == Status::Starting || m.since < started);
    let works = |o: &Evidence| match o.source {
        Source::Hook => o.what != Observation::Unknown,
        Source::Screen => matches!(o.what, Observation::Busy(_)),
        _ => false,
    };
    let told = facts.evidence.iter().any(works);
    fresh && untouched && new && !told && e.source == Source::Title && matches!(e.what, Observation::Busy(_))
}

/// Whether nobody has given it anything to do since its start.
pub(super) fn is_untouched(facts: &Facts<'_>) -> bool {
    let Some(started) = facts.started_at else { return false };
    facts.start_kind != StartKind::Prompted && facts.acknowledged_at.is_none_or(|at| at < started)
}

/// Whether an agent that was just started reports that it is ready, but isn't yet.
pub(super) fn not_up_yet(facts: &Facts<'_>, memory: Option<&Memory>, e: &Evidence) -> bool {
    let Some(started) = facts.started_at else { return false };
    let age = facts.now.duration_since(started);
    let is_new = memory.is_none_or(|m| m.status == Status::Starting || m.since < started);
    if !is_new || age >= NO_EVIDENCE || !e.source.is_exact() || !matches!(e.what, Observation::Ready(_)) {
        return false;
    }
    let says = |source, test: fn(&Observation) -> bool| {
        facts.evidence.iter().any(|o| o.source == source && test(&o.what))
    };
    // A service is up, and a hook is run, before the program that shows it takes a prompt.
    let early = matches!(e.source, Source::Report | Source::Hook);
    let blank = early && says(Source::Screen, |o| *o == Observation::Unknown);
    // It will work on its first prompt before it is ready for another.
    let ended = |o: &Observation| matches!(o, Observation::Ready(Turn::Finished | Turn::ByUser));
    let had_turn = facts.evidence.iter().any(|o| ended(&o.what));
    let prompted = facts.start_kind == StartKind::Prompted && age < FIRST_PROMPT && !had_turn;
    // A title shows that while an old conversation is still being drawn.
    let moves = facts.activity_at.is_some_and(|at| facts.now.duration_since(at) < HOLD + HOLD);
    let draws = e.source == Source::Title && age < GRACE && moves;
    blank || prompted || draws
}

/// What is remembered of an agent that was just started.
pub(super) fn starting(facts: &Facts<'_>) -> Memory {
    Memory::new(Status::Starting, None, facts.started_at.unwrap_or(facts.now), Source::Process)
}

/// Within the grace period: starting, whatever the screen shows. That it worked is remembered, so
/// that the end of a short first turn is not missed.
pub(super) fn fresh_start(facts: &Facts<'_>, memory: Option<&Memory>, seen: Option<&Evidence>) -> Verdict {
    // A memory from before this start reports nothing about it.
    let current =
        memory.filter(|m| facts.started_at.is_none_or(|at| m.since >= at) && m.status != Status::Stopped);
    let mut next = current.cloned().unwrap_or_else(|| starting(facts));
    next.unsure = None;
    if next.status == Status::Starting {
        match seen.and_then(shown) {
            Some(to) if next.pending.as_ref().is_none_or(|p| p.to != to) => {
                next.pending = Some(Pending { to, at: facts.now });
            }
            _ => {}
        }
    } else {
        next.pending = None;
    }
    verdict(next, None)
}

/// What a screen shows of an agent that starts, if it shows more than that it runs. A mere repaint
/// is not work: everything paints when it starts.
fn shown(e: &Evidence) -> Option<Status> {
    match e.what {
        Observation::Busy(_) if e.source != Source::Activity => Some(Status::Running),
        Observation::Blocked(_) => Some(Status::Waiting),
        _ => None,
    }
}

/// Whether a second poll confirms what the screen shows of an agent that starts: it works, or asks.
pub(super) fn is_confirmed(facts: &Facts<'_>, memory: Option<&Memory>, e: &Evidence) -> bool {
    let Some(memory) = memory.filter(|m| facts.started_at.is_none_or(|at| m.since >= at)) else {
        return false;
    };
    let seen = memory.pending.as_ref().filter(|p| Some(p.to) == shown(e));
    seen.is_some_and(|p| facts.now.duration_since(p.at) >= SHORT_HOLD)
}
