//! The reducer by example and by property.

use super::*;
use crate::domain::status::evidence::{BusyKind, FailKind};
use proptest::prelude::*;

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

fn hook(what: Observation, second: i64) -> Evidence {
    say(Source::Hook, what).since(Some(at(second)))
}

#[test]
fn a_hook_is_believed_at_once_and_then_only_as_a_hint() {
    let mut life = Life::new();
    life.state(0, &[say(Source::Screen, READY)]);
    assert_eq!(life.state(10, &[hook(BUSY, 10), say(Source::Screen, READY)]), "running thinking");
    // Esc runs no hook.
    life.state(11, &[hook(BUSY, 10), say(Source::Screen, READY)]);
    assert_eq!(life.state(12, &[hook(BUSY, 10), say(Source::Screen, READY)]), "waiting finished");
    assert_eq!(life.state(13, &[hook(ASKS, 13), say(Source::Screen, READY)]), "waiting permission");
    assert_eq!(
        life.state(15, &[hook(ASKS, 13), say(Source::Screen, BUSY)]),
        "running tool",
        "it was allowed"
    );
    assert_eq!(
        life.state(16, &[hook(ASKS, 16), say(Source::Screen, Observation::Unknown)]),
        "waiting permission"
    );
    assert_eq!(
        life.state(30, &[hook(ASKS, 16), say(Source::Screen, Observation::Unknown)]),
        "waiting permission"
    );
}

#[test]
fn a_hook_that_reports_the_end_of_a_turn_spares_the_second_look() {
    let mut life = Life::new();
    life.state(0, &[say(Source::Screen, BUSY)]);
    assert_eq!(life.state(9, &[hook(DONE, 8), say(Source::Screen, BUSY)]), "running thinking");
    assert_eq!(life.state(10, &[hook(DONE, 8), say(Source::Screen, READY)]), "waiting finished");
    life.ack = Some(at(11));
    assert_eq!(life.state(11, &[hook(DONE, 8), say(Source::Screen, READY)]), "idle");
    assert_eq!(
        life.state(50, &[hook(DONE, 40), say(Source::Screen, READY)]),
        "waiting finished",
        "nobody watched"
    );
}

#[test]
fn a_failure_that_a_hook_reports_lasts_until_it_works_again() {
    let mut life = Life::new();
    life.state(0, &[say(Source::Report, BUSY)]);
    let ready = say(Source::Report, READY).since(Some(at(5)));
    assert_eq!(life.state(6, &[hook(FAILED, 5), ready.clone()]), "error api error");
    assert_eq!(life.state(600, &[hook(FAILED, 5), ready]), "error api error");
    let mut screen = say(Source::Screen, BUSY);
    screen.seen_at = at(610);
    assert_eq!(life.state(610, &[hook(FAILED, 5), screen]), "running thinking");
}

#[test]
fn who_broke_a_turn_off_knows_that_it_ended() {
    let mut life = Life::new();
    life.state(0, &[say(Source::Report, BUSY)]);
    let ready = say(Source::Report, READY).since(Some(at(5)));
    assert_eq!(life.state(6, &[ready.clone(), say(Source::Screen, BROKEN_OFF)]), "idle");
    // Nothing on the screen reports it, but hooks reported this turn and no end of it.
    let mut life = Life::new();
    life.state(0, &[say(Source::Report, BUSY)]);
    assert_eq!(
        life.state(5, &[ready.clone(), hook(BUSY, 1)]),
        "running thinking",
        "a hook's word may be on its way"
    );
    assert_eq!(life.state(6, &[ready.clone(), hook(BUSY, 1)]), "idle");
    assert_eq!(life.state(7, &[ready, hook(DONE, 4)]), "waiting finished", "it came late");
}

#[test]
fn the_most_telling_source_says_what_kind_of_question_it_is() {
    let mut life = Life::new();
    let report = || say(Source::Report, ASKS).since(Some(at(3)));
    let mut plan = hook(Observation::Blocked(BlockKind::Plan), 2);
    plan.asks = Some("Exit plan mode?".into());
    assert_eq!(life.state(3, &[report(), plan.clone()]), "waiting plan");
    assert_eq!(life.memory.as_ref().unwrap().asks.as_deref(), Some("Exit plan mode?"));
    // A hook from before is not about this dialog.
    let mut life = Life::new();
    plan.since = Some(at(-60));
    assert_eq!(life.state(3, &[report(), plan]), "waiting permission");
}

