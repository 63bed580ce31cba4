//! What is left of something whose caller no longer waits, and what an agent's own report says against a receipt.

use super::world::World;
use super::*;
use crate::domain::status::Turn;
use crate::ports::fake::{Composer, Frame, Input};
use crate::ports::reports::Report;

/// Its screen as soon as it is given something, with the caller gone by then.
fn cancelled_at<F: Fn(&Input) -> bool>(w: &World, when: F) -> impl FnMut(&Input) -> Vec<Frame> + use<F> {
    let cancel = w.cx.cancel.clone();
    let mut typed = String::new();
    move |input| {
        if when(input) {
            cancel.cancel();
        }
        match input {
            Input::Text(text) | Input::Paste(text) => typed.push_str(text),
            Input::Key(key) if key == "C-u" => typed.clear(),
            _ => {}
        }
        vec![Frame::at(10, Composer::screen(&typed))]
    }
}

#[test]
fn a_caller_that_is_gone_waits_for_nothing() {
    let w = World::new();
    w.cx.pause(std::time::Duration::from_secs(1)).unwrap();
    w.cx.cancel.cancel();
    let before = w.clock.now();
    assert!(matches!(w.cx.pause(std::time::Duration::from_secs(1)), Err(OpError::Cancelled)));
    assert_eq!(w.clock.now(), before);
    let id = w.composing(Composer::new(|_| vec![Frame::at(50, "working\n> \n")]));
    assert!(matches!(send(&w.cx, &id, "hi", SendOptions::default()), Err(OpError::Cancelled)));
    assert_eq!(w.mux.typed(), []);
}

#[test]
fn a_message_that_was_typed_for_a_caller_that_is_gone_is_deleted_again() {
    let w = World::new();
    let agent = cancelled_at(&w, |input| matches!(input, Input::Paste(_)));
    let id = w.running("composer", &Composer::screen(""), agent);
    assert!(matches!(send(&w.cx, &id, "hi", SendOptions::default()), Err(OpError::Cancelled)));
    let typed = w.mux.typed();
    assert!(
        typed.contains(&Input::Key("C-u".into())) && !typed.contains(&Input::Key("Enter".into())),
        "{typed:?}"
    );
}

#[test]
fn a_caller_that_is_gone_learns_that_its_message_was_sent() {
    let w = World::new();
    let agent = cancelled_at(&w, |input| *input == Input::Key("Enter".into()));
    let id = w.running("composer", &Composer::screen(""), agent);
    let error = send(&w.cx, &id, "hi", SendOptions::default()).unwrap_err();
    assert!(matches!(error, OpError::CancelledSent(s) if s.title == "a"));
}

#[test]
fn a_message_that_left_the_field_is_not_delivered_if_the_agent_reports_that_nothing_was_said() {
    let w = World::new();
    let id = w.composing(Composer::new(|_| vec![Frame::at(50, Composer::screen(""))]));
    assert_eq!(send(&w.cx, &id, "hi", SendOptions::default()).unwrap(), Receipt::Delivered);
    let nothing_said = Evidence::new(Source::Report, Observation::Ready(Turn::Unmarked), w.clock.now());
    *w.reports.0.lock().unwrap() = Report { evidence: Some(nothing_said), ..Report::default() };
    assert_eq!(send(&w.cx, &id, "hi", SendOptions::default()).unwrap(), Receipt::NotConfirmed);
}

#[test]
fn an_answer_is_completed_for_a_caller_that_is_gone() {
    let w = World::new();
    let cancel = w.cx.cancel.clone();
    let agent = move |_: &Input| {
        cancel.cancel();
        vec![Frame::at(500, "done\n> \n")]
    };
    let id = w.running("composer", "Proceed?\n❯ 1. Yes\n  2. No\n", agent);
    match answer(&w.cx, &id, &Pick::Number(1), None) {
        Ok(_) => {}
        Err(error) => assert!(matches!(error, OpError::CancelledAnswered(_)), "{error}"),
    }
    assert_eq!(w.mux.typed(), [Input::Key("1".into())]);
    let tagged = w.mux.tagged.lock().unwrap();
    assert!(
        tagged.iter().any(|(_, t)| t.name == TagName::Answered),
        "what was reported of it counts no more"
    );
}

#[test]
fn nothing_is_begun_for_a_caller_that_is_gone() {
    let w = World::new();
    let id = w.composing(Composer::new(|_| vec![Frame::at(50, "working\n> \n")]));
    w.cx.cancel.cancel();
    assert!(matches!(restart(&w.cx, &id, false), Err(OpError::Cancelled)));
    let ends = std::sync::Mutex::new(Vec::new());
    revive(&w.cx, &[id], |_, became| ends.lock().unwrap().push(became));
    let ends = ends.into_inner().unwrap();
    assert!(matches!(ends[..], [Revived::Failed(OpError::Cancelled)]), "{ends:?}");
}

