//! Undoing what was arranged, and what is said of it.

use super::*;
use crate::domain::tree::Slot;

#[test]
fn it_is_undone_although_tmux_gives_no_answer() {
    let w = World::new();
    let id = w.add("a");
    rename(&w.cx, &id, "b").unwrap();
    let server = w.cx.server_of(&w.cx.session(&id).unwrap()).clone();
    w.mux.silent.lock().unwrap().insert(server);
    assert_eq!(undo(&w.cx, None).unwrap().change.as_deref(), Some("renamed a to b"));
    assert_eq!(w.cx.session(&id).unwrap().title, "a");
}

#[test]
fn a_title_that_is_back_is_told_to_tmux() {
    let w = World::new();
    let id = w.add("a");
    w.add("other");
    let told = || {
        let tagged = w.mux.tagged.lock().unwrap();
        let titles = tagged.iter().filter(|(_, t)| t.name == TagName::Title);
        titles.map(|(session, t)| (session.session.clone(), t.value.clone())).collect::<Vec<_>>()
    };
    rename(&w.cx, &id, "b").unwrap();
    let (before, session) = (told().len(), told().last().unwrap().0.clone());
    undo(&w.cx, None).unwrap();
    assert_eq!(told()[before..], [(session, "a".to_owned())]);
    reorder(&w.cx, &id, 1).unwrap();
    undo(&w.cx, None).unwrap();
    assert_eq!(told().len(), before + 1, "where no title is another one nothing is told");
}

#[test]
fn what_was_moved_is_named_and_not_its_neighbours() {
    let w = World::new();
    let ids: Vec<SessionId> = ["a", "b", "c"].map(|title| w.add(title)).into();
    w.clock.pass(1);
    reorder(&w.cx, &ids[0], 1).unwrap();
    assert_eq!(undo(&w.cx, None).unwrap().change.as_deref(), Some("moved a in its group"));
    place(&w.cx, &ids[2], &Slot::Before(ids[0].clone())).unwrap();
    assert_eq!(undo(&w.cx, None).unwrap().change.as_deref(), Some("moved c"));
}