#[test]
fn a_busy_title_of_an_agent_that_starts_is_no_turn() {
    let mut life = Life { started: Some(at(0)), activity: Some(at(1)), ..Life::new() };
    assert_eq!(life.state(1, &[say(Source::Title, BUSY)]), "starting");
    assert_eq!(life.state(3, &[say(Source::Title, READY), say(Source::Screen, READY)]), "idle");
    life.ack = Some(at(4));
    assert_eq!(life.state(4, &[say(Source::Title, BUSY)]), "running thinking", "a message was sent");
    let mut life = Life { started: Some(at(0)), start_kind: StartKind::Prompted, ..Life::new() };
    assert_eq!(life.state(1, &[say(Source::Title, BUSY)]), "running thinking");
    // A prompt that was typed by hand shows on the screen, too.
    let mut life = Life { started: Some(at(0)), ..Life::new() };
    assert_eq!(life.state(3, &[say(Source::Title, BUSY), say(Source::Screen, BUSY)]), "running thinking");
    let mut life = Life { started: Some(at(0)), ..Life::new() };
    assert_eq!(life.state(6, &[say(Source::Title, BUSY)]), "running thinking");
}

#[test]
fn a_title_that_still_asks_after_the_dialog_is_gone() {
    let mut life = Life::new();
    assert_eq!(life.state(0, &[say(Source::Title, ASKS), say(Source::Screen, ASKS)]), "waiting permission");
    assert_eq!(life.state(1, &[say(Source::Title, ASKS), say(Source::Screen, BUSY)]), "running thinking");
    assert_eq!(
        life.state(2, &[say(Source::Title, ASKS), say(Source::Screen, Observation::Unknown)]),
        "waiting permission"
    );
}

#[test]
fn the_grace_ends_with_the_first_turn() {
    let mut life = Life { started: Some(at(0)), start_kind: StartKind::Prompted, ..Life::new() };
    assert_eq!(life.state(1, &[say(Source::Title, BUSY), say(Source::Screen, READY)]), "running thinking");
    assert_eq!(life.state(2, &[say(Source::Screen, ASKS)]), "waiting permission", "it is up");
    assert_eq!(life.state(3, &[say(Source::Screen, BUSY)]), "running thinking");
}

#[test]
fn a_question_that_was_refused_is_no_finished_turn() {
    let mut life = Life::new();
    life.state(0, &[say(Source::Report, ASKS).since(Some(at(0)))]);
    let ready = || say(Source::Report, READY).since(Some(at(5)));
    let hook = hook(ASKS, 0);
    // The mark of it is drawn a moment later.
    assert_eq!(life.state(5, &[ready(), hook.clone(), say(Source::Screen, READY)]), "waiting permission");
    assert_eq!(life.state(6, &[ready(), hook, say(Source::Screen, BROKEN_OFF)]), "idle");
}

#[test]
fn a_mark_of_a_broken_off_turn_needs_no_second_look() {
    let mut life = Life::new();
    life.state(0, &[say(Source::Screen, BUSY)]);
    assert_eq!(life.state(1, &[say(Source::Screen, BROKEN_OFF)]), "idle");
}

#[test]
fn an_agent_that_was_given_a_prompt_is_not_ready_before_it() {
    let mut life = Life { started: Some(at(0)), start_kind: StartKind::Prompted, ..Life::new() };
    assert_eq!(life.state(2, &[say(Source::Report, READY)]), "starting");
    assert_eq!(life.state(3, &[say(Source::Report, BUSY)]), "running thinking");
    let mut life = Life { started: Some(at(0)), start_kind: StartKind::Prompted, ..Life::new() };
    assert_eq!(
        life.state(2, &[say(Source::Report, READY), hook(DONE, 2)]),
        "waiting finished",
        "it was quick"
    );
    let mut life = Life { started: Some(at(0)), start_kind: StartKind::Prompted, ..Life::new() };
    assert_eq!(life.state(12, &[say(Source::Report, READY)]), "idle", "it never came");
}

#[test]
fn a_reminder_does_not_change_what_kind_of_question_is_open() {
    let question = Observation::Blocked(BlockKind::Question);
    // Claude Code reminds of every open dialog as if it were a permission, after 6 s, with its own note.
    let payload = serde_json::json!({ "notification_type": "permission_prompt", "message": "Claude needs your attention" });
    let note = crate::domain::status::HookNote::of("Notification", &payload, at(7)).unwrap();
    let reminder = note.evidence(at(7));
    let report = say(Source::Report, question.clone()).since(Some(at(1)));
    let mut life = Life::new();
    life.state(0, &[say(Source::Report, BUSY)]);
    assert_eq!(life.state(1, &[report.clone(), hook(question.clone(), 1)]), "waiting question");
    assert_eq!(life.state(7, &[report.clone(), reminder.clone()]), "waiting question");
    assert_eq!(life.state(60, &[report, reminder.clone()]), "waiting question");
    // The agent's own file has permission for plans, too.
    let plan = Observation::Blocked(BlockKind::Plan);
    let report = say(Source::Report, ASKS).since(Some(at(1)));
    let mut life = Life::new();
    life.state(0, &[say(Source::Report, BUSY)]);
    assert_eq!(life.state(1, &[report.clone(), hook(plan, 1)]), "waiting plan");
    assert_eq!(life.state(7, &[report, reminder]), "waiting plan");
}

