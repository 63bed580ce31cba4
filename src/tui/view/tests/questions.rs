//! Answering in the TUI: a key answers the question that was shown, and no other.

use super::*;

fn answers(effects: &[Effect]) -> usize {
    effects.iter().filter(|e| matches!(e, Effect::Answer(..))).count()
}

fn clock(m: &mut Model, millis: i64) {
    update(m, Msg::Clock(now() + SignedDuration::from_millis(millis)));
}

/// The sessions as they are seen later, with api's question changed.
fn state(m: &mut Model, millis: i64, change: impl FnOnce(&mut SessionState)) {
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
    let words = "answer: no session in this group is asking a question with choices";
    assert!(shown(&m).contains(words), "{}", shown(&m));
}
