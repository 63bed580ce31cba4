//! The reducer by example and by property.

use super::*;
use crate::domain::status::evidence::{BusyKind, FailKind};
use proptest::prelude::*;

#[path = "reduce_source_tests.rs"]
mod sources;

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_000_000 + second).unwrap()
}

fn say(source: Source, what: Observation) -> Evidence {
    Evidence::new(source, what, at(0))
}

const BUSY: Observation = Observation::Busy(BusyKind::Thinking);
const ASKS: Observation = Observation::Blocked(BlockKind::Permission);
const READY: Observation = Observation::Ready(Turn::Unmarked);
const DONE: Observation = Observation::Ready(Turn::Finished);
const BROKEN_OFF: Observation = Observation::Ready(Turn::ByUser);
const FAILED: Observation = Observation::Failed(FailKind::Api);

/// A session's life: looks at given seconds, each continuing from the memory of the last.
struct Life {
    memory: Option<Memory>,
    started: Option<Timestamp>,
    ack: Option<Timestamp>,
    answered: Option<Timestamp>,
    activity: Option<Timestamp>,
    wanted: DesiredState,
    start_kind: StartKind,
    unsent: bool,
}

impl Life {
    fn new() -> Self {
        Self {
            memory: None,
            started: Some(at(-100)),
            ack: None,
            answered: None,
            activity: None,
            wanted: DesiredState::Running,
            start_kind: StartKind::Fresh,
            unsent: false,
        }
    }

    fn state(&mut self, second: i64, evidence: &[Evidence]) -> String {
        let facts = Facts {
            now: at(second),
            wanted: self.wanted,
            started_at: self.started,
            start_kind: self.start_kind,
            acknowledged_at: self.ack,
            answered_at: self.answered,
            activity_at: self.activity,
            resized_at: None,
            setup: None,
            folder_gone: false,
            unsent: self.unsent,
            evidence,
        };
        let v = reduce(&facts, self.memory.as_ref());
        self.memory = Some(v.memory.clone());
        let reason = v.reason.map(|r| format!(" {r}")).unwrap_or_default();
        format!("{}{reason}{}", v.status, if v.unsure.is_some() { "?" } else { "" })
    }
}

#[test]
fn without_its_first_prompt_nothing_is_finished() {
    let mut life = Life { unsent: true, ..Life::new() };
    assert_eq!(life.state(0, &[say(Source::Report, BUSY)]), "running thinking");
    assert_eq!(life.state(1, &[say(Source::Report, READY)]), "idle");
    assert_eq!(life.state(9, &[say(Source::Report, READY)]), "idle");
    // Its user typed something else: that is a turn.
    life.ack = Some(at(10));
    assert_eq!(life.state(11, &[say(Source::Report, BUSY)]), "running thinking");
    assert_eq!(life.state(19, &[say(Source::Report, READY)]), "waiting finished");
}

#[test]
fn a_turn_from_prompt_to_acknowledgement() {
    let mut life = Life::new();
    assert_eq!(life.state(0, &[say(Source::Report, READY)]), "idle");
    assert_eq!(life.state(1, &[say(Source::Report, BUSY)]), "running thinking");
    assert_eq!(life.state(2, &[say(Source::Screen, ASKS), say(Source::Report, BUSY)]), "waiting permission");
    life.ack = Some(at(3));
    assert_eq!(
        life.state(3, &[say(Source::Screen, ASKS)]),
        "waiting permission",
        "a question is not acknowledged away"
    );
    assert_eq!(life.state(4, &[say(Source::Report, BUSY)]), "running thinking");
    assert_eq!(life.state(9, &[say(Source::Report, READY)]), "waiting finished");
    assert_eq!(life.state(10, &[say(Source::Report, READY)]), "waiting finished");
    life.ack = Some(at(11));
    assert_eq!(life.state(11, &[say(Source::Report, READY)]), "idle");
}

#[test]
fn a_ready_screen_must_hold_for_a_second() {
    let mut life = Life::new();
    life.state(0, &[say(Source::Screen, BUSY)]);
    assert_eq!(life.state(1, &[say(Source::Screen, READY)]), "running thinking");
    assert_eq!(life.state(2, &[say(Source::Screen, BUSY)]), "running thinking");
    assert_eq!(
        life.state(3, &[say(Source::Screen, READY)]),
        "running thinking",
        "the busy look started it again"
    );
    assert_eq!(life.state(4, &[say(Source::Screen, READY)]), "waiting finished");
}

