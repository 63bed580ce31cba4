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
