//! What a tick writes, what one that may not write doesn't, and whom a look at one session leaves alone.

use std::collections::BTreeMap;

use super::world::World;
use super::*;
use crate::domain::conversation::Digest;
use crate::domain::profile::Profile;
use crate::domain::status::{Change, Memory};
use crate::ports::fake::{Composer, Frame};

/// Everything that a tick may write.
#[derive(Debug, PartialEq)]
struct Written {
    profile: Profile,
    tags: BTreeMap<String, BTreeMap<TagName, String>>,
    env: BTreeMap<String, BTreeMap<String, String>>,
    history: Vec<Change>,
}

fn written(w: &World, id: &SessionId) -> Written {
    let sessions = w.mux.sessions.lock().unwrap();
    Written {
        profile: w.store.0.lock().unwrap().clone(),
        tags: sessions.iter().map(|(id, s)| (id.clone(), s.tags.clone())).collect(),
        env: sessions.iter().map(|(id, s)| (id.clone(), s.env.clone())).collect(),
        history: w.cx.history.changes(id).unwrap(),
    }
}

/// Later, with a list of all.
fn pass(w: &World) {
    w.clock.pass(1);
    *w.mux.now.lock().unwrap() += 1;
}

/// A session of which there is everything to write: a change of its status, a conversation, a first turn, a prompt that
/// arrived. Another one has no record, and a third one no tags.
fn everything(w: &mut World) -> SessionId {
    let id = w.add("a");
    w.state(&id);
    w.clock.pass(6);
    keep_draft(&w.cx, &id, Some("fix it")).unwrap();
    let (lost, unmarked) = (w.add("lost"), w.add("unmarked"));
    w.store
        .change(&mut |p| {
            p.sessions.retain(|s| s.id != lost);
            true
        })
        .unwrap();
    w.mux.change("unmarked", |s| s.tags.clear());
    assert!(w.cx.session(&lost).is_err() && w.cx.session(&unmarked).is_ok());
    *w.reports.0.lock().unwrap() = Report {
        evidence: Some(Evidence::new(
            Source::Report,
            Observation::Busy(BusyKind::Thinking),
            w.cx.clock.now(),
        )),
        conversation: Some("after-clear".into()),
        ..Report::default()
    };
    *w.reports.1.lock().unwrap() = Some(Digest { last_prompt: Some("fix it".into()), ..Digest::default() });
    w.show("a", "working");
    pass(w);
    id
}

#[test]
fn one_that_may_not_write_sees_the_same_and_writes_nothing() {
    let mut w = World::new();
    let id = everything(&mut w);
    let before = written(&w, &id);
    let mut reader = Watcher::new();
    let (snapshot, _) = reader.observe(&w.cx).unwrap();
    assert_eq!(written(&w, &id), before);
    let seen = snapshot.state(&id).unwrap().verdict.clone();
    assert_eq!(seen.status, Status::Running);
    assert_eq!(snapshot.profile.live_sessions().count(), 3, "one without a record is shown");
    // It goes on from what it saw itself.
    pass(&w);
    let (later, _) = reader.observe(&w.cx).unwrap();
    assert_eq!(later.state(&id).unwrap().verdict.since, seen.since);
    assert_eq!(later.profile.live_sessions().count(), 3);
    assert_eq!(written(&w, &id), before);
}

#[test]
fn what_a_tick_found_is_written_once_however_often_it_is_applied() {
    let mut w = World::new();
    let id = everything(&mut w);
    let before = written(&w, &id);
    let (_, repairs) = w.watcher.observe(&w.cx).unwrap();
    repairs.apply(&w.cx);
    let once = written(&w, &id);
    let session = w.cx.session(&id).unwrap();
    assert_eq!(session.resume.id.as_deref(), Some("after-clear"));
    let resume = (session.resume.history.len(), session.resume.used);
    assert_eq!((resume, session.draft), ((2, true), None));
    assert_eq!(once.history.len(), before.history.len() + 1);
    assert_eq!(once.profile.live_sessions().count(), 3);
    assert!(
        once.tags.values().all(|tags| !tags[&TagName::Id].is_empty() && !tags[&TagName::Status].is_empty())
    );
    repairs.apply(&w.cx);
    assert_eq!(written(&w, &id), once);
    // And the next tick finds nothing else.
    pass(&w);
    assert_eq!(w.watcher.observe(&w.cx).unwrap().1, crate::ops::watch::Repairs::default());
}

