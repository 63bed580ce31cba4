//! Sending to agents of every kind, at every moment.

use std::sync::Arc;

use super::world::World;
use super::*;
use crate::domain::conversation::Digest;
use crate::ports::fake::{Composer, FakeReports, Frame, Input};

const DIALOG: &str = "Proceed?\n❯ 1. Yes\n  2. No\n";

fn key(name: &str) -> Input {
    Input::Key(name.into())
}

fn paste(text: &str) -> Input {
    Input::Paste(text.into())
}

fn dot() -> Input {
    Input::Text(".".into())
}

/// One that works on what it is given.
fn worker() -> Composer {
    Composer::new(|_| vec![Frame::at(50, "working\n> \n")])
}

/// One that does nothing with it: Enter is lost.
fn lost() -> Composer {
    Composer::new(|_| Vec::new())
}

fn with(unsent: Unsent) -> SendOptions {
    SendOptions { unsent, ..SendOptions::default() }
}

fn sent(w: &World, id: &SessionId) -> OpResult<Receipt> {
    send(&w.cx, id, "hi", SendOptions::default())
}

#[test]
fn a_message_in_an_empty_field_is_delivered() {
    let w = World::new();
    let id = w.composing(worker());
    assert_eq!(sent(&w, &id).unwrap(), Receipt::Delivered);
    assert_eq!(w.mux.typed(), [paste("hi"), key("Enter")]);
    let tagged = w.mux.tagged.lock().unwrap();
    assert!(tagged.iter().any(|(_, t)| t.name == TagName::Acknowledged), "the sender knows what was there");
}

#[test]
fn without_enter_it_is_only_pasted() {
    let w = World::new();
    let id = w.composing(worker());
    let options = SendOptions { enter: false, ..SendOptions::default() };
    assert_eq!(send(&w.cx, &id, "hi", options).unwrap(), Receipt::NotConfirmed);
    assert_eq!(w.mux.typed(), [paste("hi")]);
}

#[test]
fn what_is_half_typed_is_never_sent_along() {
    let w = World::new();
    let id = w.composing(worker().holding("half"));
    assert!(matches!(sent(&w, &id), Err(OpError::Unsent { text, .. }) if text == "half"));
    assert_eq!(w.mux.typed(), []);
}

#[test]
fn a_message_that_is_just_leaving_the_field_is_waited_for() {
    let w = World::new();
    let id = w.running("composer", &Composer::screen("just sent"), worker());
    w.mux.play("a", vec![Frame::at(400, Composer::screen(""))], worker());
    assert_eq!(sent(&w, &id).unwrap(), Receipt::Delivered);
}

#[test]
fn what_is_half_typed_is_replaced_or_added_to_if_that_is_asked_for() {
    let w = World::new();
    let given = Arc::new(std::sync::Mutex::new(String::new()));
    let agent = |held: &str| {
        let given = given.clone();
        let take = move |text: &str| {
            *given.lock().unwrap() = text.to_owned();
            vec![Frame::at(50, "working\n> \n")]
        };
        Composer::new(take).holding(held)
    };
    let id = w.composing(agent("half "));
    assert_eq!(send(&w.cx, &id, "hi", with(Unsent::Append)).unwrap(), Receipt::Delivered);
    assert_eq!(*given.lock().unwrap(), "half hi");
    w.mux.play("a", vec![Frame::at(0, Composer::screen("half"))], agent("half"));
    assert_eq!(send(&w.cx, &id, "hi", with(Unsent::Replace)).unwrap(), Receipt::Delivered);
    assert_eq!(*given.lock().unwrap(), "hi");
}

#[test]
fn a_field_that_does_not_become_empty_is_not_sent_to() {
    let w = World::new();
    let id = w.running("composer", &Composer::screen("stuck"), |_: &Input| Vec::new());
    let error = send(&w.cx, &id, "hi", with(Unsent::Replace)).unwrap_err();
    assert!(matches!(error, OpError::Unsent { text, .. } if text == "stuck"));
    assert!(!w.mux.typed().contains(&paste("hi")));
}

