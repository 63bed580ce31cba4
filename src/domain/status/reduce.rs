//! The reducer: evidence, time and memory in, one status with its reason out.
//!
//! Invariants: pure and total; the order of the evidence doesn't matter; a dead process is
//! never running; *unknown* never changes a status; a question stays waiting until evidence
//! reports that it was answered, whatever was acknowledged.

use jiff::{SignedDuration, Timestamp};

use super::answered;
use super::details;
use super::evidence::{BlockKind, Evidence, Exit, Observation, Source, Turn};
use super::memory::{Memory, Pending};
use super::priority::choose;
use super::resized;
use super::setup::{self, SetupStep};
use super::startup::{
    fresh_start, is_confirmed, is_in_grace, is_start_up, is_untouched, not_up_yet, starting,
};
use super::{Reason, Status};
use crate::domain::session::DesiredState;

/// How long after a start only an exact source may speak.
pub const GRACE: SignedDuration = SignedDuration::from_secs(5);
/// How long a session without any evidence counts as starting.
pub const NO_EVIDENCE: SignedDuration = SignedDuration::from_secs(30);
/// How long a screen must look ready before a running session is.
pub const HOLD: SignedDuration = SignedDuration::from_secs(1);
/// How old a report of being ready must be before a running session is.
const FALSE_IDLE: SignedDuration = SignedDuration::from_millis(50);
/// The rest of a second whose start is known.
const LAST_MOMENT: SignedDuration = SignedDuration::from_millis(999);
/// The same where the screen shows the mark of an ended turn, or showed a question.
pub(super) const SHORT_HOLD: SignedDuration = SignedDuration::from_millis(350);
/// How long after the end of a turn a hook's word of it may take.
const HOOK_LAG: SignedDuration = SignedDuration::from_millis(400);
/// From a start until then, a ready agent has had no turn unless deck saw one.
const FIRST_TURN: SignedDuration = SignedDuration::from_secs(8);

/// How a session was last started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StartKind {
    /// With a new conversation and nothing to do.
    #[default]
    Fresh,
    /// With a first prompt: it has a turn from its start on.
    Prompted,
    /// With an old conversation, whose marks may be on its screen.
    Resumed,
    /// With an old conversation whose last turn nobody had seen when the session was lost.
    Unseen,
}

impl StartKind {
    /// The word for it on the session.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Fresh => "fresh",
            Self::Prompted => "prompted",
            Self::Resumed => "resumed",
            Self::Unseen => "unseen",
        }
    }

    /// Reads the option's value; anything unknown is fresh.
    pub fn from_word(word: &str) -> Self {
        [Self::Prompted, Self::Resumed, Self::Unseen]
            .into_iter()
            .find(|b| b.word() == word)
            .unwrap_or_default()
    }
}

/// All that is known about one session at one moment.
#[derive(Debug, Clone)]
pub struct Facts<'a> {
    /// The time of the poll.
    pub now: Timestamp,
    /// What the user asked for.
    pub wanted: DesiredState,
    /// When it was last started.
    pub started_at: Option<Timestamp>,
    /// How it was last started.
    pub start_kind: StartKind,
    /// When the user last acknowledged it.
    pub acknowledged_at: Option<Timestamp>,
    /// When deck last answered a question of it, seen by the dialog being gone.
    pub answered_at: Option<Timestamp>,
    /// When its window last changed, but for a change of its size.
    pub activity_at: Option<Timestamp>,
    /// When deck last changed its window's size.
    pub resized_at: Option<Timestamp>,
    /// How far the setup of its worktree is, if that is under way or failed.
    pub setup: Option<SetupStep>,
    /// Whether the folder of its worktree is gone.
    pub folder_gone: bool,
    /// Whether its first prompt was not sent yet.
    pub unsent: bool,
    /// What the sources report.
    pub evidence: &'a [Evidence],
}

impl Facts<'_> {
    /// Whether its user wants it to run.
    pub(super) fn is_wanted(&self) -> bool {
        self.wanted == DesiredState::Running
    }
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    pub status: Status,
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
    if let Some(judged) = setup::judged(facts, memory) {
        return judged;
    }
    let continued = answered::continued(facts, memory);
    let memory = continued.as_ref().or(memory);
    let in_grace = is_in_grace(facts, memory);
    // Within the grace period an exact source is heard even beside a screen that weighs more.
    let chosen = choose(facts, |_| true).filter(|(_, e)| !in_grace || e.source.is_exact());
    let chosen = chosen.or_else(|| choose(facts, |e| !in_grace || e.source.is_exact()));
    let chosen = chosen.or_else(|| choose(facts, |_| true));
    if let Some(held) = resized::held(facts, memory, chosen.map(|(_, e)| e)) {
        return held;
    }
    match chosen {
        Some((_, e)) if not_up_yet(facts, memory, e) => fresh_start(facts, memory, Some(e)),
        Some((_, e)) if is_start_up(facts, memory, e) => fresh_start(facts, memory, None),
        Some((index, e)) if !in_grace || e.source.is_exact() || is_confirmed(facts, memory, e) => {
            settle(facts, memory, index, e)
        }
        other if in_grace => fresh_start(facts, memory, other.map(|(_, e)| e)),
        _ => nothing_known(facts, memory),
    }
}

