//! Every dialog, at three sizes, and with the worst content.

use super::*;
use crate::app::{PageText, TalkPage, TalkWork, Whose};
use crate::ops::Unsent;

/// What is archived, as shown by keys on a group.
fn put_away(
    size: (u16, u16),
    keys: &str,
    put: fn(&mut crate::domain::session::Session, Option<Timestamp>),
) -> String {
    let mut m = model(FULL, size);
    let mut away = snapshot(FULL);
    let profile = Arc::make_mut(&mut away.profile);
    profile.sessions.iter_mut().for_each(|s| put(s, Some(now() - SignedDuration::from_hours(5))));
    update(&mut m, Msg::Snapshot(Box::new(away)));
    press(&mut m, "g g");
    press(&mut m, keys);
    shown(&m)
}

#[test]
fn dialogs() {
    let at = |size, keys: &str| {
        let mut m = model(FULL, size);
        press(&mut m, keys);
        shown(&m)
    };
    for size in [(100, 30), (80, 24), (40, 12)] {
        let name = |what: &str| format!("{what}-{}x{}", size.0, size.1);
        insta::assert_snapshot!(name("help"), at(size, "?"));
        insta::assert_snapshot!(name("palette"), at(size, ":"));
        insta::assert_snapshot!(name("new-session"), at(size, "n"));
        let mut m = model(FULL, size);
        m.app.versions.insert("claude".into(), "2.1.330".into());
        press(&mut m, "n ctrl-u tab tab tab tab tab h i");
        insta::assert_snapshot!(name("new-session-filled"), shown(&m));
        insta::assert_snapshot!(name("confirm-delete"), at(size, "d"));
        insta::assert_snapshot!(name("move"), at(size, "m"));
        insta::assert_snapshot!(name("profiles"), at(size, "p"));
        insta::assert_snapshot!(name("explain"), at(size, "E"));
        insta::assert_snapshot!(name("answer"), at(size, "a"));
        insta::assert_snapshot!(name("compose"), at(size, "v v s h i alt-enter y o u"));
        insta::assert_snapshot!(name("messages"), at(size, "% M"));
        insta::assert_snapshot!(name("typing"), at(size, "i"));
        insta::assert_snapshot!(name("settings"), at(size, ", j j j j"));
        insta::assert_snapshot!(name("settings-text"), at(size, ", j j j j j j j j j j j j enter"));
        insta::assert_snapshot!(name("sort"), at(size, "S"));
        insta::assert_snapshot!(name("new-group"), at(size, "c"));
        insta::assert_snapshot!(name("fork-as"), at(size, "F"));
        insta::assert_snapshot!(name("confirm-stop"), at(size, "x"));
        insta::assert_snapshot!(
            name("trash"),
            put_away(size, ": t r a s h enter", |s, at| s.deleted_at = at)
        );
        insta::assert_snapshot!(name("archive"), put_away(size, "A", |s, at| s.archived_at = at));
        let mut m = model(FULL, size);
        press(&mut m, "o");
        let said = vec![
            Said { who: Who::User, text: "fix the \u{1b}[31mlimits".into() },
            Said { who: Who::Tool, text: "Bash cargo test".into() },
            Said {
                who: Who::Agent,
                text: "# Done\n- `limits.rs` is right\n```rust\nfn main() {}\n```".into(),
            },
        ];
        let id = m.selected().unwrap().clone();
        update(&mut m, Msg::Done(read(&id, Ok(said))));
        insta::assert_snapshot!(name("read"), shown(&m));
    }
    insta::assert_snapshot!("marked", at((100, 18), "v v"));
    insta::assert_snapshot!("heading", at((100, 18), "j"));
    insta::assert_snapshot!("rename", at((80, 24), "r"));
    insta::assert_snapshot!("find", at((80, 24), "/ b i l"));
    insta::assert_snapshot!("prefix", at((80, 24), "g"));
    insta::assert_snapshot!("unknown-key", at((80, 24), "%"));
}

#[test]
fn what_was_lost_is_offered() {
    let titles = ["api", "billing", "docs", "\u{1b}[31mevil", "gateway", "shell", "web"];
    let lost = titles.map(|t| (t, "work", None, Status::Error, Some(Reason::Gone), 60));
    let mut m = model(&lost, (80, 24));
    // As if nothing had been pressed yet.
    m.profile.banner = crate::app::revival::Banner::New;
    insta::assert_snapshot!("lost-80x24", shown(&m));
    let effects = press(&mut m, "enter");
    let Some(Effect::Revive(ids)) = effects.first() else { panic!("{effects:?}") };
    for id in &ids[..2] {
        update(&mut m, Msg::Done(Done::Revived(id.clone(), None)));
    }
    insta::assert_snapshot!("reviving-80x24", shown(&m));
    for id in &ids[2..] {
        update(&mut m, Msg::Done(Done::Revived(id.clone(), Some("it ended: no conversation found".into()))));
    }
    insta::assert_snapshot!("revived-80x24", shown(&m));
}

