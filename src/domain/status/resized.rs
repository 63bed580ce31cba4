//! What a change of its window's size does to an agent's status: nothing.
//!
//! Agents lay themselves out anew for another size: for a moment the screen may be empty, half drawn, or without the line
//! that shows that they work. deck changes the size itself, so it knows when that is.

use jiff::{SignedDuration, Timestamp};

use super::evidence::{Evidence, Observation, Source};
use super::memory::Memory;
use super::reduce::{Facts, Verdict, verdict};
use super::{Reason, Status};

/// From a change of size until what an agent shows is that of the new one. Measured with four agents: at most 0.6 s.
const LAYOUT: SignedDuration = SignedDuration::from_millis(700);
/// The same on a machine that has much else to do: so long the screen alone is doubted.
const SLOW_LAYOUT: SignedDuration = SignedDuration::from_secs(3);

/// A change of a window's size by deck.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resized {
    /// When it was, in milliseconds of Unix time.
    pub at: i64,
    /// The server's second of the window's last change before that.
    pub drawn: i64,
}

impl Resized {
    /// Reads what [`Resized::to_text`] writes.
    pub fn parse(text: &str) -> Option<Self> {
        let (at, drawn) = text.split_once(' ')?;
        Some(Self { at: at.parse().ok()?, drawn: drawn.parse().ok()? })
    }

    /// The milliseconds, a space, the second.
    pub fn to_text(self) -> String {
        format!("{} {}", self.at, self.drawn)
    }

    /// Whether an agent may still be laying out its screen for the new size at a time.
    pub fn is_laying_out(self, at: Timestamp) -> bool {
        Timestamp::from_millisecond(self.at).is_ok_and(|resized| is_within(LAYOUT, resized, at))
    }

    /// The second of the last change that the agent made by itself. `activity` is that of the last change of all: up to
    /// a second after the new size it is the agent's layout.
    pub fn own_activity(self, activity: i64) -> i64 {
        let second = self.at.div_euclid(1000);
        if (second..=second + 1).contains(&activity) { self.drawn.min(activity) } else { activity }
    }
}

/// Whether an agent is laying out its screen anew, so that what it shows is no word on what it does.
pub(super) fn is_laying_out(facts: &Facts<'_>) -> bool {
    facts.resized_at.is_some_and(|at| is_within(LAYOUT, at, facts.now))
}

/// Whether a slow agent may still be laying out its screen: what it shows is believed only if it lasts, and if the agent's
/// title doesn't contradict it.
pub(super) fn may_lay_out(facts: &Facts<'_>) -> bool {
    facts.resized_at.is_some_and(|at| is_within(SLOW_LAYOUT, at, facts.now))
}

fn is_within(time: SignedDuration, resized: Timestamp, at: Timestamp) -> bool {
    let passed = at.duration_since(resized);
    !passed.is_negative() && passed < time
}

/// What is remembered, where nothing else is known while the agent lays out its screen.
pub(super) fn held(facts: &Facts<'_>, memory: Option<&Memory>, chosen: Option<&Evidence>) -> Option<Verdict> {
    let memory = memory.filter(|m| is_settled(facts, m))?;
    // A title doesn't say what is asked. The screen will.
    let asked = matches!(memory.reason, Some(Reason::Blocked(_)));
    let by_title = |e: &Evidence| e.source == Source::Title && matches!(e.what, Observation::Blocked(_));
    let is_held = match chosen {
        None => is_laying_out(facts),
        Some(e) => !asked && by_title(e) && may_lay_out(facts),
    };
    is_held.then(|| verdict(memory.clone(), None))
}

