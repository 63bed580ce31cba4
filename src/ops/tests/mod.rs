//! The use cases on fakes: what is written, what is asked of the multiplexer, what is answered.

mod adopting;
mod answering;
mod cancelling;
mod glancing;
mod guarding;
mod mcp_servers;
mod observing;
mod placing;
mod resuming;
mod sending;
mod shells;
mod undoing;
mod world;

use super::*;
use crate::domain::group::GroupPath;
use crate::domain::hint::Hint;
use crate::domain::id::SessionId;
use crate::domain::session::DesiredState;
use crate::domain::status::{BusyKind, Evidence, Exit, Observation, Source, Status};
use crate::ports::mux::TagName;
use crate::ports::reports::Report;
use crate::ports::{Clock, Store};
use world::World;

#[test]
fn a_question_is_answered_only_as_it_was_shown() {
    let mut w = World::new();
    let new = New { command: Some("asker".into()), ..w.new_session("a") };
    let id = create(&w.cx, &new).unwrap().session.id;
    w.state(&id);
    w.clock.pass(10);
    w.show("a", "Proceed?\n❯ 1. Yes\n  2. No\n");
    assert_eq!(w.state(&id), "waiting permission");
    let snapshot = Watcher::new().tick(&w.cx).unwrap();
    let shown = Question::of(snapshot.state(&id).unwrap()).unwrap();
    // The same choices for something else.
    let other = Question { asks: Some("Bash: rm -rf ~".into()), ..shown.clone() };
    let pick = Pick::Number(1);
    assert!(matches!(answer(&w.cx, &id, &pick, Some(&other)), Err(OpError::DialogChanged(_))));
    // This one is pressed; the stand-in takes no key.
    assert!(matches!(answer(&w.cx, &id, &pick, Some(&shown)), Err(OpError::NotTaken { .. })));
}

#[test]
fn the_intent_is_written_before_the_multiplexer_is_asked() {
    let w = World::new();
    *w.mux.refuse.lock().unwrap() = true;
    let new = New { start: false, ..w.new_session("a") };
    let id = create(&w.cx, &new).unwrap().session.id;
    assert!(start(&w.cx, &id, false, None).is_err());
    let session = w.cx.session(&id).unwrap();
    assert_eq!(session.wanted, DesiredState::Stopped, "the record says that nothing runs");
    assert!(session.launched_at.is_some() && session.resume.id.is_some(), "it was written first");
}

#[test]
fn a_new_session_that_is_refused_leaves_nothing_behind() {
    let w = World::new();
    *w.mux.refuse.lock().unwrap() = true;
    assert!(matches!(create(&w.cx, &w.new_session("a")), Err(OpError::Mux(_))));
    assert!(w.store.0.lock().unwrap().sessions.is_empty());
}

#[test]
fn a_new_session_that_may_be_running_is_kept_and_reported() {
    let w = World::new();
    *w.mux.hangs.lock().unwrap() = (true, false);
    let error = create(&w.cx, &w.new_session("a b")).unwrap_err();
    assert!(
        matches!(&error, OpError::Recorded { error, .. } if matches!(**error, OpError::Mux(_))),
        "{error:?}"
    );
    let kept = w.store.0.lock().unwrap().sessions.clone();
    assert_eq!(kept.len(), 1);
    assert_eq!(error.hint(), kept.first().map(|s| Hint::RetryStart(s.name())));
}

