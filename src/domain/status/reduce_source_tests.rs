//! Hooks, titles and marks beside the screen: which of them is believed, and for how long.

use super::*;

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