fn settle(facts: &Facts<'_>, memory: Option<&Memory>, index: usize, e: &Evidence) -> Verdict {
    if must_hold(facts, memory, e) {
        return hold(facts, memory, index);
    }
    let since = e.since.unwrap_or(facts.now).min(facts.now);
    let mut asks = details::words(facts, e);
    let (status, reason, since) = match &e.what {
        Observation::Gone(exit) => return gone(facts, memory, index, e, exit),
        Observation::Busy(kind) => {
            let kind = details::busy_kind(facts, memory, *kind);
            asks = None;
            (Status::Running, Some(Reason::Busy(kind)), since)
        }
        Observation::Blocked(kind) => {
            let (kind, words) = details::question(facts, memory, e, *kind);
            asks = words;
            (Status::Waiting, Some(Reason::Blocked(kind)), answered::earliest(facts, since))
        }
        Observation::Failed(kind) => (Status::Error, Some(Reason::Failed(*kind)), since),
        Observation::Ready(turn) => ready(facts, memory, e, *turn),
        Observation::Unknown => return nothing_known(facts, memory),
    };
    let same = memory.filter(|m| !details::is_another_dialog(facts, m));
    let since = carry_since(same, status, reason.as_ref(), since);
    let mut next = Memory::new(status, reason, since, e.source);
    next.asks = asks;
    verdict(next, Some(index))
}

/// The start of the present status: remembered when it is the same one, whatever it reports working on.
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

/// Whether this is a first poll of a ready screen of a running session, without an exact source.
fn must_hold(facts: &Facts<'_>, memory: Option<&Memory>, e: &Evidence) -> bool {
    let running = memory.is_some_and(|m| m.status == Status::Running);
    let asked = memory.is_some_and(|m| matches!(m.reason, Some(Reason::Blocked(_))))
        || facts.answered_at.is_some_and(|at| facts.now.duration_since(at) < HOLD + HOLD);
    // Claude's file reports idle for some 20 ms when a sub-agent or background shell ends.
    let just_said = e.since.is_some_and(|at| facts.now.duration_since(at) < FALSE_IDLE);
    // A mark that only an end leaves needs no second poll.
    if e.what == Observation::Ready(Turn::ByUser) {
        return false;
    }
    if (running || asked) && e.source == Source::Report && matches!(e.what, Observation::Ready(_)) {
        let hook_may_come = unended(facts).is_some_and(|at| facts.now.duration_since(at) < HOOK_LAG);
        return just_said || hook_may_come;
    }
    let ready =
        matches!(e.what, Observation::Ready(_)) && !e.source.is_exact() && !hook_says_so(facts, memory);
    let seen = memory.and_then(|m| m.pending.as_ref()).map(|p| facts.now.duration_since(p.at));
    // A screen that nothing was drawn on for so long has looked ready for so long.
    let resized = resized::may_lay_out(facts);
    let still = !resized && facts.activity_at.is_some_and(|at| facts.now.duration_since(at) > HOLD + HOLD);
    // The mark of an ended turn leaves less doubt than an empty prompt; that of a question which was
    // refused may come a moment after the dialog is gone.
    let marked = e.what == Observation::Ready(Turn::Finished);
    let enough = if !resized && (asked || marked) { SHORT_HOLD } else { HOLD };
    (running || asked) && ready && !still && seen.is_none_or(|age| age < enough)
}

/// Whether a hook reported the end of this very turn, so that the screen needs no second poll.
fn hook_says_so(facts: &Facts<'_>, memory: Option<&Memory>) -> bool {
    let begun = memory.map(|m| m.since);
    let ended = |e: &Evidence| e.source == Source::Hook && matches!(e.what, Observation::Ready(_));
    facts.evidence.iter().any(|e| ended(e) && e.since >= begun)
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
        (DesiredState::Stopped, _) => (Status::Stopped, None),
        (DesiredState::Running, Exit::Code(0) | Exit::ToShell) => (Status::Stopped, reason),
        (DesiredState::Running, _) => (Status::Error, reason),
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
    turn: Turn,
) -> (Status, Option<Reason>, Timestamp) {
    // tmux reports a window's last change to the second: it may have been at the end of that.
    let drawn = facts.activity_at.and_then(|at| at.checked_add(LAST_MOMENT).ok());
    let seen = e.since.or(drawn).unwrap_or(facts.now).min(facts.now);
    // A shell's prompt is not a finished turn: it needs no attention.
    if e.source == Source::Process {
        return (Status::Idle, None, seen);
    }
    let finished = turn == Turn::Finished;
    match turn_end(facts, memory, e, finished, seen) {
        // The user interrupted it, so they know.
        Some(end) if by_user(facts, end) => (Status::Idle, None, end),
        Some(end) if facts.acknowledged_at.is_none_or(|ack| ack < end) => {
            (Status::Waiting, Some(Reason::Finished), end)
        }
        Some(end) => (Status::Idle, None, end),
        None => (Status::Idle, None, seen),
    }
}