#[test]
fn a_note_from_the_future_is_not_taken_and_does_not_stay() {
    let mut w = World::new();
    let id = w.add("a");
    let option = |w: &World, name: TagName| {
        w.mux.sessions.lock().unwrap().values().next().unwrap().tags[&name].clone()
    };
    let note = |w: &World, seconds: i64| {
        let at = w.cx.clock.now() + jiff::SignedDuration::from_secs(seconds);
        let asks = serde_json::json!({ "tool_name": "Bash", "tool_input": { "command": "x" } });
        let note = crate::domain::status::HookNote::of("PermissionRequest", &asks, at).unwrap();
        w.mux.change("a", |s| {
            s.tags.insert(TagName::HookAt, note.at.to_string());
            s.tags.insert(TagName::Hook, note.to_json());
        });
    };
    let heard = |w: &mut World| {
        w.state(&id);
        let snapshot = w.watcher.tick(&w.cx).unwrap();
        snapshot.state(&id).unwrap().evidence.iter().any(|e| e.source == Source::Hook)
    };
    w.clock.pass(30);
    note(&w, 3600);
    assert!(!heard(&mut w));
    assert_eq!((option(&w, TagName::HookAt).as_str(), option(&w, TagName::Hook).as_str()), ("", ""));
    note(&w, 0);
    assert!(heard(&mut w), "the next one is accepted");
    note(&w, 3600);
    restart(&w.cx, &id, false).unwrap();
    assert_eq!(option(&w, TagName::HookAt), "", "a start resets it");
}

#[test]
fn a_group_that_is_deleted_lets_go_of_what_was_adopted() {
    let w = World::new();
    let (own, adopted) = (w.add("own"), w.add("theirs"));
    w.mux.change("theirs", |s| {
        s.tags.insert(TagName::Adopted, "%2 10 12 mint".into());
    });
    let group = GroupPath::parse("work").unwrap();
    let refused = remove_group(&w.cx, &group, crate::domain::tree::DeleteMode::Along, false);
    assert!(matches!(refused, Err(OpError::StillRunning(s)) if s.title == "own"));
    remove_group(&w.cx, &group, crate::domain::tree::DeleteMode::Along, true).unwrap();
    let all = w.mux.sessions.lock().unwrap();
    let left: Vec<&str> = all.values().map(|s| s.new.name.as_str()).collect();
    assert_eq!(left.len(), 1, "deck doesn't end what it did not start: {left:?}");
    assert!(left[0].starts_with("theirs") && all.values().next().unwrap().tags[&TagName::Id].is_empty());
    drop(all);
    let profile = w.store.0.lock().unwrap().clone();
    assert_eq!(profile.live_sessions().count() + profile.live_groups().count(), 0);
    assert!([own, adopted].iter().all(|id| profile.session(id).is_some()), "both are in the trash");
    assert_eq!(undo(&w.cx, None).unwrap().restored.sessions.len(), 2, "and come back at once");
}

#[test]
fn what_is_known_not_to_start_is_not_recorded() {
    let w = World::new();
    let missing = New { path: "/missing".into(), ..w.new_session("a") };
    assert!(matches!(create(&w.cx, &missing), Err(OpError::NoFolder(_))));
    let missing = New { command: Some("missing".into()), ..w.new_session("a") };
    assert!(matches!(create(&w.cx, &missing), Err(OpError::NoProgram { .. })));
    assert!(w.store.0.lock().unwrap().sessions.is_empty());
}

#[test]
fn a_folder_that_can_not_be_made_names_it_and_the_cause() {
    let w = World::new();
    assert!(make_folder(&w.cx, "/home/me/new".as_ref()).is_ok());
    let error = make_folder(&w.cx, "/locked/new".as_ref()).unwrap_err();
    let cause = std::error::Error::source(&error).map(ToString::to_string);
    assert_eq!(error.to_string(), "can't create the folder /locked/new");
    assert_eq!(cause.as_deref(), Some("permission denied"));
}

#[test]
fn a_turn_as_the_list_reports_it() {
    let mut w = World::new();
    let id = w.add("a");
    assert_eq!(w.state(&id), "starting");
    w.clock.pass(6);
    w.show("a", "working hard");
    assert_eq!(w.state(&id), "running thinking");
    w.show("a", "allow? [y/n]");
    assert_eq!(w.state(&id), "waiting permission");
    w.mux.change("a", |s| s.dead = Some(Exit::Code(3)));
    assert_eq!(w.state(&id), "error exited 3");
    w.mux.sessions.lock().unwrap().clear();
    assert_eq!(w.state(&id), "error gone");
    stop(&w.cx, &id, Terminals::Keep).unwrap();
    assert_eq!(w.state(&id), "stopped");
}