#[test]
fn dialogs_with_the_worst_there_is_to_show() {
    for (name, keys) in [
        ("delete", "d"),
        ("rename", "r"),
        ("move", "m"),
        ("fork", "F"),
        ("like-this", "N"),
        ("compose", "s"),
        ("explain", "E"),
        ("answer", "a"),
        ("find", "/ z"),
        ("sort", "S"),
        ("marked", "v v s"),
    ] {
        let mut m = model(WORST, (80, 24));
        press(&mut m, "j j");
        press(&mut m, keys);
        insta::assert_snapshot!(format!("worst-{name}-80x24"), shown(&m));
    }
    let mut m = model(WORST, (80, 24));
    press(&mut m, "j o");
    let id = m.selected().unwrap().clone();
    let long = "word ".repeat(200) + "\u{1b}]0;title\u{7}\u{202e}日本語👩‍👩‍👧‍👦\n```\n" + &"x".repeat(300);
    let said = vec![Said { who: Who::User, text: String::new() }, Said { who: Who::Agent, text: long }];
    update(&mut m, Msg::Done(read(&id, Ok(said))));
    insta::assert_snapshot!("worst-read-80x24", shown(&m));
    let mut m = model(WORST, (80, 24));
    for n in 0..40 {
        let text = format!("can't do {n}: \u{1b}[31m{}", "because ".repeat(30));
        update(&mut m, Msg::Done(Done::Failed(None, text)));
    }
    insta::assert_snapshot!("worst-toast-80x24", shown(&m));
    press(&mut m, "M");
    insta::assert_snapshot!("worst-messages-80x24", shown(&m));
}

#[test]
fn the_form_with_the_worst_there_is_to_show() {
    let mut m = model(WORST, (80, 24));
    press(&mut m, "n ctrl-u");
    update(
        &mut m,
        Msg::Paste("~/日本語/a very long folder name that has to scroll/and another one/\u{1b}[31m".into()),
    );
    insta::assert_snapshot!("worst-form-path-80x24", shown(&m));
    press(&mut m, "enter");
    press(&mut m, "up up up ctrl-u");
    update(&mut m, Msg::Paste("a//b".into()));
    insta::assert_snapshot!("worst-form-group-80x24", shown(&m));
}

#[test]
fn the_form_offers_the_groups_there_are() {
    let mut m = model(FULL, (80, 24));
    press(&mut m, "n tab tab tab");
    let group = |m: &mut Model, keys: &str| {
        press(m, keys);
        let screen = shown(m);
        let line = screen.lines().find(|l| l.contains("Group ")).unwrap().to_owned();
        line.split("Group").nth(1).unwrap().trim().split("  ").next().unwrap().to_owned()
    };
    assert_eq!(group(&mut m, "right"), "experiments");
    assert_eq!(group(&mut m, "right"), "experiments/deep");
    insta::assert_snapshot!("form-groups-80x24", shown(&m));
    assert_eq!(group(&mut m, "right"), "│\"", "none");
    assert_eq!(group(&mut m, "right"), "backend");
    assert_eq!(group(&mut m, "ctrl-u e tab"), "experiments");
    assert_eq!(group(&mut m, "ctrl-u x"), "x", "a new one");
}

/// What asks for what was said in a session, and the answer.
fn asks(id: &SessionId) -> Effect {
    Effect::Talk(TalkWork::Read(Whose::Session(id.clone()), TalkPage::Messages))
}

fn read(id: &SessionId, said: Result<Vec<Said>, String>) -> Done {
    Done::TalkPage(Whose::Session(id.clone()), TalkPage::Messages, said.map(PageText::Said))
}

