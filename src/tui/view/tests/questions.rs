//! Answering in the TUI: a key answers the question that was shown, and no other.

use super::*;
use crate::ops::Pick;

fn answers(effects: &[Effect]) -> usize {
    effects.iter().filter(|e| matches!(e, Effect::Answer(..))).count()
}

fn clock(m: &mut Model, millis: i64) {
    update(m, Msg::Idle(now() + SignedDuration::from_millis(millis)));
}

/// The sessions as they are seen later, with api's question changed, and drawn at once.
fn state(m: &mut Model, millis: i64, change: impl FnOnce(&mut SessionState)) {
    taken(m, millis, change);
    clock(m, millis);
}

/// The same, not yet drawn.
fn taken(m: &mut Model, millis: i64, change: impl FnOnce(&mut SessionState)) {
    let mut later = snapshot(FULL);
    later.at = now() + SignedDuration::from_millis(millis);
    change(later.states.get_mut(&SessionId::new("id-api")).unwrap());
    update(m, Msg::Snapshot(Box::new(later)));
}

fn other_choices(state: &mut SessionState) {
    state.dialog.as_mut().unwrap().choices[0].label = "Yes, delete everything".into();
}

fn other_words(state: &mut SessionState) {
    state.verdict.asks = Some("Bash: rm -rf ~".into());
}

#[test]
fn a_key_that_waited_while_deck_stood_still_answers_nothing() {
    let mut m = model(FULL, (100, 30));
    press(&mut m, "a");
    taken(&mut m, 2_000, other_words);
    // The key was pressed before the other question was shown, and is read long after.
    update(&mut m, Msg::Clock(now() + SignedDuration::from_secs(60)));
    assert_eq!(answers(&press(&mut m, "1")), 0);
    assert!(shown(&m).contains("read it first"), "{}", shown(&m));
    // deck stood still between taking the question and drawing it, too: from now on it can be read.
    clock(&mut m, 60_000);
    assert_eq!(answers(&press(&mut m, "1")), 0);
    clock(&mut m, 60_500);
    assert_eq!(answers(&press(&mut m, "1")), 1);
}

#[test]
fn a_key_never_answers_a_question_that_has_just_come() {
    for change in [other_choices, other_words] {
        for key in ["1", "enter"] {
            let mut m = model(FULL, (100, 30));
            press(&mut m, "a");
            clock(&mut m, 5_000);
            state(&mut m, 5_000, change);
            assert_eq!(answers(&press(&mut m, key)), 0, "at once");
            clock(&mut m, 5_400);
            assert_eq!(answers(&press(&mut m, key)), 0, "before it can be read");
            assert!(shown(&m).contains("api asks"), "it stays open\n{}", shown(&m));
            clock(&mut m, 5_500);
            assert_eq!(answers(&press(&mut m, key)), 1, "when it could be read");
        }
    }
}

#[test]
fn the_same_question_seen_again_is_no_new_one() {
    let mut m = model(FULL, (100, 30));
    press(&mut m, "a");
    clock(&mut m, 5_000);
    state(&mut m, 5_000, |_| {});
    assert_eq!(answers(&press(&mut m, "1")), 1);
}

#[test]
fn a_question_is_answered_once_until_it_was_looked_at_again() {
    let mut m = model(FULL, (100, 30));
    let id = SessionId::new("id-api");
    assert_eq!(answers(&press(&mut m, "a 1")), 1);
    assert_eq!(answers(&press(&mut m, "a 1")), 0, "while the answer is on its way");
    clock(&mut m, 1_000);
    update(&mut m, Msg::Done(Done::WellFor(id.clone(), "api: Yes".into())));
    assert_eq!(answers(&press(&mut m, "1")), 0, "what is shown is from before the answer");
    state(&mut m, 900, |_| {});
    assert_eq!(answers(&press(&mut m, "1")), 0, "so is this");
    state(&mut m, 1_100, |_| {});
    clock(&mut m, 1_200);
    assert_eq!(answers(&press(&mut m, "1")), 0, "it looks the same, and may be another one");
    clock(&mut m, 1_700);
    assert_eq!(answers(&press(&mut m, "1")), 1);
    // Where nothing was answered the question is still the one that was seen.
    update(&mut m, Msg::Done(Done::Failed(Some(id), "it took no answer".into())));
    assert_eq!(answers(&press(&mut m, "a 1")), 1);
}

/// Several that ask, one of them with two choices that take text.
fn asking() -> Model {
    let ask =
        |title, age| (title, "", None, Status::Waiting, Some(Reason::Blocked(BlockKind::Question)), age);
    let mut entries = vec![ask("web", 30), ask("api", 60), ask("infra", 90)];
    entries.push(("docs", "", None, Status::Waiting, Some(Reason::Finished), 400));
    let mut first = snapshot(&entries);
    for state in first.states.values_mut().filter(|l| l.dialog.is_some()) {
        let dialog = state.dialog.as_mut().unwrap();
        dialog.choices[1].is_text = true;
    }
    let mut m = Model::new(Arc::new(settings()), ProfileName::default(), first.clone(), (120, 36));
    update(&mut m, Msg::Snapshot(Box::new(first)));
    press(&mut m, "space");
    m
}