#[test]
fn a_quiet_pane_is_not_captured_again() {
    let mut w = World::new();
    let id = w.add("a");
    w.show("a", "working");
    w.state(&id);
    w.state(&id);
    let before = *w.mux.captured.lock().unwrap();
    for _ in 0..5 {
        w.state(&id);
    }
    assert_eq!(*w.mux.captured.lock().unwrap(), before);
}

#[test]
fn between_two_whole_lists_nothing_is_forgotten() {
    let mut w = World::new();
    let (a, b) = (w.add("a"), w.add("b"));
    w.clock.pass(6);
    w.show("a", "working");
    w.show("b", "working");
    assert_eq!((w.state(&a), w.state(&b)), ("running thinking".into(), "running thinking".into()));
    // Half a second later b moves and a doesn't: a keeps its row and its memory.
    w.clock.pause(std::time::Duration::from_millis(400));
    *w.mux.now.lock().unwrap() += 3;
    w.show("b", "[y/n]");
    *w.mux.now.lock().unwrap() += 1;
    let snapshot = w.watcher.tick(&w.cx).unwrap();
    let status = |id| snapshot.state(id).unwrap().verdict.status;
    assert_eq!((status(&a), status(&b)), (Status::Running, Status::Waiting));
}

#[test]
fn a_second_deck_continues_the_same_memory() {
    let mut w = World::new();
    let id = w.add("a");
    w.clock.pass(6);
    w.show("a", "working");
    w.state(&id);
    let mut other = Watcher::new();
    let there = other.tick(&w.cx).unwrap();
    let here = w.watcher.tick(&w.cx).unwrap();
    assert_eq!(there.state(&id).unwrap().verdict, here.state(&id).unwrap().verdict);
}

#[test]
fn a_restart_keeps_pane_and_conversation() {
    let w = World::new();
    let id = w.add("a");
    let conversation = w.cx.session(&id).unwrap().resume.id;
    let restarted = restart(&w.cx, &id, false).unwrap();
    assert!(restarted.resumed);
    assert!(restarted.launched.plan.command_line().contains("--resume"));
    assert_eq!(w.cx.session(&id).unwrap().resume.id, conversation);
    assert_eq!(*w.host.ended.lock().unwrap(), [42], "respawning alone is not enough for some agents");
    let fresh = restart(&w.cx, &id, true).unwrap();
    assert!(!fresh.resumed);
    assert_eq!(w.cx.session(&id).unwrap().resume.history.len(), 2, "the old id stays in the ledger");
}

#[test]
fn a_conversation_of_an_unknown_id_is_not_replaced_without_a_word() {
    let mut w = World::new();
    let id = create(&w.cx, &New { command: Some("cap".into()), ..w.new_session("a") }).unwrap().session.id;
    // Nothing was said in it: there is nothing to lose.
    restart(&w.cx, &id, false).unwrap();
    w.clock.pass(6);
    w.show("a", "working");
    assert_eq!(w.state(&id), "running thinking");
    assert!(matches!(restart(&w.cx, &id, false), Err(OpError::ConversationUnknown(_))));
    assert!(w.host.ended.lock().unwrap().len() == 1, "what runs is left alone");
    restart(&w.cx, &id, true).unwrap();
    restart(&w.cx, &id, false).unwrap();
}

#[test]
fn a_repaint_reports_no_kind_of_work() {
    let mut w = World::new();
    let new = New { command: Some("while :; do date; sleep 1; done".into()), ..w.new_session("a") };
    let id = create(&w.cx, &new).unwrap().session.id;
    w.clock.pass(6);
    w.show("a", "Sun Nov 22");
    assert_eq!(w.state(&id), "running active");
}

