//! The reducer: evidence, time and memory in, one status with its reason out.
//!
//! Invariants: pure and total; the order of the evidence doesn't matter; a dead process is
//! never running; *unknown* never changes a status; a question stays waiting until evidence
//! says that it was answered, whatever was acknowledged.

use jiff::{SignedDuration, Timestamp};

use super::evidence::{BlockKind, Evidence, Exit, Observation, Source};
use super::memory::{Memory, Pending};
use super::{Reason, Status};
use crate::domain::session::Wanted;

/// How long after a start only an exact source may speak.
pub const GRACE: SignedDuration = SignedDuration::from_secs(5);
/// How long a session without any evidence counts as starting.
pub const NO_EVIDENCE: SignedDuration = SignedDuration::from_secs(30);
/// How long a screen must look ready before a running session is.
pub const HOLD: SignedDuration = SignedDuration::from_secs(1);
/// How long a title that says busy is believed while nothing on the screen moves.
const STUCK_TITLE: SignedDuration = SignedDuration::from_secs(10);
/// How old a report of being ready must be before a running session is.
const FALSE_IDLE: SignedDuration = SignedDuration::from_millis(50);
/// From a start until then, a ready agent has had no turn unless deck saw one.
const FIRST_TURN: SignedDuration = SignedDuration::from_secs(8);

/// How a session was last started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Began {
    /// With a new conversation and nothing to do.
    #[default]
    Fresh,
    /// With a first prompt: it has a turn from its start on.
    Prompted,
    /// With an old conversation, whose marks may be on its screen.
    Resumed,
}

impl Began {
    /// The word for it in the tmux option `@deck_began`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Fresh => "fresh",
            Self::Prompted => "prompted",
            Self::Resumed => "resumed",
        }
    }

    /// Reads the option's value; anything unknown is fresh.
    pub fn from_word(word: &str) -> Self {
        [Self::Prompted, Self::Resumed].into_iter().find(|b| b.word() == word).unwrap_or_default()
    }
}

/// All that is known about one session at one moment.
#[derive(Debug, Clone)]
pub struct Facts<'a> {
    /// The time of the look.
    pub now: Timestamp,
    /// What the user asked for.
    pub wanted: Wanted,
    /// When it was last started.
    pub started_at: Option<Timestamp>,
    /// How it was last started.
    pub began: Began,
    /// When its user last showed that he knows.
    pub acknowledged_at: Option<Timestamp>,
    /// When its window last changed.
    pub activity_at: Option<Timestamp>,
    /// What the sources say.
    pub evidence: &'a [Evidence],
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The status.
    pub status: Status,
    /// Its reason.
    pub reason: Option<Reason>,
    /// Since when.
    pub since: Timestamp,
    /// What is asked, or what went wrong, in the agent's words.
    pub asks: Option<String>,
    /// Since when nothing supports the status any more.
    pub unsure: Option<Timestamp>,
    /// Index of the evidence that decided.
    pub decided_by: Option<usize>,
    /// What to remember.
    pub memory: Memory,
}

/// The status of a session from everything known about it.
pub fn reduce(facts: &Facts<'_>, memory: Option<&Memory>) -> Verdict {
    let chosen = choose(facts);
    let in_grace = facts.started_at.is_some_and(|at| facts.now.duration_since(at) < GRACE);
    match chosen {
        Some((index, e)) if !in_grace || e.source.is_exact() => settle(facts, memory, index, e),
        other if in_grace => fresh_start(facts, memory, other.map(|(_, e)| e)),
        _ => nothing_known(facts, memory),
    }
}

/// The evidence that decides: the one of highest authority, then the newest.
fn choose<'a>(facts: &'a Facts<'_>) -> Option<(usize, &'a Evidence)> {
    let ranked = facts.evidence.iter().enumerate().filter_map(|(i, e)| rank(facts, e).map(|r| (r, i, e)));
    ranked
        .max_by(|(ra, _, a), (rb, _, b)| {
            let key = |e: &Evidence| (e.since, e.seen_at, e.source, e.what.clone());
            ra.cmp(rb).then_with(|| key(a).cmp(&key(b)))
        })
        .map(|(_, i, e)| (i, e))
}