#[test]
fn a_question_is_not_answered_by_a_message() {
    let w = World::new();
    let id = w.running("composer", DIALOG, worker());
    assert!(matches!(sent(&w, &id), Err(OpError::Blocked { has_choices: true, .. })));
    assert_eq!(w.mux.typed(), []);
    let options = SendOptions { force: true, ..SendOptions::default() };
    send(&w.cx, &id, "hi", options).unwrap();
    assert_eq!(w.mux.typed(), [paste("hi"), key("Enter")], "unless that is asked for");
}

#[test]
fn a_question_that_opens_before_enter_is_not_answered_by_it() {
    let w = World::new();
    // What is pasted is drawn; while that is looked at, the agent asks.
    let agent = |input: &Input| match input {
        Input::Paste(text) => vec![Frame::at(10, Composer::screen(text)), Frame::at(250, DIALOG)],
        _ => vec![Frame::at(10, "answered\n> \n")],
    };
    let id = w.running("composer", &Composer::screen(""), agent);
    let error = sent(&w, &id).unwrap_err();
    // The dialog hides the field: of that nothing is known, and it would take the keys that clear it.
    assert!(matches!(&error, OpError::TypedOnly { error, .. } if matches!(**error, OpError::Blocked { .. })));
    assert!(error.to_string().ends_with("the message was not sent, but may be typed in \"a\""), "{error}");
    assert_eq!(w.mux.typed(), [paste("hi")]);
}

#[test]
fn a_paste_that_goes_nowhere_is_not_followed_by_enter() {
    let w = World::new();
    let id = w.composing(worker().deaf(1));
    assert_eq!(sent(&w, &id).unwrap(), Receipt::NotConfirmed);
    assert_eq!(w.mux.typed(), [paste("hi")]);
}

#[test]
fn an_enter_that_is_lost_is_pressed_again() {
    let w = World::new();
    let mut presses = 0;
    let agent = Composer::new(move |_| {
        presses += 1;
        if presses < 3 { Vec::new() } else { vec![Frame::at(50, "working\n> \n")] }
    });
    let id = w.composing(agent);
    assert_eq!(sent(&w, &id).unwrap(), Receipt::Delivered);
    assert_eq!(w.mux.typed(), [paste("hi"), key("Enter"), key("Enter"), key("Enter")]);
}

#[test]
fn what_stays_in_the_field_is_never_confirmed() {
    let w = World::new();
    let id = w.composing(lost());
    w.cx.change_session(&id, |s| s.draft = Some("first".into())).unwrap();
    let begun = w.cx.clock.now();
    assert_eq!(sent(&w, &id).unwrap(), Receipt::NotConfirmed);
    assert_eq!(w.mux.typed().iter().filter(|i| **i == key("Enter")).count(), 4, "one, and three more");
    let took = w.cx.clock.now().duration_since(begun);
    assert!((5..8).contains(&took.as_secs()), "it is waited for as long as the tool says: {took:?}");
    assert_eq!(w.cx.session(&id).unwrap().draft.as_deref(), Some("first"), "it still has no prompt");
}

#[test]
fn a_first_prompt_is_waited_with_no_longer_once_the_agent_has_one() {
    let w = World::new();
    let id = w.composing(worker());
    w.cx.change_session(&id, |s| s.draft = Some("first".into())).unwrap();
    assert_eq!(sent(&w, &id).unwrap(), Receipt::Delivered);
    assert_eq!(w.cx.session(&id).unwrap().draft, None);
}

#[test]
fn a_busy_agent_has_it_queued() {
    let w = World::new();
    // It keeps working; what it is given leaves its field.
    let agent = |input: &Input| match input {
        Input::Paste(text) => vec![Frame::at(10, format!("working\n> {text}\n"))],
        _ => vec![Frame::at(10, "working\n> \n")],
    };
    let id = w.running("composer", "working\n> \n", agent);
    assert_eq!(sent(&w, &id).unwrap(), Receipt::Queued);
}

#[test]
fn a_question_that_follows_is_a_sign_that_it_arrived() {
    let w = World::new();
    let id = w.composing(Composer::new(|_| vec![Frame::at(300, DIALOG)]));
    assert_eq!(sent(&w, &id).unwrap(), Receipt::Delivered);
}