#[test]
fn what_somebody_else_typed_is_not_deleted_with_the_message() {
    let w = World::new();
    let cancel = w.cx.cancel.clone();
    let agent = move |input: &Input| match input {
        Input::Paste(_) => {
            cancel.cancel();
            vec![Frame::at(10, Composer::screen("half hi"))]
        }
        _ => Vec::new(),
    };
    let id = w.running("composer", &Composer::screen("half"), agent);
    let options = SendOptions { unsent: Unsent::Append, ..SendOptions::default() };
    let error = send(&w.cx, &id, "hi", options).unwrap_err();
    assert!(matches!(error, OpError::CancelledTyped(_)), "{error}");
    assert_eq!(w.mux.typed(), [Input::Key("C-e".into()), Input::Paste("hi".into())]);
}

#[test]
fn a_message_that_is_drawn_late_is_deleted_for_a_caller_that_is_gone() {
    let w = World::new();
    let cancel = w.cx.cancel.clone();
    let agent = move |input: &Input| match input {
        Input::Paste(_) => {
            cancel.cancel();
            vec![Frame::at(2_000, Composer::screen("hi"))]
        }
        _ => vec![Frame::at(10, Composer::screen(""))],
    };
    let id = w.running("composer", &Composer::screen(""), agent);
    let error = send(&w.cx, &id, "hi", SendOptions::default()).unwrap_err();
    assert!(matches!(error, OpError::Cancelled), "{error}");
    let typed = w.mux.typed();
    assert!(
        typed.contains(&Input::Key("C-u".into())) && !typed.contains(&Input::Key("Enter".into())),
        "{typed:?}"
    );
}

#[test]
fn a_message_that_was_never_seen_may_be_typed() {
    let w = World::new();
    let cancel = w.cx.cancel.clone();
    let agent = move |_: &Input| {
        cancel.cancel();
        Vec::new()
    };
    let id = w.running("composer", &Composer::screen(""), agent);
    let error = send(&w.cx, &id, "hi", SendOptions::default()).unwrap_err();
    assert!(matches!(error, OpError::CancelledTyped(_)), "{error}");
    assert_eq!(w.mux.typed(), [Input::Paste("hi".into())]);
}

#[test]
fn a_message_that_can_not_be_sent_is_deleted_again() {
    let w = World::new();
    let mux = w.mux.clone();
    let agent = move |input: &Input| match input {
        Input::Paste(text) => {
            // From now on it lists no panes.
            mux.hangs.lock().unwrap().1 = true;
            vec![Frame::at(10, Composer::screen(text))]
        }
        _ => vec![Frame::at(10, Composer::screen(""))],
    };
    let id = w.running("composer", &Composer::screen(""), agent);
    let error = send(&w.cx, &id, "hi", SendOptions::default()).unwrap_err();
    assert!(matches!(error, OpError::Mux(_)), "{error}");
    let typed = w.mux.typed();
    assert!(typed.contains(&Input::Key("C-u".into())), "{typed:?}");
}

/// A session that was just started, whose agent has just drawn its field.
fn just_started(w: &World, agent: impl FnMut(&Input) -> Vec<Frame> + Send + 'static) -> SessionId {
    let new = New { command: Some("composer".into()), ..w.new_session("a") };
    let id = create(&w.cx, &new).unwrap().session.id;
    w.mux.play("a", vec![Frame::at(0, Composer::screen(""))], agent);
    w.clock.pass(30);
    id
}

#[test]
fn an_agent_is_not_checked_for_a_caller_that_is_gone() {
    let w = World::new();
    let cancel = w.cx.cancel.clone();
    let id = just_started(&w, move |_: &Input| {
        cancel.cancel();
        Vec::new()
    });
    let error = send(&w.cx, &id, "hi", SendOptions::default()).unwrap_err();
    assert!(matches!(error, OpError::CancelledProbe(_)), "{error}");
    assert_eq!(w.mux.typed(), [Input::Text(".".into())]);
}

#[test]
fn the_dot_that_checks_an_agent_is_deleted_for_a_caller_that_is_gone() {
    let w = World::new();
    let cancel = w.cx.cancel.clone();
    let id = just_started(&w, move |input: &Input| match input {
        Input::Text(_) => {
            cancel.cancel();
            vec![Frame::at(1_000, Composer::screen("."))]
        }
        _ => vec![Frame::at(10, Composer::screen(""))],
    });
    let error = send(&w.cx, &id, "hi", SendOptions::default()).unwrap_err();
    assert!(matches!(error, OpError::Cancelled), "{error}");
    assert_eq!(w.mux.typed(), [Input::Text(".".into()), Input::Key("BSpace".into())]);
}