#[test]
fn the_mark_of_an_ended_turn_must_hold_for_less() {
    let mut life = Life::new();
    life.state(0, &[say(Source::Screen, BUSY)]);
    assert_eq!(life.state(1, &[say(Source::Screen, DONE)]), "running thinking");
    let at = Timestamp::from_millisecond(1_000_001_400).unwrap();
    let evidence = [say(Source::Screen, DONE)];
    let verdict = reduce(&Facts { now: at, ..facts(&evidence, None) }, life.memory.as_ref());
    assert_eq!((verdict.status, verdict.reason), (Status::Waiting, Some(Reason::Finished)));
}

#[test]
fn own_reports_are_blind_to_errors() {
    let mut life = Life::new();
    assert_eq!(life.state(0, &[say(Source::Report, READY), say(Source::Screen, FAILED)]), "error api error");
    assert_eq!(life.state(1, &[say(Source::Report, BUSY), say(Source::Screen, FAILED)]), "running thinking");
}

#[test]
fn a_busy_title_counts_only_while_something_moves() {
    let mut life = Life::new();
    life.activity = Some(at(0));
    assert_eq!(life.state(1, &[say(Source::Title, BUSY), say(Source::Screen, READY)]), "running thinking");
    life.state(30, &[say(Source::Title, BUSY), say(Source::Screen, READY)]);
    assert_eq!(life.state(32, &[say(Source::Title, BUSY), say(Source::Screen, READY)]), "waiting finished");
}

#[test]
fn unknown_keeps_the_last_status_with_a_doubt() {
    let mut life = Life::new();
    life.state(0, &[say(Source::Report, BUSY)]);
    assert_eq!(life.state(1, &[say(Source::Screen, Observation::Unknown)]), "running thinking?");
    let since = life.memory.as_ref().unwrap().unsure;
    life.state(9, &[]);
    assert_eq!(life.memory.as_ref().unwrap().unsure, since, "the doubt has one beginning");
    assert_eq!(life.state(10, &[say(Source::Report, BUSY)]), "running thinking");
}

#[test]
fn the_first_seconds_belong_to_exact_sources() {
    let mut life = Life { started: Some(at(0)), ..Life::new() };
    assert_eq!(life.state(1, &[say(Source::Screen, READY)]), "starting");
    assert_eq!(life.state(2, &[say(Source::Report, READY)]), "idle");
    let mut life = Life { started: Some(at(0)), ..Life::new() };
    assert_eq!(life.state(4, &[]), "starting");
    assert_eq!(life.state(29, &[]), "starting");
    assert_eq!(life.state(31, &[]), "starting?");
}

#[test]
fn work_and_questions_at_the_start_count_when_a_second_look_confirms_them() {
    let mut life = Life { started: Some(at(0)), ..Life::new() };
    assert_eq!(life.state(1, &[say(Source::Screen, ASKS)]), "starting");
    assert_eq!(life.state(2, &[say(Source::Screen, ASKS)]), "waiting permission");
    let mut life = Life { started: Some(at(0)), ..Life::new() };
    assert_eq!(life.state(1, &[say(Source::Screen, ASKS)]), "starting");
    assert_eq!(life.state(2, &[say(Source::Screen, BUSY)]), "starting", "it says something else now");
    assert_eq!(life.state(3, &[say(Source::Screen, BUSY)]), "running thinking");
}

#[test]
fn a_first_turn_that_ended_within_the_grace_period_is_finished() {
    let mut life = Life { started: Some(at(0)), activity: Some(at(3)), ..Life::new() };
    assert_eq!(life.state(1, &[say(Source::Screen, BUSY)]), "starting");
    assert_eq!(life.state(4, &[say(Source::Screen, DONE)]), "starting");
    assert_eq!(life.state(6, &[say(Source::Screen, DONE)]), "waiting finished");
}

#[test]
fn painting_at_the_start_is_no_turn() {
    let mut life = Life { started: Some(at(0)), activity: Some(at(1)), ..Life::new() };
    assert_eq!(life.state(1, &[say(Source::Activity, BUSY)]), "starting");
    assert_eq!(life.state(6, &[say(Source::Activity, READY)]), "idle");
}

#[test]
fn a_restart_forgets_what_was_before() {
    let mut life = Life::new();
    life.state(0, &[say(Source::Process, Observation::Gone(Exit::Code(1)))]);
    life.started = Some(at(10));
    assert_eq!(life.state(11, &[say(Source::Screen, Observation::Unknown)]), "starting");
}