/// Whether it is remembered of an agent that is up since its last start.
fn is_settled(facts: &Facts<'_>, memory: &Memory) -> bool {
    let is_up = matches!(memory.status, Status::Running | Status::Waiting | Status::Idle | Status::Error);
    is_up && facts.started_at.is_none_or(|started| memory.since >= started)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::session::DesiredState;
    use crate::domain::status::memory::Pending;
    use crate::domain::status::{BlockKind, BusyKind, StartKind, Turn, reduce};

    const BUSY: Observation = Observation::Busy(BusyKind::Thinking);
    const READY: Observation = Observation::Ready(Turn::Finished);
    const ASKS: Observation = Observation::Blocked(BlockKind::Permission);

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_millisecond(1_000_000_000 + ms).unwrap()
    }

    /// The status some milliseconds after a new size, by what sources say then.
    fn after(memory: &Memory, ms: i64, said: &[(Source, Observation)]) -> (Status, Option<Reason>) {
        let evidence: Vec<Evidence> =
            said.iter().map(|(source, what)| Evidence::new(*source, what.clone(), at(ms))).collect();
        let facts = Facts {
            now: at(ms),
            wanted: DesiredState::Running,
            started_at: Some(at(-100_000)),
            start_kind: StartKind::Fresh,
            acknowledged_at: None,
            answered_at: None,
            activity_at: Some(at(-5_000)),
            resized_at: Some(at(0)),
            setup: None,
            folder_gone: false,
            unsent: false,
            evidence: &evidence,
        };
        let verdict = reduce(&facts, Some(memory));
        (verdict.status, verdict.reason)
    }

    fn running() -> Memory {
        Memory::new(Status::Running, Some(Reason::Busy(BusyKind::Thinking)), at(-9_000), Source::Screen)
    }

    #[test]
    fn a_screen_that_is_laid_out_anew_ends_no_turn_and_begins_none() {
        let busy = (Status::Running, Some(Reason::Busy(BusyKind::Thinking)));
        for half_drawn in [READY, Observation::Unknown] {
            assert_eq!(
                after(&running(), 200, &[(Source::Screen, half_drawn.clone())]),
                busy,
                "{half_drawn:?}"
            );
        }
        let idle = Memory::new(Status::Idle, None, at(-9_000), Source::Screen);
        assert_eq!(after(&idle, 200, &[(Source::Screen, BUSY)]).0, Status::Idle);
        assert_eq!(after(&idle, 200, &[(Source::Activity, BUSY)]).0, Status::Idle);
        let asks = Memory::new(
            Status::Waiting,
            Some(Reason::Blocked(BlockKind::Permission)),
            at(-9_000),
            Source::Screen,
        );
        assert_eq!(after(&asks, 200, &[(Source::Screen, READY)]).0, Status::Waiting);
    }

    #[test]
    fn what_the_agent_says_itself_counts_meanwhile() {
        let said = [(Source::Screen, BUSY), (Source::Report, READY)];
        assert_eq!(after(&running(), 200, &said), (Status::Waiting, Some(Reason::Finished)));
    }

    #[test]
    fn a_title_that_asks_waits_for_the_question_and_keeps_it() {
        let asks = (Status::Waiting, Some(Reason::Blocked(BlockKind::Permission)));
        let said = [(Source::Title, ASKS), (Source::Report, BUSY), (Source::Screen, READY)];
        assert_eq!(after(&running(), 200, &said).0, Status::Running);
        let memory = Memory::new(asks.0, asks.1.clone(), at(-9_000), Source::Screen);
        for ms in [200, 2_500] {
            assert_eq!(after(&memory, ms, &said), asks, "after {ms} ms");
        }
        assert_eq!(after(&memory, 3_500, &said).0, Status::Running, "the title is an old one");
    }

    #[test]
    fn a_dialog_that_is_seen_is_there() {
        let said = [(Source::Title, BUSY), (Source::Screen, ASKS)];
        assert_eq!(
            after(&running(), 200, &said),
            (Status::Waiting, Some(Reason::Blocked(BlockKind::Permission)))
        );
    }

    #[test]
    fn afterwards_the_screen_counts_again() {
        let ended = [(Source::Screen, READY)];
        assert_eq!(after(&running(), 1_200, &ended).0, Status::Running, "it must last");
        let mut seen = running();
        seen.pending = Some(Pending { to: Status::Idle, at: at(1_200) });
        assert_eq!(after(&seen, 2_300, &ended), (Status::Waiting, Some(Reason::Finished)));
        assert_eq!(
            after(&running(), 3_200, &ended),
            (Status::Waiting, Some(Reason::Finished)),
            "nothing moves"
        );
    }

    #[test]
    fn what_is_written_is_read() {
        let resized = Resized { at: 1_700_000_000_900, drawn: 1_699_999_990 };
        assert_eq!(Resized::parse(&resized.to_text()), Some(resized));
        for bad in ["", "5", "x 5", "5 x", "5 5 5"] {
            assert_eq!(Resized::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn what_is_drawn_for_a_new_size_is_no_activity() {
        let resized = Resized { at: 100_900, drawn: 40 };
        assert_eq!(resized.own_activity(100), 40);
        assert_eq!(resized.own_activity(101), 40);
        // Later it draws by itself, and before that the size was another.
        assert_eq!(resized.own_activity(102), 102);
        assert_eq!(resized.own_activity(99), 99);
    }
}