#[test]
fn a_command_of_the_agents_own_counts_as_taken_when_it_left_the_field_for_good() {
    let w = World::new();
    let id = w.composing(Composer::new(|_| vec![Frame::at(50, Composer::screen(""))]));
    // It has a conversation, which a command does not reach.
    *w.reports.1.lock().unwrap() = Some(Digest { bytes: Some(1), ..Digest::default() });
    assert_eq!(send(&w.cx, &id, "/clear", SendOptions::default()).unwrap(), Receipt::Delivered);
    assert_eq!(sent(&w, &id).unwrap(), Receipt::NotConfirmed, "a message does");
}

#[test]
fn a_turn_that_is_over_at_once_is_seen_in_the_conversation() {
    let w = World::new();
    *w.reports.1.lock().unwrap() = Some(Digest { bytes: Some(1), ..Digest::default() });
    let reports: Arc<FakeReports> = w.reports.clone();
    let agent = Composer::new(move |text| {
        let prompt = Some(text.to_owned());
        *reports.1.lock().unwrap() =
            Some(Digest { bytes: Some(2), last_prompt: prompt, ..Digest::default() });
        vec![Frame::at(50, Composer::screen(""))]
    });
    let id = w.composing(agent);
    assert_eq!(sent(&w, &id).unwrap(), Receipt::Delivered);
}

#[test]
fn a_conversation_that_could_not_be_read_before_counts_only_with_this_very_message() {
    for (last, receipt) in [
        (None, Receipt::NotConfirmed),
        (Some("older"), Receipt::NotConfirmed),
        (Some("h i"), Receipt::Delivered),
    ] {
        let w = World::new();
        let reports: Arc<FakeReports> = w.reports.clone();
        // It is too busy to answer until then, and draws its field anew without what was typed.
        let agent = Composer::new(move |_| {
            *reports.1.lock().unwrap() =
                Some(Digest { bytes: Some(2), last_prompt: last.map(str::to_owned), ..Digest::default() });
            vec![Frame::at(50, Composer::screen(""))]
        });
        let id = w.composing(agent);
        assert_eq!(sent(&w, &id).unwrap(), receipt, "{last:?}");
    }
}

#[test]
fn an_agent_that_was_just_started_is_given_nothing_before_it_takes_input() {
    let w = World::new();
    let new = New { command: Some("composer".into()), ..w.new_session("a") };
    let id = create(&w.cx, &new).unwrap().session.id;
    let begun = w.cx.clock.now();
    // Its field is drawn after seven seconds, and the first dot is lost.
    w.mux.play("a", vec![Frame::at(7_000, Composer::screen(""))], worker().deaf(1));
    assert_eq!(paste_when_ready(&w.cx, &id, "hi", SendOptions::default()).unwrap(), Receipt::Delivered);
    assert_eq!(w.mux.typed(), [dot(), dot(), key("BSpace"), paste("hi"), key("Enter")]);
    assert!(w.cx.clock.now().duration_since(begun).as_secs() >= 7);
}

#[test]
fn an_agent_whose_screen_stays_blank_for_long_is_waited_for() {
    let w = World::new();
    let new = New { command: Some("composer".into()), ..w.new_session("a") };
    let id = create(&w.cx, &new).unwrap().session.id;
    let begun = w.cx.clock.now();
    w.mux.play("a", vec![Frame::at(40_000, Composer::screen(""))], worker());
    assert_eq!(sent(&w, &id).unwrap(), Receipt::Delivered);
    assert_eq!(w.mux.typed(), [dot(), key("BSpace"), paste("hi"), key("Enter")]);
    assert!(w.cx.clock.now().duration_since(begun).as_secs() >= 40);
}

