//! The new-session form: its other fields, what it will run, and what a repository brings.

use super::new_session_form::{answer, focus, form, go};
use super::*;
use crate::app::Prepared;

#[test]
fn enter_waits_until_it_is_known_what_would_run() {
    let mut m = model(FULL, (80, 24));
    press(&mut m, "n");
    let asked = press(&mut m, "tab tab x");
    assert_eq!(press(&mut m, "enter"), []);
    let done: Vec<Effect> =
        asked.iter().filter_map(answer).flat_map(|done| update(&mut m, Msg::Done(done))).collect();
    assert!(matches!(done[..], [Effect::Create(_)]), "{done:?}");
}

#[test]
fn the_command_is_one_line_and_ctrl_o_shows_all_of_it() {
    let prompt =
        "\"Add-rate-limiting-to-the-public-endpoints-and-日本語-and-then-write-tests-for-each-of-them\"";
    for size in [(100, 30), (80, 24), (40, 12)] {
        let mut m = form(size, &format!("tab tab tab tab tab {prompt}"));
        let last = m.dialogs.last().unwrap().panel(&m).blocks.pop();
        let height = |m: &Model| shown(m).lines().position(|l| l.contains("New session")).unwrap();
        let before = height(&m);
        insta::assert_snapshot!(format!("command-{}x{}", size.0, size.1), shown(&m));
        go(&mut m, "x x x x x x");
        assert_eq!(height(&m), before, "{last:?}");
        go(&mut m, "ctrl-o");
        insta::assert_snapshot!(format!("command-all-{}x{}", size.0, size.1), shown(&m));
        go(&mut m, "ctrl-o");
        assert_eq!(focus(&m), "Prompt");
    }
}

#[test]
fn all_of_a_command_says_what_runs_before_and_what_is_sent_after() {
    let mut m = model(FULL, (100, 30));
    let asked = press(&mut m, "n");
    let Some(Effect::Prepare(number, _)) = asked.first() else { panic!("{asked:?}") };
    let plan = Prepared {
        brief: "opencode --port … --session …".into(),
        full: "opencode --port <free port> --session <new id>".into(),
        before: Some("opencode serve --port '{port}'".into()),
        sends: Some("fix\n\u{1b}[31mit".into()),
        ..Prepared::default()
    };
    update(&mut m, Msg::Done(Done::Prepared(*number, Ok(plan))));
    insta::assert_snapshot!("command-sends-100x30", shown(&m));
    press(&mut m, "ctrl-o");
    insta::assert_snapshot!("command-sends-all-100x30", shown(&m));
    press(&mut m, "esc");
    assert!(shown(&m).contains("New session"), "esc goes back to the form");
    // The line itself is as good as the key.
    let line = shown(&m).lines().position(|l| l.contains("ctrl-o all")).unwrap();
    let at = Mouse { kind: MouseKind::Press, column: 20, row: line.try_into().unwrap() };
    update(&mut m, Msg::Mouse(at));
    assert!(shown(&m).contains("First, to get an id"), "{}", shown(&m));
}

#[test]
fn nothing_moves_when_versions_arrive() {
    for size in [(200, 50), (100, 30), (80, 24), (40, 12)] {
        let mut m = form(size, "tab");
        let top = |m: &Model| shown(m).lines().position(|l| l.contains("New session"));
        let before = top(&m);
        let versions = [("claude", "2.1.330"), ("gemini", "0.61.0-preview.1"), ("codex", "0.169.0")];
        let versions = versions.map(|(name, version)| (name.to_owned(), version.to_owned()));
        update(&mut m, Msg::Done(Done::Versions(versions.into())));
        assert!(
            shown(&m).contains("Claude Code 2.1.330    ○ Gemini 0.61.0-…") || size.0 < 80,
            "{}",
            shown(&m)
        );
        assert_eq!(top(&m), before, "{size:?}");
    }
}

#[test]
fn a_proposed_title_is_replaced_by_what_is_typed_and_edited_by_any_other_key() {
    let title = |keys: &str| {
        let mut m = form((100, 30), "tab tab");
        go(&mut m, keys);
        let shown = m.dialogs.last().unwrap().panel(&m);
        let is_title = |b: &crate::app::Block| match b {
            crate::app::Block::Field { label, text, .. } if label == "Title" => Some(text.clone()),
            _ => None,
        };
        shown.blocks.iter().find_map(is_title).unwrap()
    };
    assert_eq!(title("x y"), "xy");
    assert_eq!(title("backspace"), "backen");
    assert_eq!(title("right x"), "backendx");
    assert_eq!(title("\"pasted\""), "pasted");
    let m = form((100, 30), "tab tab");
    assert!(shown(&m).contains("type to replace it"), "{}", shown(&m));
}

#[test]
fn a_command_of_ones_own_is_typed_where_the_cursor_is() {
    let mut m = model(FULL, (80, 24));
    press(&mut m, "n");
    while !shown(&m).contains("▌Tool") {
        press(&mut m, "tab");
    }
    press(&mut m, "left");
    while !shown(&m).contains("Command ") {
        press(&mut m, "left");
    }
    press(&mut m, "l s");
    let text = shown(&m);
    assert!(text.contains("▌Command   ls") && !text.contains("▌Tool"), "{text}");
}

/// The form in a repository, with the branch's field chosen.
fn branch_form(size: (u16, u16)) -> Model {
    let mut m = form(size, "ctrl-u \"~/src/frontend\"");
    while focus(&m) != "Branch" {
        go(&mut m, "tab");
    }
    m
}

#[test]
fn a_branch_is_asked_for_in_a_repository_alone() {
    for size in [(100, 30), (80, 24), (40, 12)] {
        let mut m = branch_form(size);
        insta::assert_snapshot!(format!("branch-{}x{}", size.0, size.1), shown(&m));
        go(&mut m, "\"feat/x\"");
        insta::assert_snapshot!(format!("branch-named-{}x{}", size.0, size.1), shown(&m));
        go(&mut m, "ctrl-o");
        insta::assert_snapshot!(format!("branch-all-{}x{}", size.0, size.1), shown(&m));
        go(&mut m, "ctrl-o");
        let effects = go(&mut m, "enter");
        let [Effect::Create(new)] = &effects[..] else { panic!("{effects:?}") };
        assert_eq!(new.worktree.as_ref().map(|w| w.branch.as_str()), Some("feat/x"));
        assert_eq!(new.title.as_deref(), Some("feat/x"));
    }
    let mut m = form((100, 30), "tab");
    for _ in 0..8 {
        assert_ne!(focus(&m), "Branch", "there is no repository");
        go(&mut m, "tab");
    }
}

#[test]
fn what_a_repository_brings_is_shown_and_allowed_before_anything_is_made() {
    for size in [(100, 30), (80, 24), (40, 12)] {
        let mut m = branch_form(size);
        go(&mut m, "\"setup\"");
        assert_eq!(go(&mut m, "enter"), [], "nothing is made yet");
        insta::assert_snapshot!(format!("consent-{}x{}", size.0, size.1), shown(&m));
        assert_eq!(go(&mut m, "enter"), [], "a key that means something else allows nothing");
        go(&mut m, "esc");
        assert_eq!(focus(&m), "Branch", "the form is as it was");
        go(&mut m, "enter");
        let effects = go(&mut m, "a");
        let [Effect::Create(new)] = &effects[..] else { panic!("{effects:?}") };
        let given = new.worktree.as_ref().and_then(|w| w.consent.clone()).unwrap();
        assert_eq!((given.sha256.as_str(), given.always), ("1234", true));
    }
}
