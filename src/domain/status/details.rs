//! What is reported beside the status: which kind of work or question, and its text. The source
//! that decides often knows less about that than another one that agrees with it.

use jiff::{SignedDuration, Timestamp};

use super::answered::{is_answered, open_kind};
use super::evidence::{BlockKind, BusyKind, Evidence, Observation, Source};
use super::hook::LATE;
use super::memory::Memory;
use super::reduce::Facts;
use super::{Reason, Status};

/// How much earlier than a dialog is seen its hook may have run.
const BEFORE: SignedDuration = SignedDuration::from_secs(2);

/// The kind of work: the most specific of all sources that report work.
pub(super) fn busy_kind(facts: &Facts<'_>, memory: Option<&Memory>, decided: BusyKind) -> BusyKind {
    let of_this_turn =
        memory.is_some_and(|m| matches!(m.reason, Some(Reason::Blocked(_) | Reason::Busy(BusyKind::Tool))));
    let rank = |kind: &BusyKind| match kind {
        BusyKind::Active => 0,
        BusyKind::Thinking => 1,
        BusyKind::Tool => 2,
        BusyKind::Background => 3,
        BusyKind::Compacting => 4,
        BusyKind::Retrying(attempt) => 5 + u8::from(attempt.is_some()),
    };
    let said = facts.evidence.iter().filter_map(|e| match (&e.what, e.source) {
        (Observation::Busy(kind), _) => Some(*kind),
        // What was asked for was allowed: now it runs.
        (Observation::Blocked(_), Source::Hook) if of_this_turn || is_answered(facts, e) => {
            Some(BusyKind::Tool)
        }
        _ => None,
    });
    said.chain([decided]).max_by_key(rank).unwrap_or(decided)
}

/// What kind of question it is, and its words.
pub(super) fn question(
    facts: &Facts<'_>,
    memory: Option<&Memory>,
    decider: &Evidence,
    decided: BlockKind,
) -> (BlockKind, Option<String>) {
    let hook = of(facts, Source::Hook).filter(|(e, _)| is_of_this_dialog(facts, memory, decider, e));
    let screen = of(facts, Source::Screen);
    // A reminder takes the place of the hook that had the kind and the words.
    let reminded = hook.is_some_and(|(e, _)| is_reminder(e));
    // A title that outlasts its dialog for a moment never knew of what kind that was.
    let knows_least = reminded || decider.source == Source::Title;
    let remembered =
        memory.filter(|m| knows_least && !is_another_dialog(facts, m)).and_then(|m| match m.reason {
            Some(Reason::Blocked(kind)) => Some((kind, m.asks.clone())),
            _ => None,
        });
    let of_memory = remembered.as_ref().map(|(kind, _)| *kind);
    let kinds = [hook, screen].into_iter().flatten().map(|(_, kind)| kind);
    // The agent's report has permission for plans, too.
    let kind = kinds.chain(of_memory).chain([decided]).find(|k| *k != BlockKind::Dialog).unwrap_or(decided);
    let words = |said: Option<(&Evidence, BlockKind)>| said.and_then(|(e, _)| e.asks.clone());
    let asks = words(hook).or_else(|| words(screen));
    (kind, asks.or_else(|| remembered.and_then(|(_, words)| words)).or_else(|| decider.asks.clone()))
}

fn of<'a>(facts: &'a Facts<'_>, source: Source) -> Option<(&'a Evidence, BlockKind)> {
    let blocked =
        |e: &'a Evidence| (e.source == source).then(|| open_kind(facts, e)).flatten().map(|kind| (e, kind));
    facts.evidence.iter().filter_map(blocked).max_by_key(|(e, kind)| (e.since, *kind, e.asks.clone()))
}

fn is_reminder(hook: &Evidence) -> bool {
    hook.rule.as_deref() == Some(LATE)
}

/// Whether the agent reports a dialog that was opened after the remembered one.
pub(super) fn is_another_dialog(facts: &Facts<'_>, memory: &Memory) -> bool {
    let asked = memory.status == Status::Waiting && matches!(memory.reason, Some(Reason::Blocked(_)));
    let reported = of(facts, Source::Report).and_then(|(e, _)| e.since);
    asked && reported.is_some_and(|at| at.duration_since(memory.since) > BEFORE)
}

/// Whether a hook reported the dialog that is open now, not one before it.
fn is_of_this_dialog(
    facts: &Facts<'_>,
    memory: Option<&Memory>,
    decider: &Evidence,
    hook: &Evidence,
) -> bool {
    let report = of(facts, Source::Report);
    let asked = |m: &&Memory| m.status == Status::Waiting && matches!(m.reason, Some(Reason::Blocked(_)));
    let begun = match memory.filter(asked) {
        Some(m) if is_another_dialog(facts, m) => report.and_then(|(e, _)| e.since),
        Some(m) => Some(m.since),
        None => decider.since,
    };
    let told: Option<Timestamp> = hook.since;
    let recent = told.is_some_and(|at| begun.unwrap_or(facts.now).duration_since(at) <= BEFORE);
    // Of a dialog that the agent reported later it can have another kind.
    let contradicted = report.is_some_and(|(e, kind)| e.since > told && !fits(kind, &hook.what));
    recent && (is_reminder(hook) || !contradicted)
}

/// Whether an agent that reports the one kind may mean the other: it has permission for plans, too.
fn fits(reported: BlockKind, hook: &Observation) -> bool {
    match (reported, hook) {
        (BlockKind::Permission, Observation::Blocked(kind)) => {
            matches!(kind, BlockKind::Permission | BlockKind::Plan)
        }
        (BlockKind::Question | BlockKind::Dialog, Observation::Blocked(kind)) => *kind == reported,
        _ => true,
    }
}

/// The words that the decider, or else another source of the same opinion, has for it.
pub(super) fn words(facts: &Facts<'_>, decider: &Evidence) -> Option<String> {
    let same = |e: &&Evidence| e.what.word() == decider.what.word() && e.asks.is_some();
    let other = facts.evidence.iter().filter(same).max_by_key(|e| (e.source, e.since, e.asks.clone()));
    decider.asks.clone().or_else(|| other.and_then(|e| e.asks.clone()))
}
