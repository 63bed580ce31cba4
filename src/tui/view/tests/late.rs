//! Answers of effects that come while the user does something else, or after they went to another profile.

use super::*;
use crate::app::{PageText, TalkPage, Whose};

fn id(name: &str) -> SessionId {
    SessionId::new(format!("id-{name}"))
}

fn created(name: &str) -> Msg {
    Msg::Done(Done::CreatedPane(id(name), format!("forked as {name}"), None))
}

/// The model after the user went from "work" to another profile.
fn switched() -> Model {
    let mut m = model(FULL, (100, 30));
    m.switch_profile(
        ProfileName::parse("other").unwrap(),
        snapshot(&[("mine", "", None, Status::Idle, None, 60)]),
    );
    m
}

fn from_before(done: Done) -> Msg {
    Msg::DoneIn(ProfileName::parse("work").unwrap(), done)
}

#[test]
fn what_was_created_is_selected_unless_the_user_is_in_the_middle_of_something() {
    let mut m = model(FULL, (100, 30));
    update(&mut m, created("docs"));
    assert_eq!(m.selected(), Some(&id("docs")));
    for keys in ["i", "/ a", "s", "g"] {
        let mut m = model(FULL, (100, 30));
        m.go_to(&id("billing"));
        press(&mut m, keys);
        let before = m.selected().cloned();
        assert!(!m.is_free(), "{keys}");
        update(&mut m, created("docs"));
        assert_eq!(m.selected().cloned(), before, "{keys}");
        assert!(!m.is_free(), "{keys}");
    }
}

#[test]
fn an_import_opens_nothing_over_what_is_being_typed() {
    let imports = || Msg::Done(Done::Imports(vec![("one".into(), Effect::Undo)], None));
    let mut m = model(FULL, (100, 30));
    update(&mut m, imports());
    assert_eq!(m.dialogs.len(), 1);
    let mut m = model(FULL, (100, 30));
    m.go_to(&id("billing"));
    press(&mut m, "i");
    update(&mut m, imports());
    assert!(m.dialogs.is_empty() && m.mode.pass_through().is_some());
    assert!(shown(&m).contains("found 1 to import"), "{}", shown(&m));
}

#[test]
fn a_message_that_was_not_sent_replaces_no_newer_draft() {
    let mut m = model(FULL, (100, 30));
    let to = vec![id("docs")];
    let not_sent = |text: &str| Msg::Done(Done::NotSent(id("docs"), text.into(), "refused".into()));
    m.app.keep_draft(to.clone(), "newer".into());
    update(&mut m, not_sent("older"));
    assert_eq!(m.app.drafts.get(&to).map(String::as_str), Some("newer"));
    // A composer in which nothing was written takes none away.
    m.app.drafts.clear();
    m.go_to(&id("docs"));
    press(&mut m, "s");
    update(&mut m, not_sent("older"));
    press(&mut m, "esc");
    assert_eq!(m.app.drafts.get(&to).map(String::as_str), Some("older"));
}

#[test]
fn nothing_follows_in_another_profile() {
    let all = vec![
        Done::Ok(Some("done".into())),
        Done::CreatedPane(id("new"), "started new".into(), Some("a prompt".into())),
        Done::Arranged(vec![id("api")], "sorted".into()),
        Done::Imports(vec![("one".into(), Effect::Undo)], None),
        Done::Clip("a text".into()),
        Done::TalkPage(Whose::Session(id("api")), TalkPage::Messages, Ok(PageText::Said(Vec::new()))),
        Done::WellFor(id("api"), "stopped api".into()),
        Done::Revived(id("api"), None),
        Done::Revived(id("api"), Some("api is gone".into())),
        Done::Failed(Some(id("api")), "failed".into()),
    ];
    for done in all {
        let mut m = switched();
        let before = m.selected().cloned();
        let effects = update(&mut m, from_before(done.clone()));
        let only_looks = |e: &Effect| matches!(e, Effect::Watch(_));
        assert!(effects.iter().all(only_looks), "{done:?} {effects:?}");
        assert_eq!(m.selected().cloned(), before, "{done:?}");
        assert!(m.dialogs.is_empty() && m.profile.arranged.is_none(), "{done:?}");
    }
    let mut m = switched();
    update(&mut m, from_before(Done::CreatedPane(id("new"), "started new".into(), None)));
    assert!(shown(&m).contains("started new"), "it is still said\n{}", shown(&m));
}