#[test]
fn how_a_process_ended_is_reported() {
    let gone = |exit| say(Source::Process, Observation::Gone(exit));
    let mut life = Life::new();
    assert_eq!(life.state(0, &[gone(Exit::Code(1)), say(Source::Report, BUSY)]), "error exited 1");
    assert_eq!(life.state(1, &[gone(Exit::Signal("KILL".into()))]), "error killed KILL");
    assert_eq!(life.state(2, &[gone(Exit::Missing)]), "error gone");
    assert_eq!(life.state(3, &[gone(Exit::Code(0))]), "stopped exited 0");
    life.wanted = DesiredState::Stopped;
    assert_eq!(life.state(4, &[gone(Exit::Missing)]), "stopped");
}

#[test]
fn a_turn_that_no_deck_watched_counts() {
    let mut life = Life::new();
    life.state(0, &[say(Source::Report, READY).since(Some(at(-50)))]);
    assert_eq!(life.state(60, &[say(Source::Report, READY).since(Some(at(-50)))]), "idle");
    assert_eq!(life.state(61, &[say(Source::Report, READY).since(Some(at(40)))]), "waiting finished");
    life.ack = Some(at(62));
    assert_eq!(life.state(63, &[say(Source::Report, READY).since(Some(at(40)))]), "idle");
}

#[test]
fn a_first_prompt_that_ended_before_the_first_look_is_finished() {
    let mut life = Life::new();
    assert_eq!(life.state(0, &[say(Source::Screen, DONE)]), "waiting finished");
    let mut life = Life { start_kind: StartKind::Resumed, ..Life::new() };
    assert_eq!(life.state(0, &[say(Source::Screen, DONE)]), "idle", "a resumed conversation shows old marks");
    let mut life = Life { started: Some(at(-6)), start_kind: StartKind::Prompted, ..Life::new() };
    assert_eq!(
        life.state(0, &[say(Source::Screen, DONE)]),
        "waiting finished",
        "its prompt was given with the start"
    );
}

fn observation() -> impl Strategy<Value = Observation> {
    prop_oneof![
        Just(BUSY),
        Just(ASKS),
        Just(READY),
        Just(DONE),
        Just(BROKEN_OFF),
        Just(FAILED),
        Just(Observation::Unknown),
        Just(Observation::Gone(Exit::Code(1))),
        Just(Observation::Gone(Exit::NotYetKnown)),
    ]
}

fn evidence() -> impl Strategy<Value = Evidence> {
    let sources = prop_oneof![
        Just(Source::Report),
        Just(Source::Title),
        Just(Source::Screen),
        Just(Source::Activity),
        Just(Source::Hook)
    ];
    (sources, observation(), prop::option::of(-20i64..0)).prop_map(|(source, what, since)| {
        // Only the process table can report that a process is gone.
        let source = if matches!(what, Observation::Gone(_)) { Source::Process } else { source };
        say(source, what).since(since.map(at))
    })
}

fn facts(evidence: &[Evidence], ack: Option<i64>) -> Facts<'_> {
    Facts {
        now: at(0),
        wanted: DesiredState::Running,
        started_at: Some(at(-100)),
        start_kind: StartKind::Fresh,
        acknowledged_at: ack.map(at),
        answered_at: None,
        activity_at: None,
        resized_at: None,
        setup: None,
        folder_gone: false,
        unsent: false,
        evidence,
    }
}

proptest! {
    #[test]
    fn order_does_not_matter(mut all in prop::collection::vec(evidence(), 0..6), ack in prop::option::of(-50i64..10)) {
        let forward = reduce(&facts(&all, ack), None).memory;
        all.reverse();
        prop_assert_eq!(reduce(&facts(&all, ack), None).memory, forward);
    }

    #[test]
    fn a_dead_pane_is_never_running(mut all in prop::collection::vec(evidence(), 0..6)) {
        all.push(say(Source::Process, Observation::Gone(Exit::Code(2))));
        prop_assert_eq!(reduce(&facts(&all, None), None).status, Status::Error);
    }

    #[test]
    fn more_evidence_never_makes_it_less_certain(all in prop::collection::vec(evidence(), 0..6), one in evidence()) {
        let before = reduce(&facts(&all, None), None);
        let mut more = all.clone();
        more.push(one);
        let after = reduce(&facts(&more, None), None);
        prop_assert!(before.unsure.is_some() || after.unsure.is_none());
    }

    #[test]
    fn an_acknowledged_question_stays_waiting(mut all in prop::collection::vec(evidence(), 0..6), ack in -50i64..10) {
        all.retain(|e| !matches!(e.what, Observation::Gone(_)));
        all.push(say(Source::Screen, ASKS));
        prop_assert_eq!(reduce(&facts(&all, Some(ack)), None).status, Status::Waiting);
    }
}