fn sent(effects: &[Effect]) -> Option<(&str, &Pick)> {
    effects.iter().find_map(|e| match e {
        Effect::Answer(id, pick, _) => Some((id.as_str(), pick)),
        _ => None,
    })
}

#[test]
fn tab_goes_to_the_next_question_and_what_was_written_stays() {
    let mut m = asking();
    press(&mut m, "a 2 o n e");
    assert!(shown(&m).contains("infra asks · 1 of 3"), "{}", shown(&m));
    press(&mut m, "down 3 t w o");
    let texts = |m: &Model| (shown(m).contains("backend  one"), shown(m).contains("two"));
    assert_eq!(texts(&m), (true, true), "both fields\n{}", shown(&m));
    press(&mut m, "tab");
    assert!(shown(&m).contains("api asks · 2 of 3"), "{}", shown(&m));
    assert_eq!(m.session().unwrap().title, "api", "the preview shows what is asked");
    assert_eq!(texts(&m), (false, false), "a text is for one question");
    press(&mut m, "tab tab");
    assert!(shown(&m).contains("infra asks · 1 of 3"), "{}", shown(&m));
    assert_eq!(texts(&m), (true, true), "{}", shown(&m));
    let effects = press(&mut m, "enter");
    assert_eq!(sent(&effects), Some(("id-infra", &Pick::Into(Box::new(Pick::Number(3)), "two".into()))));
}

#[test]
fn a_text_is_for_the_question_that_was_shown() {
    let mut m = asking();
    press(&mut m, "a 3 r m");
    let mut later = m.profile.snapshot.clone();
    later.at = now() + SignedDuration::from_secs(5);
    other_choices(later.states.get_mut(&SessionId::new("id-infra")).unwrap());
    clock(&mut m, 5_000);
    update(&mut m, Msg::Snapshot(Box::new(later)));
    clock(&mut m, 6_000);
    assert_eq!(sent(&press(&mut m, "3 enter")), None);
    assert!(shown(&m).contains("the answer is empty"), "{}", shown(&m));
}

#[test]
fn what_is_typed_after_a_question_is_gone_is_no_command() {
    let mut m = model(FULL, (100, 30));
    press(&mut m, "a");
    clock(&mut m, 5_000);
    state(&mut m, 5_000, |s| s.dialog = None);
    assert_eq!(press(&mut m, "a d d enter"), []);
    assert!(shown(&m).contains("it's no longer asking"), "{}", shown(&m));
    press(&mut m, "esc");
    assert!(m.dialogs.is_empty());
}

#[test]
fn after_an_answer_the_next_one_that_asks_is_selected() {
    let done = |m: &mut Model, again| {
        let id = SessionId::new("id-infra");
        update(m, Msg::Done(Done::Answered(id, "answered infra: 1 Yes".into(), again)));
        m.session().unwrap().title.clone()
    };
    let mut m = asking();
    assert_eq!(sent(&press(&mut m, "a 1")), Some(("id-infra", &Pick::Number(1))));
    assert_eq!(done(&mut m, false), "api");
    let mut m = asking();
    press(&mut m, "a 1");
    assert_eq!(done(&mut m, true), "infra", "its next question");
    let mut m = asking();
    press(&mut m, "a 1 G");
    assert_eq!(done(&mut m, false), "docs", "who went elsewhere stays there");
    let mut m = asking();
    press(&mut m, "a 1 D");
    assert_eq!(done(&mut m, false), "infra", "who reads what changed goes on with that");
    assert!(m.diff().is_some());
    let mut m = asking();
    m.app.settings = Arc::new(Settings { answer_advance: false, ..settings() });
    press(&mut m, "a 1");
    assert_eq!(done(&mut m, false), "infra");
}

#[test]
fn long_choices_are_wrapped_and_the_question_can_be_read() {
    for size in [(40, 12), (80, 24), (120, 36), (200, 50)] {
        let mut first = snapshot(FULL);
        let state = first.states.get_mut(&SessionId::new("id-api")).unwrap();
        state.verdict.asks = Some(format!("Bash: {}", "cargo run --example long ".repeat(9)));
        let labels = [
            "Yes, and always allow access to /home/me/src/backend/a-folder-with-a-very-long-name-that-goes-on-and-on-and-on-without-a-blank/ from this project",
            "Yes, and don't ask again for cargo run commands in /home/me/src/backend and everything below it",
        ];
        for (choice, label) in state.dialog.as_mut().unwrap().choices.iter_mut().zip(labels) {
            choice.label = label.into();
        }
        let mut m = model(FULL, size);
        update(&mut m, Msg::Snapshot(Box::new(first)));
        clock(&mut m, 4_500);
        clock(&mut m, 5_000);
        press(&mut m, "a");
        insta::assert_snapshot!(format!("long-answer-{}x{}", size.0, size.1), shown(&m));
    }
}