#[test]
fn an_agent_that_never_shows_its_field_is_typed_nothing() {
    for screen in ["", "Log in with your browser\n"] {
        let w = World::new();
        let new = New { command: Some("composer".into()), ..w.new_session("a") };
        let id = create(&w.cx, &new).unwrap().session.id;
        w.mux.play("a", vec![Frame::at(0, screen)], worker());
        assert!(matches!(sent(&w, &id), Err(OpError::NotReady(_))), "{screen:?}");
        assert_eq!(w.mux.typed(), [], "{screen:?}");
    }
}

#[test]
fn no_enter_goes_to_a_screen_that_became_blank() {
    let w = World::new();
    let agent = |input: &Input| match input {
        Input::Paste(_) => vec![Frame::at(10, "")],
        _ => vec![Frame::at(10, "working\n> \n")],
    };
    let id = w.running("composer", &Composer::screen(""), agent);
    assert_eq!(sent(&w, &id).unwrap(), Receipt::NotConfirmed);
    assert_eq!(w.mux.typed(), [paste("hi")]);
}

#[test]
fn a_field_with_the_cursor_above_its_end_is_cleared_and_added_to_as_a_whole() {
    for (unsent, wanted) in [(Unsent::Replace, "hi"), (Unsent::Append, "one\ntwo\nthreehi")] {
        let w = World::new();
        let given = Arc::new(std::sync::Mutex::new(String::new()));
        let note = given.clone();
        let take = move |text: &str| {
            *note.lock().unwrap() = text.to_owned();
            vec![Frame::at(50, "working\n> \n")]
        };
        let id = w.composing(Composer::new(take).holding("one\ntwo\nthree").cursor(1));
        assert_eq!(send(&w.cx, &id, "hi", with(unsent)).unwrap(), Receipt::Delivered);
        assert_eq!(*given.lock().unwrap(), wanted);
    }
}

#[test]
fn late_dots_are_deleted_too() {
    let w = World::new();
    let new = New { command: Some("composer".into()), ..w.new_session("a") };
    let id = create(&w.cx, &new).unwrap().session.id;
    w.mux.play("a", vec![Frame::at(0, Composer::screen(""))], worker().slow(1));
    w.clock.pass(30);
    assert_eq!(sent(&w, &id).unwrap(), Receipt::Delivered);
    let typed = [dot(), dot(), key("BSpace"), key("BSpace"), paste("hi"), key("Enter")];
    assert_eq!(w.mux.typed(), typed);
}

#[test]
fn an_agent_that_was_just_started_and_takes_no_input_is_sent_nothing() {
    let w = World::new();
    let new = New { command: Some("composer".into()), ..w.new_session("a") };
    let id = create(&w.cx, &new).unwrap().session.id;
    w.mux.play("a", vec![Frame::at(0, Composer::screen(""))], |_: &Input| Vec::new());
    w.clock.pass(30);
    assert!(matches!(sent(&w, &id), Err(OpError::NotReady(_))));
    assert_eq!(w.mux.typed(), [dot(), dot(), dot(), dot()]);
    // Somebody types into it just then.
    let agent =
        |_: &Input| vec![Frame::at(10, Composer::screen("me.")), Frame::at(20, Composer::screen("me too"))];
    w.mux.play("a", vec![Frame::at(0, Composer::screen(""))], agent);
    assert!(matches!(sent(&w, &id), Err(OpError::NotReady(_))));
    assert!(!w.mux.typed().contains(&paste("hi")));
}

#[test]
fn a_question_that_opens_at_the_probe_is_not_answered() {
    let w = World::new();
    let new = New { command: Some("composer".into()), ..w.new_session("a") };
    let id = create(&w.cx, &new).unwrap().session.id;
    // It hides the field: of that nothing is known any more.
    w.mux.play("a", vec![Frame::at(0, Composer::screen(""))], |_: &Input| vec![Frame::at(10, DIALOG)]);
    w.clock.pass(30);
    assert!(matches!(sent(&w, &id), Err(OpError::Blocked { .. })));
    assert_eq!(w.mux.typed(), [dot()]);
}