#[test]
fn another_decks_word_counts_more_than_what_was_not_written() {
    let mut w = World::new();
    let id = w.add("a");
    w.clock.pass(6);
    w.show("a", "working");
    pass(&w);
    let mut reader = Watcher::new();
    reader.observe(&w.cx).unwrap();
    // The other deck saw it begin earlier.
    let other = w.watcher.tick(&w.cx).unwrap().state(&id).unwrap().verdict.memory.clone();
    let earlier = w.cx.clock.now() - jiff::SignedDuration::from_secs(60);
    let other = Memory::new(other.status, other.reason, earlier, Source::Screen);
    w.mux.change("a", |s| drop(s.tags.insert(TagName::Status, other.to_json())));
    pass(&w);
    let (snapshot, _) = reader.observe(&w.cx).unwrap();
    assert_eq!(snapshot.state(&id).unwrap().verdict.since, earlier);
}

/// The sessions whose panes were captured, without this one.
fn others_seen(w: &World, title: &str) -> Vec<String> {
    let sessions = w.mux.sessions.lock().unwrap();
    let own = sessions.iter().find(|(_, s)| s.new.name.starts_with(title)).unwrap().0;
    w.mux.seen.lock().unwrap().iter().filter(|id| *id != own).cloned().collect()
}

#[test]
fn a_message_to_one_of_fifty_captures_no_other() {
    let w = World::new();
    for n in 0..49 {
        w.add(&format!("n{n}"));
    }
    let agent = Composer::new(|_| vec![Frame::at(50, "working\n> \n")]);
    let id = w.composing(agent);
    assert_eq!(send(&w.cx, &id, "hi", SendOptions::default()).unwrap(), Receipt::Delivered);
    assert_eq!(others_seen(&w, "a"), Vec::<String>::new());
    assert!(!w.mux.seen.lock().unwrap().is_empty());
}

#[test]
fn an_answer_and_a_resume_capture_no_other() {
    let mut w = World::new();
    for n in 0..3 {
        w.add(&format!("n{n}"));
    }
    let new = New { command: Some("asker".into()), ..w.new_session("a") };
    let id = create(&w.cx, &new).unwrap().session.id;
    w.state(&id);
    w.clock.pass(10);
    w.show("a", "Proceed?\n❯ 1. Yes\n  2. No\n");
    assert_eq!(w.state(&id), "waiting permission");
    let snapshot = Watcher::new().tick(&w.cx).unwrap();
    let shown = Question::of(snapshot.state(&id).unwrap()).unwrap();
    w.mux.seen.lock().unwrap().clear();
    // The stand-in takes no key.
    assert!(matches!(answer(&w.cx, &id, &Pick::Number(1), Some(&shown)), Err(OpError::NotTaken { .. })));
    verify_resume_of(&w.cx, &id).unwrap();
    assert_eq!(others_seen(&w, "a"), Vec::<String>::new());
}

#[test]
fn a_start_under_way_is_waited_for_without_the_others() {
    let w = World::new();
    w.add("other");
    let making = create(&w.cx, &New { start: false, ..w.new_session("a") }).unwrap().session.id;
    // Another deck has written its intent, and makes the session now.
    let now = w.cx.clock.now();
    w.cx.change_session(&making, |s| (s.wanted, s.launched_at) = (DesiredState::Running, Some(now))).unwrap();
    let all = look_settled(&w.cx).unwrap();
    assert_eq!(lost(&all).iter().map(|s| s.title.as_str()).collect::<Vec<_>>(), ["a"]);
    assert_eq!(all.states.len(), 2, "the others are in it as they were seen first");
}

#[test]
fn who_leaves_a_session_is_found_at_the_one_they_went_to() {
    let w = World::new();
    let (a, b) = (w.add("a"), w.add("b"));
    let session = |title: &str| {
        let all = w.mux.sessions.lock().unwrap();
        let (id, s) = all.iter().find(|(_, s)| s.tags[&TagName::Title] == title).unwrap();
        crate::ports::mux::SessionRef::new(&s.server, id)
    };
    let seen = || w.mux.tagged.lock().unwrap().drain(..).map(|(session, _)| session).collect::<Vec<_>>();
    *w.mux.shown.lock().unwrap() = Some((7, session("b")));
    seen();
    assert_eq!(left(&w.cx, &a, 7).unwrap(), Some(b.clone()));
    assert_eq!(seen(), [session("a"), session("b")], "both were looked at");
    assert_eq!(left(&w.cx, &b, 7).unwrap(), None, "they stayed where they were");
    // What another client was shown is nothing that this user has seen.
    seen();
    assert_eq!(left(&w.cx, &a, 8).unwrap(), None);
    assert_eq!(seen(), [session("a")]);
}