#[test]
fn a_new_conversation_does_not_go_by_the_old_ones_id() {
    let mut w = World::new();
    let id = create(&w.cx, &New { command: Some("cap".into()), ..w.new_session("a") }).unwrap().session.id;
    let carry = |w: &World, id: &str| {
        w.mux.change("a", |s| {
            s.tags.insert(TagName::ResumeId, id.into());
        });
    };
    carry(&w, "first");
    w.state(&id);
    assert_eq!(w.cx.session(&id).unwrap().resume.id.as_deref(), Some("first"));
    restart(&w.cx, &id, true).unwrap();
    w.state(&id);
    let resume = w.cx.session(&id).unwrap().resume;
    assert_eq!((resume.id, resume.history.len()), (None, 1));
    carry(&w, "second");
    w.state(&id);
    assert_eq!(w.cx.session(&id).unwrap().resume.id.as_deref(), Some("second"));
}

#[test]
fn an_id_that_changes_is_followed() {
    let mut w = World::new();
    let id = w.add("a");
    *w.reports.0.lock().unwrap() = Report {
        evidence: Some(Evidence::new(
            Source::Report,
            Observation::Busy(BusyKind::Thinking),
            w.cx.clock.now(),
        )),
        conversation: Some("after-clear".into()),
        ..Report::default()
    };
    w.state(&id);
    let session = w.cx.session(&id).unwrap();
    assert_eq!(session.resume.id.as_deref(), Some("after-clear"));
    assert_eq!(session.resume.history.len(), 2);
    let all = w.mux.sessions.lock().unwrap();
    let on_server = all.values().next().unwrap();
    assert_eq!(on_server.env["MINT_ID"], "after-clear");
    assert_eq!(on_server.tags[&TagName::ResumeId], "after-clear");
}

#[test]
fn a_session_of_this_home_without_a_record_is_taken_back() {
    let mut w = World::new();
    let id = w.add("a");
    w.store
        .change(&mut |p| {
            p.sessions.clear();
            true
        })
        .unwrap();
    w.state(&id);
    let session = w.cx.session(&id).unwrap();
    assert_eq!((session.title.as_str(), session.group_path.as_str()), ("a", "work"));
    // One in the trash is not: its user deleted it.
    delete(&w.cx, std::slice::from_ref(&id), true).unwrap();
    assert!(w.watcher.tick(&w.cx).unwrap().states.is_empty());
    undo(&w.cx, None).unwrap();
    assert_eq!(w.state(&id), "stopped");
}

#[test]
fn a_session_whose_deck_was_killed_before_it_marked_it_is_marked_by_the_next() {
    let mut w = World::new();
    let id = w.add("a");
    w.mux.change("a", |s| s.tags.clear());
    assert_eq!(w.state(&id), "starting");
    let all = w.mux.sessions.lock().unwrap();
    let options = &all.values().next().unwrap().tags;
    assert_eq!((&options[&TagName::Id], options[&TagName::Home].as_str()), (&id.to_string(), "/home"));
}

#[test]
fn a_running_session_is_not_deleted_by_the_way() {
    let w = World::new();
    let id = w.add("a");
    assert!(matches!(delete(&w.cx, std::slice::from_ref(&id), false), Err(OpError::StillRunning(_))));
    assert!(matches!(start(&w.cx, &id, false, None), Err(OpError::Running(_))));
    remove_group(&w.cx, &GroupPath::parse("work").unwrap(), crate::domain::tree::DeleteMode::Along, false)
        .unwrap_err();
    assert!(w.cx.session(&id).is_ok());
    assert_eq!(Status::Starting, w.deck_status(&id));
}

impl World {
    fn deck_status(&self, id: &SessionId) -> Status {
        Watcher::new().tick(&self.cx).unwrap().state(id).unwrap().verdict.status
    }
}