#[test]
fn an_agent_that_has_a_conversation_is_not_probed() {
    let w = World::new();
    let new = New { command: Some("composer".into()), ..w.new_session("a") };
    let id = create(&w.cx, &new).unwrap().session.id;
    w.mux.play("a", vec![Frame::at(0, Composer::screen(""))], worker());
    *w.reports.1.lock().unwrap() = Some(Digest { last_prompt: Some("before".into()), ..Digest::default() });
    w.clock.pass(30);
    assert_eq!(sent(&w, &id).unwrap(), Receipt::Delivered);
    assert_eq!(w.mux.typed(), [paste("hi"), key("Enter")]);
}

#[test]
fn of_a_program_that_reads_lines_an_answer_below_the_line_is_seen() {
    let w = World::new();
    let agent = |input: &Input| match input {
        Input::Paste(text) => vec![Frame::at(10, format!("? {text}\n")).cursor(4, 0)],
        _ => vec![Frame::at(10, "? hi\n").cursor(0, 1), Frame::at(200, "? hi\nhello\n? \n").cursor(2, 2)],
    };
    let id = w.running("liner", "? \n", agent);
    assert_eq!(sent(&w, &id).unwrap(), Receipt::Delivered);
    assert_eq!(w.mux.typed(), [paste("hi"), key("Enter")], "a second Enter would be a second line");
}

#[test]
fn of_a_program_that_reads_lines_and_writes_nothing_nothing_is_confirmed() {
    let w = World::new();
    let agent = |input: &Input| match input {
        Input::Paste(text) => vec![Frame::at(10, format!("? {text}\n")).cursor(4, 0)],
        _ => vec![Frame::at(10, "? hi\n").cursor(0, 1)],
    };
    let id = w.running("liner", "? \n", agent);
    assert_eq!(sent(&w, &id).unwrap(), Receipt::NotConfirmed);
    assert_eq!(w.mux.typed(), [paste("hi"), key("Enter")]);
}

#[test]
fn a_field_that_can_not_be_read_is_cleared_by_its_key() {
    let w = World::new();
    let agent = |input: &Input| match input {
        Input::Paste(text) => vec![Frame::at(10, format!("? {text}\n")).cursor(4, 0)],
        _ => vec![Frame::at(10, "? \n").cursor(2, 0)],
    };
    let id = w.running("liner", "? old\n", agent);
    send(&w.cx, &id, "hi", with(Unsent::Replace)).unwrap();
    assert_eq!(w.mux.typed(), [key("C-u"), paste("hi"), key("Enter")]);
}

#[test]
fn one_message_at_a_time_and_only_to_who_is_there() {
    let w = World::new();
    let id = w.composing(worker());
    *w.host.locked.lock().unwrap() = true;
    assert!(matches!(sent(&w, &id), Err(OpError::Sending(_))));
    *w.host.locked.lock().unwrap() = false;
    w.mux.change("a", |s| s.dead = Some(Exit::Code(0)));
    assert!(matches!(sent(&w, &id), Err(OpError::NotRunning(_))));
    assert!(matches!(sent(&w, &SessionId::new("none")), Err(OpError::Missing(_))));
    assert_eq!(w.mux.typed(), []);
}

#[test]
fn an_agent_on_a_server_that_does_not_answer_is_sent_nothing() {
    let w = World::new();
    let id = w.composing(worker());
    w.mux.silent.lock().unwrap().insert(w.cx.installation.socket.clone());
    assert!(matches!(sent(&w, &id), Err(OpError::Mux(crate::ports::MuxError::Unreached { .. }))));
    assert_eq!(w.mux.typed(), []);
}

#[test]
fn keys_are_pressed_by_their_names_all_or_none() {
    let w = World::new();
    let id = w.composing(worker());
    let keys = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
    assert!(matches!(press(&w.cx, &id, &keys(&["enter", "no such key"])), Err(OpError::NoKey(_))));
    assert_eq!(w.mux.typed(), []);
    press(&w.cx, &id, &keys(&["esc", "enter"])).unwrap();
    assert_eq!(w.mux.typed(), [key("Escape"), key("Enter")]);
    w.mux.change("a", |s| s.dead = Some(Exit::Code(0)));
    assert!(matches!(press(&w.cx, &id, &keys(&["enter"])), Err(OpError::NotRunning(_))));
}