#[test]
fn a_hook_that_reported_another_dialog_says_nothing_of_this_one() {
    let question = Observation::Blocked(BlockKind::Question);
    let dialog = Observation::Blocked(BlockKind::Dialog);
    // The tool of an MCP server was allowed, and then that server asks.
    let mut allowed = hook(ASKS, 2);
    allowed.asks = Some("mcp__store__deploy".into());
    let mut form = say(Source::Screen, dialog.clone());
    form.asks = Some("Which region?".into());
    let mut life = Life::new();
    life.state(0, &[say(Source::Report, BUSY)]);
    assert_eq!(
        life.state(2, &[say(Source::Report, ASKS).since(Some(at(2))), allowed.clone()]),
        "waiting permission"
    );
    let report = say(Source::Report, question.clone()).since(Some(at(3)));
    assert_eq!(life.state(4, &[report, form, allowed.clone()]), "waiting question");
    assert_eq!(life.memory.as_ref().unwrap().asks.as_deref(), Some("Which region?"));
    assert_eq!(life.memory.as_ref().unwrap().since, at(3));
    // The user refused with Esc, which runs no hook, and opened a menu; nobody looked in between.
    let mut life = Life::new();
    life.state(0, &[say(Source::Report, BUSY)]);
    life.state(2, &[say(Source::Report, ASKS).since(Some(at(2))), allowed.clone()]);
    let report = say(Source::Report, dialog.clone()).since(Some(at(6)));
    assert_eq!(life.state(7, &[report, say(Source::Screen, dialog), allowed]), "waiting dialog");
}

#[test]
fn a_reminder_takes_no_kind_from_a_dialog_before() {
    let plan = Observation::Blocked(BlockKind::Plan);
    let mut life = Life::new();
    life.state(0, &[say(Source::Report, BUSY)]);
    let report = say(Source::Report, ASKS).since(Some(at(1)));
    assert_eq!(life.state(1, &[report, hook(plan, 1)]), "waiting plan");
    let payload = serde_json::json!({ "notification_type": "permission_prompt" });
    let reminder =
        crate::domain::status::HookNote::of("Notification", &payload, at(46)).unwrap().evidence(at(46));
    let report = say(Source::Report, Observation::Blocked(BlockKind::Question)).since(Some(at(40)));
    assert_eq!(life.state(50, &[report, reminder]), "waiting question");
}

#[test]
fn what_was_said_of_an_answered_question_counts_no_more() {
    let mut life = Life::new();
    life.state(0, &[say(Source::Report, BUSY)]);
    let asked = [say(Source::Report, ASKS).since(Some(at(1))), hook(ASKS, 1)];
    let with = |screen: Observation| [&asked[..], &[say(Source::Screen, screen)]].concat();
    assert_eq!(life.state(1, &with(ASKS)), "waiting permission");
    life.answered = Some(at(2));
    // The agent's file follows half a second later.
    for screen in [Observation::Unknown, READY, BUSY] {
        let mut now = Life { memory: life.memory.clone(), answered: life.answered, ..Life::new() };
        assert_eq!(now.state(2, &with(screen)).trim_end_matches('?'), "running tool");
    }
    // Where no deck had looked while it was open, too.
    let mut now = Life { answered: life.answered, ..Life::new() };
    assert_eq!(now.state(2, &with(BUSY)), "running tool");
    // Another question is another one.
    assert_eq!(life.state(3, &[say(Source::Screen, ASKS), hook(ASKS, 3)]), "waiting permission");
    assert_eq!(life.memory.as_ref().unwrap().since, at(3));
    // A file that still has it a while later reports another question.
    let mut now = Life { answered: Some(at(2)), ..Life::new() };
    assert_eq!(
        now.state(8, &[asked[0].clone(), say(Source::Screen, Observation::Unknown)]),
        "waiting permission"
    );
    // What was refused ended its turn.
    let mut now = Life { memory: life.memory.clone(), answered: Some(at(4)), ..Life::new() };
    assert_eq!(now.state(4, &with(BROKEN_OFF)), "idle");
}

#[test]
fn a_repaint_of_an_idle_agent_is_no_turn() {
    // OpenCode's service gives no time while nothing has been said.
    let mut life = Life { activity: Some(at(0)), ..Life::new() };
    assert_eq!(life.state(0, &[say(Source::Report, READY)]), "idle");
    life.activity = Some(at(30));
    assert_eq!(life.state(31, &[say(Source::Report, READY)]), "idle");
}

#[test]
fn a_title_that_outlasts_a_question_does_not_change_its_kind() {
    let dialog = Observation::Blocked(BlockKind::Dialog);
    let question = Observation::Blocked(BlockKind::Question);
    let mut life = Life::new();
    life.state(0, &[say(Source::Title, BUSY)]);
    let asked = [say(Source::Title, dialog.clone()), say(Source::Screen, question)];
    assert_eq!(life.state(1, &asked), "waiting question");
    let unknown = say(Source::Screen, Observation::Unknown);
    assert_eq!(life.state(2, &[say(Source::Title, dialog), unknown]), "waiting question");
    assert_eq!(life.state(3, &[say(Source::Title, READY), say(Source::Screen, DONE)]), "waiting finished");
}