#[test]
fn sessions_that_are_being_brought_back_are_counted_in_whichever_profile() {
    let mut m = model(FULL, (100, 30));
    press(&mut m, "esc");
    let ids = vec![id("api"), id("docs")];
    let confirm = crate::app::dialogs::Confirm::new("lost", Vec::new(), "restart", vec![Effect::Revive(ids)]);
    m.dialogs.push(Box::new(confirm));
    press(&mut m, "y");
    assert!(m.app.working.contains_key(&id("api")));
    m.switch_profile(ProfileName::parse("other").unwrap(), snapshot(&[]));
    // One of another revival doesn't count.
    update(&mut m, Msg::Done(Done::Revived(id("mine"), Some("mine failed".into()))));
    update(&mut m, from_before(Done::Revived(id("api"), Some("api failed".into()))));
    update(&mut m, from_before(Done::Revived(id("docs"), None)));
    assert!(shown(&m).contains("revived 1 of 2; api failed"), "{}", shown(&m));
    assert!(m.app.working.is_empty() && m.app.revival.is_none());
}

#[test]
fn a_silent_server_is_reported_once() {
    let mut m = model(FULL, (100, 30));
    let silent = || {
        let mut s = snapshot(FULL);
        s.unreached = [(ServerId::from("user"), crate::ports::mux::Silence::Stopped(7))].into();
        Msg::Snapshot(Box::new(s))
    };
    for _ in 0..3 {
        update(&mut m, silent());
        update(&mut m, Msg::WatchFailed("server \"user\" is stopped".into()));
    }
    press(&mut m, "M");
    assert_eq!(shown(&m).matches("is stopped").count(), 1, "{}", shown(&m));
    // After it was heard again, it is news.
    press(&mut m, "esc");
    update(&mut m, Msg::Snapshot(Box::new(snapshot(FULL))));
    update(&mut m, Msg::WatchFailed("server \"user\" is stopped".into()));
    press(&mut m, "M");
    assert_eq!(shown(&m).matches("is stopped").count(), 2, "{}", shown(&m));
}

#[test]
fn a_conversation_that_cannot_be_read_says_why() {
    let mut m = model(FULL, (100, 30));
    m.go_to(&id("docs"));
    press(&mut m, "o");
    update(
        &mut m,
        Msg::Done(Done::TalkPage(
            Whose::Session(id("docs")),
            TalkPage::Messages,
            Err("the file is too large".into()),
        )),
    );
    assert!(shown(&m).contains("the file is too large"), "{}", shown(&m));
}

#[test]
fn a_terminal_of_any_width_has_a_list() {
    let mut m = model(FULL, (1200, 30));
    m.view.split = Some(80);
    assert!(shown(&m).contains("billing"));
}

#[test]
fn the_end_of_one_fork_is_not_that_of_another() {
    let mut m = model(FULL, (100, 30));
    for name in ["api", "docs"] {
        m.app.working.insert(id(name), ("forking", now()));
    }
    update(&mut m, Msg::Done(Done::Forked(id("api"), id("new"), "forked as new".into())));
    assert_eq!(m.app.working.keys().collect::<Vec<_>>(), [&id("docs")]);
}

#[test]
fn a_setting_that_can_t_be_written_is_reported_where_no_dialog_does() {
    let mut m = model(FULL, (100, 30));
    update(&mut m, Msg::Done(Done::NotSet("can't change config.toml".into())));
    assert!(shown(&m).contains("can't change config.toml"), "{}", shown(&m));
}

#[test]
fn another_profile_does_not_get_the_width_of_the_list_of_this_one() {
    let mut m = model(FULL, (100, 30));
    m.view.split = Some(61);
    m.switch_profile(ProfileName::parse("other").unwrap(), snapshot(&[]));
    assert_eq!(m.view.split, None);
}

#[test]
fn what_was_created_is_shown_although_a_filter_hides_it() {
    let mut m = model(&FULL[..5], (100, 30));
    press(&mut m, "/ b i l l enter");
    let (before, all) = (m.selected().cloned(), snapshot(FULL));
    update(&mut m, created("docs"));
    assert_eq!((m.view.filter.words.as_str(), m.selected().cloned()), ("bill", before), "not there yet");
    update(&mut m, Msg::Snapshot(Box::new(all.clone())));
    assert_eq!((m.view.filter.is_off(), m.selected()), (true, Some(&id("docs"))));
    // What the user selects later stays.
    m.go_to(&id("api"));
    update(&mut m, Msg::Snapshot(Box::new(all)));
    assert_eq!(m.selected(), Some(&id("api")));
}

#[test]
fn a_group_that_is_still_folded_away_is_selected_once_it_is_shown() {
    let mut m = model(FULL, (100, 30));
    let group = GroupPath::parse("experiments/deep").unwrap();
    let fold = |m: &mut Model, expanded: bool| {
        let mut later = snapshot(FULL);
        let profile = Arc::make_mut(&mut later.profile);
        profile
            .groups
            .iter_mut()
            .filter(|g| g.path.as_str() == "experiments")
            .for_each(|g| g.expanded = expanded);
        update(m, Msg::Snapshot(Box::new(later)));
    };
    fold(&mut m, false);
    assert_eq!(m.go_to_group(&group), [Effect::Fold(vec![group.parent()], true)]);
    fold(&mut m, false);
    fold(&mut m, true);
    assert_eq!(m.group(), Some(&group));
}
