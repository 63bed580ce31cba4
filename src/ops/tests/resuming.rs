//! Starting sessions again: which conversation they continue, and whether their agents do.

use std::sync::Arc;

use super::world::World;
use super::*;
use crate::domain::session::IdSource;
use crate::domain::tool::{ResumeKind, Tool};
use crate::ports::fake::{FakeTools, Frame, Input};

/// A tool whose conversations have files.
fn filed(resume: ResumeKind) -> Tool {
    Tool {
        name: "filed".into(),
        command: "filed".into(),
        resume: Some(resume),
        new_id_flag: Some("--id".into()),
        resume_flag: Some("--resume".into()),
        conversation_files: vec!["/c/{id}".into()],
        ..Tool::default()
    }
}

/// A stopped session of that tool with this conversation.
fn stopped(resume: ResumeKind, conversation: Option<&str>, used: bool) -> (World, SessionId) {
    let mut w = World::new();
    w.cx.tools = Arc::new(FakeTools::of(vec![filed(resume)]));
    let new = New { command: Some("filed".into()), start: false, ..w.new_session("a") };
    let id = create(&w.cx, &new).unwrap().session.id;
    let now = w.cx.clock.now();
    w.cx.change_session(&id, |s| {
        if let Some(conversation) = conversation {
            s.resume.record(conversation, IdSource::Reported, now);
        }
        s.resume.used = used;
    })
    .unwrap();
    (w, id)
}

fn started(w: &World, id: &SessionId, fresh: bool) -> OpResult<String> {
    start(&w.cx, id, fresh, None).map(|l| l.plan.command_line())
}

fn nothing_was_made(w: &World) {
    assert!(w.mux.sessions.lock().unwrap().is_empty());
}

#[test]
fn a_conversation_is_resumed_by_its_id() {
    let (w, id) = stopped(ResumeKind::Minted, Some("kept-1"), true);
    assert!(started(&w, &id, false).unwrap().contains("--resume kept-1"));
}

#[test]
fn a_conversation_that_is_gone_is_not_silently_begun_again() {
    for kind in [ResumeKind::Minted, ResumeKind::Hook] {
        let (w, id) = stopped(kind, Some("kept-1"), true);
        *w.host.no_files.lock().unwrap() = true;
        assert!(
            matches!(started(&w, &id, false), Err(OpError::ConversationMissing { id, .. }) if id == "kept-1")
        );
        nothing_was_made(&w);
        assert!(!started(&w, &id, true).unwrap().contains("kept-1"), "unless that is asked for");
        let resume = w.cx.session(&id).unwrap().resume;
        assert!(resume.history.iter().any(|o| o.id == "kept-1"), "its id stays in the history");
    }
}

#[test]
fn a_conversation_that_never_began_is_begun_under_its_id() {
    let (w, id) = stopped(ResumeKind::Minted, Some("kept-1"), false);
    *w.host.no_files.lock().unwrap() = true;
    assert!(started(&w, &id, false).unwrap().contains("--id kept-1"));
    // Where deck doesn't make the ids, nothing can be begun under one.
    let (w, id) = stopped(ResumeKind::Hook, Some("kept-1"), false);
    *w.host.no_files.lock().unwrap() = true;
    assert!(matches!(started(&w, &id, false), Err(OpError::ConversationMissing { .. })));
}

#[test]
fn a_conversation_whose_id_is_unknown_is_not_replaced() {
    let (w, id) = stopped(ResumeKind::Hook, None, true);
    assert!(matches!(started(&w, &id, false), Err(OpError::ConversationUnknown(_))));
    nothing_was_made(&w);
    started(&w, &id, true).unwrap();
    let (w, id) = stopped(ResumeKind::Hook, None, false);
    started(&w, &id, false).unwrap();
}

#[test]
fn what_can_be_no_id_is_not_passed_to_an_agent() {
    let (w, id) = stopped(ResumeKind::Minted, None, true);
    // As somebody else may have written it into the file.
    w.cx.change_session(&id, |s| s.resume.id = Some("--print".into())).unwrap();
    assert!(matches!(started(&w, &id, false), Err(OpError::NoConversationId { .. })));
    nothing_was_made(&w);
}

#[test]
fn a_session_whose_tool_is_gone_is_started_as_it_is_recorded() {
    let (mut w, id) = stopped(ResumeKind::Minted, Some("kept-1"), true);
    w.cx.tools = Arc::new(FakeTools::of(Vec::new()));
    w.cx.change_session(&id, |s| s.command = "filed".into()).unwrap();
    assert_eq!(started(&w, &id, false).unwrap(), "filed");
}

#[test]
fn a_conversation_that_another_session_has_open_is_refused() {
    let (w, id) = stopped(ResumeKind::Minted, Some("kept-1"), true);
    let new = New { command: Some("filed".into()), ..w.new_session("b") };
    let other = create(&w.cx, &new).unwrap().session.id;
    let now = w.cx.clock.now();
    w.cx.change_session(&other, |s| assert!(s.resume.record("kept-1", IdSource::Reported, now))).unwrap();
    let refused = |w: &World| match started(w, &id, false) {
        Err(OpError::SameConversation { other, .. }) => other,
        other => panic!("{other:?}"),
    };
    assert_eq!(refused(&w), "b");
    // One of another profile is known by what its session carries.
    w.cx.change_session(&other, |s| s.resume.begin_new()).unwrap();
    w.mux.change("b", |s| {
        s.tags.insert(TagName::ResumeId, "kept-1".into());
        s.tags.insert(TagName::Profile, "work".into());
    });
    assert_eq!(refused(&w), "b (profile work)");
    w.mux.change("b", |s| s.dead = Some(Exit::Code(0)));
    assert!(started(&w, &id, false).unwrap().contains("--resume kept-1"), "what has ended writes no more");
}