/// Whether the last turn was ended by the user: the screen's last mark shows it, a hook reported it since, or
/// hooks reported this turn and then no end of it.
fn by_user(facts: &Facts<'_>, end: Timestamp) -> bool {
    let told = facts.evidence.iter().any(|e| {
        e.what == Observation::Ready(Turn::ByUser) && (e.source != Source::Hook || e.since >= Some(end))
    });
    told || unended(facts).is_some_and(|report| facts.now.duration_since(report) >= HOOK_LAG)
}

/// When the agent's report became ready after a hook had reported work or a question, and none of an end.
fn unended(facts: &Facts<'_>) -> Option<Timestamp> {
    let goes_on = |e: &Evidence| matches!(e.what, Observation::Busy(_) | Observation::Blocked(_));
    let told = facts.evidence.iter().filter(|e| e.source == Source::Hook && goes_on(e));
    let hook = told.filter_map(|e| e.since).max()?;
    let ready = |e: &&Evidence| e.source == Source::Report && matches!(e.what, Observation::Ready(_));
    facts.evidence.iter().filter(ready).filter_map(|e| e.since).max().filter(|at| *at > hook)
}

/// When the turn that led to a ready agent ended; `None` when there was none.
fn turn_end(
    facts: &Facts<'_>,
    memory: Option<&Memory>,
    e: &Evidence,
    finished: bool,
    seen: Timestamp,
) -> Option<Timestamp> {
    // What was drawn since the start is no turn: nobody has given it anything to do.
    if facts.unsent && is_untouched(facts) {
        return None;
    }
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
        // A report with a newer time: a turn that no deck watched. A repaint alone is none.
        (Status::Idle, _)
            if e.source == Source::Report && e.since.is_some_and(|at| at.duration_since(m.since) > HOLD) =>
        {
            Some(seen)
        }
        // Also where deck took the missing word of a hook for a turn that was interrupted.
        (Status::Idle, _) => hook_end(facts).filter(|at| facts.started_at.is_none_or(|start| start < *at)),
        (Status::Starting, _) if m.pending.as_ref().is_some_and(|p| p.to == Status::Running) => Some(seen),
        (Status::Starting, _) => first_turn(facts, finished, seen),
        _ => None,
    }
}

/// When a hook reported that a turn ended.
fn hook_end(facts: &Facts<'_>) -> Option<Timestamp> {
    let ended = |e: &&Evidence| e.source == Source::Hook && e.what == Observation::Ready(Turn::Finished);
    facts.evidence.iter().filter(ended).filter_map(|e| e.since).max()
}

fn first_turn(facts: &Facts<'_>, finished: bool, seen: Timestamp) -> Option<Timestamp> {
    // What a hook reported since the start is not an old mark.
    let told = hook_end(facts).filter(|at| facts.started_at.is_none_or(|started| started <= *at));
    if told.is_some() {
        return told;
    }
    if facts.start_kind == StartKind::Unseen {
        // Whatever of it is on the screen: it ended before this start, and is still to be seen.
        return facts.started_at.or(Some(seen));
    }
    let marked = |e: &Evidence| e.what == Observation::Ready(Turn::Finished);
    let finished = finished || facts.evidence.iter().any(marked);
    let late = facts.started_at.is_none_or(|at| seen.duration_since(at) > FIRST_TURN);
    let counts = match facts.start_kind {
        StartKind::Prompted => true,
        StartKind::Fresh => late,
        // The mark of a turn is an old one; one of a new turn follows on work that is seen.
        StartKind::Resumed | StartKind::Unseen => false,
    };
    (finished && counts).then_some(seen)
}

fn nothing_known(facts: &Facts<'_>, memory: Option<&Memory>) -> Verdict {
    // One that had ended and runs again was started by its user, not by deck.
    let ended = |m: &&Memory| {
        m.status == Status::Stopped && !facts.evidence.iter().any(|e| matches!(e.what, Observation::Gone(_)))
    };
    let mut next = memory.filter(|m| !ended(m)).cloned().unwrap_or_else(|| starting(facts));
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

pub(super) fn verdict(memory: Memory, decided_by: Option<usize>) -> Verdict {
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