/// How much a statement weighs; `None` when it says nothing.
fn rank(facts: &Facts<'_>, e: &Evidence) -> Option<u8> {
    match (&e.what, e.source) {
        (Observation::Unknown | Observation::Gone(Exit::NotYetKnown), _) => None,
        (Observation::Gone(_), _) => Some(9),
        // A dialog on the screen beats a title or a file that says busy: those get stuck.
        (Observation::Blocked(_), _) => Some(8),
        // While the agent itself says that it works, an error on its screen is one it repeats.
        (Observation::Busy(_), Source::Title) if is_stuck(facts) => None,
        (Observation::Busy(_), s) if s.is_exact() => Some(7),
        // Own reports are blind to errors, so they can't contradict one.
        (Observation::Failed(_), _) => Some(6),
        (Observation::Ready { .. }, s) if s.is_exact() => Some(5),
        (Observation::Busy(_), Source::Activity) => Some(1),
        (Observation::Ready { .. }, Source::Activity) => Some(0),
        (Observation::Busy(_), _) => Some(4),
        (Observation::Ready { .. }, _) => Some(3),
    }
}

/// Whether nothing on the screen moved for so long that a busy title is only a hint.
fn is_stuck(facts: &Facts<'_>) -> bool {
    facts.activity_at.is_some_and(|at| facts.now.duration_since(at) > STUCK_TITLE)
}

fn settle(facts: &Facts<'_>, memory: Option<&Memory>, index: usize, e: &Evidence) -> Verdict {
    if must_hold(facts, memory, e) {
        return hold(facts, memory, index);
    }
    let since = |facts: &Facts<'_>| e.since.unwrap_or(facts.now).min(facts.now);
    let (status, reason, since) = match &e.what {
        Observation::Gone(exit) => return gone(facts, memory, index, e, exit),
        Observation::Busy(kind) => (Status::Running, Some(Reason::Busy(*kind)), since(facts)),
        Observation::Blocked(kind) => (Status::Waiting, Some(Reason::Blocked(*kind)), since(facts)),
        Observation::Failed(kind) => (Status::Error, Some(Reason::Failed(*kind)), since(facts)),
        Observation::Ready { finished } => ready(facts, memory, e, *finished),
        Observation::Unknown => return nothing_known(facts, memory),
    };
    let since = carry_since(memory, status, reason.as_ref(), since);
    let mut next = Memory::new(status, reason, since, e.source);
    next.asks = e.asks.clone();
    verdict(next, Some(index))
}

/// The start of the present status: remembered when it is the same one, whatever it says it works on.
fn carry_since(
    memory: Option<&Memory>,
    status: Status,
    reason: Option<&Reason>,
    since: Timestamp,
) -> Timestamp {
    match memory {
        Some(m) if m.status == status && (status == Status::Running || m.reason.as_ref() == reason) => {
            m.since
        }
        _ => since,
    }
}

/// Whether this is a first look at a ready screen of a running session, without an exact source.
fn must_hold(facts: &Facts<'_>, memory: Option<&Memory>, e: &Evidence) -> bool {
    let running = memory.is_some_and(|m| m.status == Status::Running);
    // Claude's file says idle for some 20 ms when a sub-agent or background shell ends.
    let just_said = e.since.is_some_and(|at| facts.now.duration_since(at) < FALSE_IDLE);
    if running && e.source == Source::Report && matches!(e.what, Observation::Ready { .. }) && just_said {
        return true;
    }
    let ready = matches!(e.what, Observation::Ready { .. }) && !e.source.is_exact();
    let seen = memory.and_then(|m| m.pending.as_ref()).map(|p| facts.now.duration_since(p.at));
    // A screen that nothing was drawn on for so long has looked ready for so long.
    let still = facts.activity_at.is_some_and(|at| facts.now.duration_since(at) > HOLD + HOLD);
    running && ready && !still && seen.is_none_or(|age| age < HOLD)
}

fn hold(facts: &Facts<'_>, memory: Option<&Memory>, index: usize) -> Verdict {
    let mut next = memory.cloned().unwrap_or_else(|| starting(facts));
    next.pending.get_or_insert(Pending { to: Status::Idle, at: facts.now });
    next.unsure = None;
    verdict(next, Some(index))
}

fn gone(facts: &Facts<'_>, memory: Option<&Memory>, index: usize, e: &Evidence, exit: &Exit) -> Verdict {
    let reason = Reason::of_exit(exit);
    let (status, reason) = match (facts.wanted, exit) {
        (Wanted::Stopped, _) => (Status::Stopped, None),
        (Wanted::Running, Exit::Code(0)) => (Status::Stopped, reason),
        (Wanted::Running, _) => (Status::Error, reason),
    };
    let since = e.since.unwrap_or(facts.now).min(facts.now);
    let since = carry_since(memory, status, reason.as_ref(), since);
    let mut next = Memory::new(status, reason, since, e.source);
    next.asks = e.asks.clone();
    verdict(next, Some(index))
}