/// A session that was just started again, and whose agent plays this.
fn resumed(frames: Vec<Frame>) -> (World, SessionId) {
    let (w, id) = stopped(ResumeKind::Minted, Some("kept-1"), true);
    start(&w.cx, &id, false, None).unwrap();
    w.mux.play("a", frames, |_: &Input| Vec::new());
    (w, id)
}

#[test]
fn an_agent_that_ends_instead_of_resuming_is_reported_with_its_last_words() {
    let shown = "one\ntwo\nthree\n\nfour\nno conversation found\n";
    let (w, id) = resumed(vec![Frame::at(500, shown), Frame::dies(900, Exit::Code(1))]);
    let error = verify_resume_of(&w.cx, &id).unwrap_err();
    let OpError::ResumeDied { session, how, lines } = error else { panic!("{error:?}") };
    assert_eq!((session.title.as_str(), how.as_str()), ("a", "with status 1"));
    assert_eq!(lines, ["two", "three", "four", "no conversation found"]);
    assert_eq!(w.cx.session(&id).unwrap().resume.id.as_deref(), Some("kept-1"), "its id is kept");
    let (w, id) = resumed(vec![Frame::dies(900, Exit::Signal("KILL".into()))]);
    let error = verify_resume_of(&w.cx, &id).unwrap_err();
    assert!(
        matches!(error, OpError::ResumeDied { how, lines, .. } if how == "on signal KILL" && lines.is_empty())
    );
}

#[test]
fn how_it_ended_is_waited_for() {
    let (w, id) = resumed(vec![Frame::dies(300, Exit::NotYetKnown), Frame::dies(900, Exit::Code(3))]);
    let error = verify_resume_of(&w.cx, &id).unwrap_err();
    assert!(matches!(error, OpError::ResumeDied { how, .. } if how == "with status 3"));
}

#[test]
fn an_agent_that_keeps_running_has_resumed() {
    let (w, id) = resumed(vec![Frame::at(500, "welcome back")]);
    let begun = w.cx.clock.now();
    verify_resume_of(&w.cx, &id).unwrap();
    let took = w.cx.clock.now().duration_since(begun).as_secs();
    assert!((2..=4).contains(&took), "it is given three seconds to fail, not {took}");
    // One that ends later is none of this.
    let (w, id) = resumed(vec![Frame::dies(5_000, Exit::Code(1))]);
    verify_resume_of(&w.cx, &id).unwrap();
}

#[test]
fn a_session_that_was_deleted_meanwhile_did_not_fail_to_resume() {
    let (w, _) = resumed(vec![Frame::dies(900, Exit::Code(1))]);
    verify_resume_of(&w.cx, &SessionId::new("none")).unwrap();
}

/// Looks until the status is this one.
fn settles(w: &mut World, id: &SessionId, wanted: &str) {
    let seen: Vec<String> = (0..60).map(|_| w.state(id)).take_while(|s| s != wanted).collect();
    assert!(seen.len() < 60, "{wanted:?} is not in {seen:?}");
}

/// A session that has ended a turn, then was lost with its server and started again; `before` is what its user did before that.
fn lost_after_a_turn(before: impl Fn(&mut World, &SessionId)) -> (World, SessionId) {
    let mut w = World::new();
    let id = w.add("a");
    w.clock.pass(10);
    w.show("a", "working");
    settles(&mut w, &id, "running thinking");
    w.show("a", "$");
    settles(&mut w, &id, "waiting finished");
    before(&mut w, &id);
    w.mux.sessions.lock().unwrap().clear();
    settles(&mut w, &id, "error gone");
    start(&w.cx, &id, false, None).unwrap();
    w.show("a", "the old conversation");
    (w, id)
}

#[test]
fn a_turn_that_nobody_had_seen_is_still_to_be_seen_after_a_loss() {
    let (mut w, id) = lost_after_a_turn(|_, _| {});
    settles(&mut w, &id, "waiting finished");
    // Lost again, and once more before the agent was up.
    for _ in 0..2 {
        w.mux.sessions.lock().unwrap().clear();
        settles(&mut w, &id, "error gone");
        start(&w.cx, &id, false, None).unwrap();
    }
    settles(&mut w, &id, "waiting finished");
    acknowledge(&w.cx, &id).unwrap();
    assert_eq!(w.state(&id), "idle");
}

#[test]
fn a_turn_that_was_seen_is_not_shown_again_after_a_loss() {
    let (mut w, id) = lost_after_a_turn(|w, id| {
        acknowledge(&w.cx, id).unwrap();
        settles(w, id, "idle");
    });
    settles(&mut w, &id, "idle");
}