#[test]
fn a_conversation_that_continues_is_read_further() {
    let mut m = model(FULL, (80, 24));
    press(&mut m, "o");
    let id = m.selected().unwrap().clone();
    let preview_header = |id: &SessionId| {
        let preview_header = PreviewHeader { branch: None, digest: None };
        Msg::PreviewHeader(id.clone(), Box::new(preview_header))
    };
    assert_eq!(update(&mut m, preview_header(&id)), [asks(&id)]);
    assert_eq!(update(&mut m, preview_header(&SessionId::new("id-docs"))), [], "another's");
    let said = |text: &str| vec![Said { who: Who::Agent, text: text.into() }];
    update(&mut m, Msg::Done(read(&id, Ok(said("first")))));
    update(&mut m, Msg::Done(read(&id, Ok(said("first\nsecond")))));
    assert!(shown(&m).contains("second"));
    press(&mut m, "esc");
    assert_eq!(update(&mut m, preview_header(&id)), [], "nobody reads");
}

#[test]
fn what_was_written_for_one_session_is_never_offered_to_another() {
    let mut m = model(FULL, (80, 24));
    press(&mut m, "s h i esc j s");
    assert!(!shown(&m).contains("│ hi"), "{}", shown(&m));
    press(&mut m, "esc k s");
    assert!(shown(&m).contains("│ hi"), "{}", shown(&m));
    let sent = press(&mut m, "enter");
    let api = SessionId::new("id-api");
    assert_eq!(sent.first(), Some(&Effect::Send(api.clone(), "hi".into(), Unsent::Refuse)));
    let why = "session \"api\" asks you: a message would be taken for the answer (a answers)";
    update(&mut m, Msg::Done(Done::NotSent(api, "hi".into(), why.into())));
    insta::assert_snapshot!("not-sent-80x24", shown(&m).lines().last().unwrap());
    press(&mut m, "s");
    assert!(shown(&m).contains("│ hi"), "{}", shown(&m));
}

#[test]
fn a_message_over_unsent_input_offers_to_replace_it_or_to_append() {
    let unsent = |id: &SessionId| {
        Msg::Done(Done::Unsent {
            id: id.clone(),
            message: "the real message".into(),
            typed: "half typed thought".into(),
            words: "session \"api\" has unsent input: \"half typed thought\"".into(),
        })
    };
    for (pressed, wanted) in [("r", Unsent::Replace), ("a", Unsent::Append)] {
        let mut m = model(FULL, (80, 24));
        let api = m.selected().unwrap().clone();
        press(&mut m, "s x enter");
        update(&mut m, unsent(&api));
        if pressed == "r" {
            insta::assert_snapshot!("unsent-input-80x24", shown(&m));
        }
        assert_eq!(m.app.drafts.get(&vec![api.clone()]).map(String::as_str), Some("the real message"));
        let sent = press(&mut m, pressed);
        assert_eq!(sent.first(), Some(&Effect::Send(api.clone(), "the real message".into(), wanted)));
        assert!(m.app.drafts.is_empty(), "it is on its way");
    }
    let mut m = model(FULL, (80, 24));
    let api = m.selected().unwrap().clone();
    press(&mut m, "s x enter");
    update(&mut m, unsent(&api));
    press(&mut m, "esc");
    assert!(m.is_free() && m.app.drafts.len() == 1, "cancelled: the message is a draft");
    // Who goes on meanwhile means something else by the keys.
    press(&mut m, "s enter j");
    update(&mut m, unsent(&api));
    assert!(m.is_free(), "{}", shown(&m));
    assert!(shown(&m).contains("has unsent input"), "{}", shown(&m));
}

#[test]
fn words_that_are_no_error_fade() {
    let mut m = model(&FULL[5..6], (80, 24));
    let tick = |m: &mut Model, seconds| {
        update(m, Msg::Clock(now() + SignedDuration::from_secs(seconds)));
    };
    m.notify("started api");
    assert!(m.moves(), "somebody must tick");
    tick(&mut m, 100);
    tick(&mut m, 107);
    assert!(m.app.messages.toast.is_some());
    tick(&mut m, 108);
    assert!(m.app.messages.toast.is_none() && !m.moves());
    m.notify_error("it failed");
    tick(&mut m, 200);
    tick(&mut m, 300);
    assert!(m.app.messages.toast.is_some() && !m.moves());
}

#[test]
fn a_filter_is_kept_and_cleared_with_the_mouse() {
    let mut m = model(FULL, (80, 24));
    let all = m.view.rows.len();
    press(&mut m, "/ d o c s");
    click(&mut m, "enter keep");
    assert!(!m.mode.is_find() && m.view.rows.len() < all, "{}", shown(&m));
    click(&mut m, "esc clears");
    assert_eq!(m.view.rows.len(), all, "{}", shown(&m));
    press(&mut m, "/ d o c s");
    click(&mut m, "esc clear");
    assert!(!m.mode.is_find() && m.view.rows.len() == all, "{}", shown(&m));
}