/// A ready agent is idle, or waiting with *finished* when a turn ended that nobody has seen.
fn ready(
    facts: &Facts<'_>,
    memory: Option<&Memory>,
    e: &Evidence,
    finished: bool,
) -> (Status, Option<Reason>, Timestamp) {
    let seen = e.since.or(facts.activity_at).unwrap_or(facts.now).min(facts.now);
    match turn_end(facts, memory, e, finished, seen) {
        Some(end) if facts.acknowledged_at.is_none_or(|ack| ack < end) => {
            (Status::Waiting, Some(Reason::Finished), end)
        }
        Some(end) => (Status::Idle, None, end),
        None => (Status::Idle, None, seen),
    }
}

/// When the turn that led to a ready agent ended; `None` when there was none.
fn turn_end(
    facts: &Facts<'_>,
    memory: Option<&Memory>,
    e: &Evidence,
    finished: bool,
    seen: Timestamp,
) -> Option<Timestamp> {
    let Some(m) = memory else { return first_turn(facts, finished, seen) };
    // An older time than the remembered one is that of another turn: this one ended just now.
    let ended = if seen > m.since { seen } else { facts.now };
    match (m.status, m.reason.as_ref()) {
        (Status::Running, _) => Some(ended),
        (Status::Waiting, Some(Reason::Finished)) => {
            let newer = e.source == Source::Report && seen > m.since;
            Some(if newer { seen } else { m.since })
        }
        (
            Status::Waiting,
            Some(Reason::Blocked(BlockKind::Permission | BlockKind::Question | BlockKind::Plan)),
        ) => Some(ended),
        // A report with a newer time of its own: a turn that no deck watched.
        (Status::Idle, _) if e.source == Source::Report && seen.duration_since(m.since) > HOLD => Some(seen),
        (Status::Starting, _) if m.pending.as_ref().is_some_and(|p| p.to == Status::Running) => Some(seen),
        (Status::Starting, _) => first_turn(facts, finished, seen),
        _ => None,
    }
}

fn first_turn(facts: &Facts<'_>, finished: bool, seen: Timestamp) -> Option<Timestamp> {
    let late = facts.started_at.is_none_or(|at| seen.duration_since(at) > FIRST_TURN);
    let counts = match facts.began {
        Began::Prompted => true,
        Began::Fresh => late,
        // The mark of a turn is an old one; one of a new turn follows on work that is seen.
        Began::Resumed => false,
    };
    (finished && counts).then_some(seen)
}

fn starting(facts: &Facts<'_>) -> Memory {
    Memory::new(Status::Starting, None, facts.started_at.unwrap_or(facts.now), Source::Process)
}

/// Within the grace period: starting, whatever the screen says. That it worked is remembered, so
/// that the end of a short first turn is not missed.
fn fresh_start(facts: &Facts<'_>, memory: Option<&Memory>, seen: Option<&Evidence>) -> Verdict {
    // A memory from before this start says nothing about it.
    let current =
        memory.filter(|m| facts.started_at.is_none_or(|at| m.since >= at) && m.status != Status::Stopped);
    let mut next = current.cloned().unwrap_or_else(|| starting(facts));
    next.unsure = None;
    if next.status == Status::Starting {
        // A mere repaint is no work: everything paints when it starts.
        let works = |e: &Evidence| matches!(e.what, Observation::Busy(_)) && e.source != Source::Activity;
        if seen.is_some_and(works) {
            next.pending.get_or_insert(Pending { to: Status::Running, at: facts.now });
        }
    } else {
        next.pending = None;
    }
    verdict(next, None)
}

fn nothing_known(facts: &Facts<'_>, memory: Option<&Memory>) -> Verdict {
    let mut next = memory.cloned().unwrap_or_else(|| starting(facts));
    next.pending = None;
    let patience = facts.started_at.unwrap_or(next.since);
    let may_start = next.status == Status::Starting && facts.now.duration_since(patience) < NO_EVIDENCE;
    if may_start {
        next.unsure = None;
    } else {
        next.unsure.get_or_insert(facts.now);
    }
    verdict(next, None)
}

fn verdict(memory: Memory, decided_by: Option<usize>) -> Verdict {
    Verdict {
        status: memory.status,
        reason: memory.reason.clone(),
        since: memory.since,
        asks: memory.asks.clone(),
        unsure: memory.unsure,
        decided_by,
        memory,
    }
}

#[cfg(test)]
#[path = "reduce_tests.rs"]
mod tests;