#[test]
fn on_a_group_the_first_of_its_sessions_that_asks_is_answered() {
    let mut m = model(FULL, (100, 30));
    press(&mut m, "g g j");
    assert_eq!(m.group().map(ToString::to_string).as_deref(), Some("backend"));
    press(&mut m, "a");
    assert!(shown(&m).contains("api asks"), "{}", shown(&m));
    press(&mut m, "esc G k k k");
    assert_eq!(m.group().map(ToString::to_string).as_deref(), Some("experiments"));
    press(&mut m, "a");
    let words = "answer: no question to answer in this group";
    assert!(shown(&m).contains(words), "{}", shown(&m));
}

#[test]
fn why_there_is_nothing_to_answer() {
    let mut m = model(FULL, (100, 30));
    let said = |m: &mut Model| {
        press(m, "a");
        let screen = shown(m);
        screen.lines().last().unwrap().trim_matches(['"', ' ']).rsplit("answer: ").next().unwrap().to_owned()
    };
    // It asks in a way that can't be read.
    state(&mut m, 5_000, |s| s.dialog = None);
    assert_eq!(said(&mut m), "api asks on its screen only; enter attaches");
    press(&mut m, "j");
    assert_eq!(said(&mut m), "billing asks nothing right now");
    press(&mut m, "G k k k");
    assert_eq!(said(&mut m), "no question to answer in this group");
}

#[test]
fn the_next_question_clears_no_filter_that_hides_it() {
    let mut m = asking();
    press(&mut m, "/ i n f r a enter a 1");
    update(&mut m, Msg::Done(Done::Answered(SessionId::new("id-infra"), "answered".into(), false)));
    assert_eq!((m.view.filter.words.as_str(), m.session().unwrap().title.as_str()), ("infra", "infra"));
}

#[test]
fn an_answer_that_was_not_taken_is_kept() {
    let mut m = asking();
    press(&mut m, "a 3 h e y enter");
    let id = SessionId::new("id-infra");
    let failed = Done::NotSent(id.clone(), "hey".into(), "the question changed; nothing was sent".into());
    update(&mut m, Msg::Done(failed));
    assert_eq!(m.app.drafts.get(&vec![id.clone()]).map(String::as_str), Some("hey"));
    assert!(m.profile.questions.rests(&id).is_none(), "it can be answered again");
    // A draft that was there is not replaced.
    m.app.keep_draft(vec![id.clone()], "other".into());
    update(&mut m, Msg::Done(Done::NotSent(id.clone(), "hey".into(), "it failed".into())));
    assert_eq!(m.app.drafts.get(&vec![id]).map(String::as_str), Some("other"));
    assert_eq!(m.app.sent, ["hey"]);
}

/// infra asks `[y/n]`.
fn prompted() -> Model {
    let mut m = asking();
    let mut later = m.profile.snapshot.clone();
    let dialog = later.states.get_mut(&SessionId::new("id-infra")).unwrap().dialog.as_mut().unwrap();
    dialog.takes_text = true;
    dialog.choices.truncate(2);
    dialog.choices.iter_mut().zip(["y", "n"]).for_each(|(c, label)| {
        (c.label, c.is_text) = (label.into(), false);
    });
    update(&mut m, Msg::Snapshot(Box::new(later)));
    clock(&mut m, 4_500);
    clock(&mut m, 5_000);
    m
}

#[test]
fn in_a_prompt_a_click_on_a_choice_takes_it_and_a_text_takes_none() {
    let mut m = prompted();
    press(&mut m, "a");
    let selected = |m: &Model| shown(m).lines().any(|l| l.contains("▌ n") || l.contains("▌ y"));
    assert!(selected(&m), "{}", shown(&m));
    press(&mut m, "z");
    assert!(!selected(&m), "Enter sends the text\n{}", shown(&m));
    let lines = shown(&m);
    let row = lines.lines().position(|l| l.trim_end_matches(['"', ' ', '│']).ends_with(" n")).unwrap();
    let line = lines.lines().nth(row).unwrap();
    let column = line.chars().rev().position(|c| c == 'n').map(|at| line.chars().count() - at - 2).unwrap();
    let (column, row) = (u16::try_from(column).unwrap(), u16::try_from(row).unwrap());
    let effects = update(&mut m, Msg::Mouse(Mouse { kind: MouseKind::Press, column, row }));
    assert_eq!(sent(&effects), Some(("id-infra", &Pick::Number(2))), "{lines}");
}
