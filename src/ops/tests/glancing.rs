//! Looking between two polls: at windows that have reported a change, and at nothing else.

use super::world::World;
use super::*;
use crate::ports::mux::ServerId;

/// Another screen of a session, whose window reports it or has reported before.
fn shows(w: &World, title: &str, screen: &str, reports: bool) {
    w.show(title, screen);
    w.mux.change(title, |s| s.reported = reports);
}

fn pass(w: &World) {
    w.clock.pass(1);
    *w.mux.now.lock().unwrap() += 1;
}

fn status(snapshot: &Snapshot, id: &SessionId) -> Status {
    snapshot.state(id).unwrap().verdict.status
}

/// Two sessions that have been up for a while and work, and who watches them.
fn two() -> (World, [SessionId; 2], Watcher) {
    let w = World::new();
    let ids = ["a", "b"].map(|title| w.add(title));
    w.clock.pass(60);
    let mut watcher = Watcher::woken();
    for title in ["a", "b"] {
        shows(&w, title, "working", true);
    }
    pass(&w);
    let seen = watcher.tick(&w.cx).unwrap();
    assert!(ids.iter().all(|id| status(&seen, id) == Status::Running));
    (w, ids, watcher)
}

#[test]
fn a_server_that_does_not_answer_leaves_its_sessions_unconfirmed_though_their_windows_have_reported() {
    let (w, [a, _], mut watcher) = two();
    for _ in 0..5 {
        // It may not report again so soon.
        shows(&w, "a", "working", true);
        watcher.tick(&w.cx).unwrap();
    }
    w.mux.silent.lock().unwrap().insert(w.cx.installation.socket.clone());
    pass(&w);
    for _ in 0..2 {
        let seen = watcher.tick(&w.cx).unwrap();
        let verdict = &seen.state(&a).unwrap().verdict;
        assert!(verdict.status == Status::Running && verdict.unsure.is_some(), "{verdict:?}");
        // A poll that was asked for knows them, too.
        watcher.forget();
        pass(&w);
    }
}

#[test]
fn what_was_not_looked_at_stays_as_it_was() {
    let (w, [a, b], mut watcher) = two();
    shows(&w, "b", "done", false);
    pass(&w);
    watcher.tick(&w.cx).unwrap();
    let before = watcher.tick(&w.cx).unwrap();
    assert_eq!(status(&before, &b), Status::Running, "it may be over for a moment only");
    // Seconds later, and nobody has looked at it again.
    pass(&w);
    pass(&w);
    shows(&w, "a", "sure? [y/n]", true);
    let glance = watcher.tick_reported(&w.cx).unwrap();
    assert_eq!((status(&glance, &a), status(&glance, &b)), (Status::Waiting, Status::Running));
    assert_eq!(glance.state(&b).unwrap().verdict, before.state(&b).unwrap().verdict);
}

#[test]
fn an_agent_that_was_started_again_is_not_judged_by_what_the_last_one_drew() {
    let (w, [a, b], mut watcher) = two();
    shows(&w, "b", "sure? [y/n]", true);
    assert_eq!(status(&watcher.tick_reported(&w.cx).unwrap(), &b), Status::Waiting);
    let now = w.cx.clock.now().as_millisecond();
    w.mux.change("b", |s| {
        s.tags.insert(TagName::Started, now.to_string());
        s.tags.remove(&TagName::Status);
        (s.screen, s.activity) = (String::new(), 0);
    });
    w.clock.pass(10);
    *w.mux.now.lock().unwrap() += 10;
    let seen = watcher.tick(&w.cx).unwrap();
    assert_ne!(status(&seen, &b), Status::Waiting);
    assert!(seen.state(&b).unwrap().dialog.is_none() && seen.state(&a).is_some());
}

#[test]
fn other_profiles_windows_are_left_alone() {
    let (w, [a, b], mut watcher) = two();
    w.store
        .change(&mut |p| {
            p.sessions.retain(|s| s.id != b);
            true
        })
        .unwrap();
    // It belongs to another profile.
    w.mux.change("b", |s| drop(s.tags.insert(TagName::Profile, "other".into())));
    for title in ["a", "b"] {
        shows(&w, title, "working", true);
    }
    pass(&w);
    assert_eq!(status(&watcher.tick(&w.cx).unwrap(), &a), Status::Running);
    let sessions = w.mux.sessions.lock().unwrap();
    let reported = |title: &str| sessions.values().find(|s| s.new.name.starts_with(title)).unwrap().reported;
    assert!(!reported("a") && reported("b"));
}

#[test]
fn a_glance_asks_no_server_but_decks_own() {
    let (w, [a, _], mut watcher) = two();
    let server = ServerId::from("default");
    let mine = crate::domain::session::Adopted::parse("%9 7 7 vibe").unwrap();
    w.cx.change_session(&w.add("c"), |s| {
        (s.tmux.socket, s.tmux.adopted) = (server.clone(), Some(mine.clone()))
    })
    .unwrap();
    watcher.tick(&w.cx).unwrap();
    w.mux.silent.lock().unwrap().insert(server.clone());
    shows(&w, "a", "sure? [y/n]", true);
    let glance = watcher.tick_reported(&w.cx).unwrap();
    assert_eq!(status(&glance, &a), Status::Waiting);
    assert!(glance.unreached.is_empty());
    pass(&w);
    assert!(watcher.tick(&w.cx).unwrap().unreached.contains_key(&server));
}

#[test]
fn a_clock_that_is_set_back_hides_nothing() {
    let (w, [a, _], mut watcher) = two();
    w.clock.pass(-3600);
    // What another deck wrote moves no window.
    let tag = w.cx.clock.now().as_millisecond().to_string();
    w.mux.change("a", |s| {
        s.activity = 0;
        s.tags.insert(TagName::Acknowledged, tag);
    });
    assert!(watcher.tick(&w.cx).unwrap().state(&a).unwrap().acknowledged_at.is_some());
    shows(&w, "a", "sure? [y/n]", true);
    assert_eq!(status(&watcher.tick_reported(&w.cx).unwrap(), &a), Status::Waiting);
}
