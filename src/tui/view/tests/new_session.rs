//! The new-session form: its path, the folders below it, and what it will run.

use super::*;
use crate::app::{Asked, Folders, NotPrepared, Prepared, PreparedWorktree};

/// Folders on a disk that is not there.
const DISK: &[&str] = &[
    "/home/me/src",
    "/home/me/locked",
    "/home/me/src/api",
    "/home/me/src/api-2",
    "/home/me/src/日本語",
    "/home/me/src/日本語/深い",
    "/home/me/src/.hidden",
    "/home/me/src/backend",
    "/home/me/src/cli",
    "/home/me/src/docs",
    "/home/me/src/edge",
    "/home/me/src/frontend",
    "/home/me/src/experiments",
    "/home/me/src/experiments/deep",
];

/// What would run, as long as it gets.
fn plan_of(new: &crate::ops::New) -> Prepared {
    let prompt = new.prompt.as_ref().map(|p| format!(" '{p}'")).unwrap_or_default();
    let hooks = "/home/me/.local/state/deck/agents/claude-hooks.json";
    Prepared {
        brief: format!("claude --settings … --session-id …{prompt}"),
        full: format!("claude --settings {hooks} --session-id <new id>{prompt}"),
        in_repository: new.path.ends_with("frontend"),
        worktree: new.worktree.as_ref().map(worktree_of),
        ..Prepared::default()
    }
}

/// The worktree that would be made; its repository brings something for the branch `setup`.
fn worktree_of(wish: &crate::ops::worktree::WorktreeWish) -> PreparedWorktree {
    let asks = (wish.branch == "setup").then(|| Asked {
        repository: "frontend".into(),
        sha256: "1234".into(),
        text: ".deck.toml:\n  setup = [\"npm ci\", \"./scripts/db.sh\"]\n\nscripts/db.sh:\n  #!/bin/sh\n  createdb \u{1b}[31m$DECK_BRANCH\n".into(),
    });
    PreparedWorktree {
        path: format!("/home/me/src/frontend-worktrees/{}", wish.branch),
        what: format!("for a new branch {} from main, at 3f2c1aa0 \"Fix the login\", 2 h ago", wish.branch),
        details: vec!["copies 2 ignored files, 1 kB".into(), "runs npm ci".into()],
        asks,
    }
}

/// What the loop would answer.
fn answer(effect: &Effect) -> Option<Done> {
    match effect {
        Effect::Prepare(number, new) => {
            let path = new.path.to_str().unwrap();
            let plan = if DISK.contains(&path) {
                Ok(plan_of(new))
            } else {
                Err(NotPrepared { why: format!("folder {path} doesn't exist"), no_folder: true })
            };
            Some(Done::Prepared(*number, plan))
        }
        Effect::CompletePath(number, text) if text.starts_with("~/locked/") => {
            let trouble = Some("Permission denied (os error 13)".to_owned());
            Some(Done::Folders(*number, Folders { trouble, ..Folders::default() }))
        }
        Effect::CompletePath(number, text) => {
            let (folder, start) = text.split_at(text.rfind('/').map_or(0, |at| at + 1));
            let real = folder.replace('~', "/home/me");
            let name = |path: &&str| path.strip_prefix(&real).filter(|n| !n.contains('/')).map(str::to_owned);
            let mut names: Vec<String> = DISK.iter().filter_map(name).collect();
            names.retain(|n| n.starts_with(start) && (start.starts_with('.') || !n.starts_with('.')));
            names.sort();
            let common = match &names[..] {
                [one] => format!("{one}/"),
                [first, .., last] => {
                    first.chars().zip(last.chars()).take_while(|(a, b)| a == b).map(|(c, _)| c).collect()
                }
                [] => String::new(),
            };
            let start = format!("{folder}{common}");
            let names: Vec<String> = names.iter().map(|n| format!("{folder}{n}")).collect();
            Some(Done::Folders(*number, Folders { total: names.len(), names, start, trouble: None }))
        }
        Effect::MakeFolder(number, path) if path.starts_with("/root") => {
            let why = "can't create the folder /root/x: Permission denied (os error 13)";
            Some(Done::FolderMade(*number, Err(why.to_owned())))
        }
        _ => None,
    }
}

/// Presses keys one after the other, each with the loop's answers; the effects that remain.
fn go(m: &mut Model, keys: &str) -> Vec<Effect> {
    let mut left = Vec::new();
    for key in keys.split(' ') {
        let mut effects = if let Some(text) = key.strip_prefix('"') {
            update(m, Msg::Paste(text.trim_end_matches('"').to_owned()))
        } else {
            press(m, key)
        };
        while !effects.is_empty() {
            let (answers, others): (Vec<_>, Vec<_>) =
                effects.iter().map(|e| (answer(e), e)).partition(|(a, _)| a.is_some());
            left.extend(others.into_iter().map(|(_, e)| e.clone()));
            let done = answers.into_iter().filter_map(|(a, _)| a);
            effects = done.flat_map(|done| update(m, Msg::Done(done))).collect();
        }
    }
    left
}

/// The form with a path, opened.
fn form(size: (u16, u16), keys: &str) -> Model {
    let mut m = model(FULL, size);
    go(&mut m, "n");
    go(&mut m, keys);
    m
}

/// The path in the field.
fn path(m: &Model) -> String {
    let shown = m.dialogs.last().unwrap().panel(m);
    let is_path = |b: &crate::app::Block| match b {
        crate::app::Block::Field { label, text, .. } if label == "Path" => Some(text.clone()),
        _ => None,
    };
    shown.blocks.iter().find_map(is_path).unwrap()
}

/// The folders that are offered: the picked one in brackets.
fn rows(m: &Model) -> String {
    let shown = m.dialogs.last().unwrap().panel(m);
    let row = |b: &crate::app::Block| match b {
        crate::app::Block::Item { spans, right, selected } => {
            let text = |all: &[crate::app::Span]| all.iter().map(|s| s.text.trim()).collect::<String>();
            let (name, right) = (text(spans), text(right));
            let right = if right.is_empty() { right } else { format!(":{right}") };
            Some(if *selected { format!("[{name}{right}]") } else { format!("{name}{right}") })
        }
        _ => None,
    };
    shown.blocks.iter().filter_map(row).collect::<Vec<_>>().join(" ")
}

/// Which field has the focus.
fn focus(m: &Model) -> String {
    let shown = m.dialogs.last().unwrap().panel(m);
    let focused =
        shown.blocks.into_iter().rfind(|b| b.has_focus() && !matches!(b, crate::app::Block::Item { .. }));
    match focused {
        Some(crate::app::Block::Field { label, .. } | crate::app::Block::Choices { label, .. }) => label,
        other => panic!("{other:?}"),
    }
}

#[test]
fn folders_are_listed_below_the_path() {
    for size in [(100, 30), (80, 24), (40, 12)] {
        let name = |what: &str| format!("path-{what}-{}x{}", size.0, size.1);
        insta::assert_snapshot!(name("recent"), shown(&form(size, "ctrl-u")));
        insta::assert_snapshot!(name("listed"), shown(&form(size, "ctrl-u \"~/src/\" down down")));
        insta::assert_snapshot!(name("missing"), shown(&form(size, "ctrl-u \"~/src/日本語/new\" enter")));
    }
    let long = "~/src/a-very-long-name-that-nobody-would-want-to-type/and-one-more-of-them/日本語";
    let mut m = form((40, 12), &format!("ctrl-u \"{long}\""));
    update(&mut m, Msg::Resize(80, 24));
    insta::assert_snapshot!("path-long-80x24", shown(&m));
}

#[test]
fn an_empty_path_offers_the_recent_folders() {
    let mut m = form((80, 24), "ctrl-u");
    assert_eq!(rows(&m), "~/src ~/src/backend ~/src/experiments/deep ~/src/experiments");
    go(&mut m, "down down");
    assert_eq!(rows(&m), "~/src [~/src/backend] ~/src/experiments/deep ~/src/experiments");
    assert_eq!(path(&m), "", "only looked at");
    go(&mut m, "up");
    assert!(rows(&m).starts_with("[~/src]"), "{}", rows(&m));
    assert_eq!(go(&mut m, "down enter"), [], "taken, and nothing is created");
    assert_eq!((path(&m).as_str(), focus(&m).as_str()), ("~/src/backend", "Path"));
    go(&mut m, "tab");
    assert_eq!(focus(&m), "Tool");
    // Tab on an empty field takes the latest one; below the last row is the next field.
    let mut m = form((80, 24), "ctrl-u tab");
    assert_eq!(path(&m), "~/src");
    go(&mut m, "down down down");
    assert!(rows(&m).ends_with("[~/src/experiments]"), "{}", rows(&m));
    go(&mut m, "down");
    assert_eq!(focus(&m), "Tool");
    // The first esc leaves the list, the next one the form.
    let mut m = form((80, 24), "ctrl-u b down esc");
    assert_eq!(path(&m), "b");
    go(&mut m, "esc");
    assert!(m.dialogs.is_empty());
}

#[test]
fn tab_completes_lists_and_goes_deeper() {
    let mut m = form((80, 24), "ctrl-u ~ / s");
    let mut step = |keys: &str| {
        go(&mut m, keys);
        format!("{} {}: {}", focus(&m), path(&m), rows(&m))
    };
    let all = [
        // What is clear is completed, and then listed.
        ("tab", "Path ~/src/: backend/:recent experiments/:recent api/ api-2/ cli/ docs/:3 more"),
        // The shell's habit: a folder that ends in a slash is listed, not left.
        ("tab", "Path ~/src/: [backend/:recent] experiments/:recent api/ api-2/ cli/ docs/:3 more"),
        ("down", "Path ~/src/: backend/:recent [experiments/:recent] api/ api-2/ cli/ docs/:3 more"),
        ("tab", "Path ~/src/experiments/: deep/:recent"),
        ("tab", "Path ~/src/experiments/deep/: "),
        // There is nothing below it.
        ("tab", "Tool ~/src/experiments/deep/: "),
        ("up ctrl-u a", "Path a: "),
        ("ctrl-u B", "Path B: ~/src/backend:recent"),
        ("tab tab", "Path ~/src/backend/: "),
        ("ctrl-u \"~/src/a\"", "Path ~/src/a: api/ api-2/"),
        ("tab", "Path ~/src/api: api/ api-2/"),
        ("tab down tab", "Path ~/src/api-2/: "),
        ("backspace", "Path ~/src/api-2: "),
        // It is whole.
        ("tab", "Tool ~/src/api-2: "),
        ("up ctrl-u \"~/src/日\"", "Path ~/src/日: 日本語/"),
        ("tab", "Path ~/src/日本語/: 深い/"),
        ("ctrl-u \"~/src/.\"", "Path ~/src/.: .hidden/"),
        ("ctrl-u \"~/nowhere/x\" tab", "Tool ~/nowhere/x: "),
    ];
    for (keys, want) in all {
        assert_eq!(step(keys), want, "{keys}");
    }
}

#[test]
fn tab_waits_for_the_disk_and_an_answer_to_something_older_is_nothing() {
    let mut m = model(FULL, (80, 24));
    press(&mut m, "n ctrl-u ~");
    let old = press(&mut m, "/");
    let new = press(&mut m, "s");
    let asked = press(&mut m, "tab");
    assert!(matches!(asked[..], [Effect::CompletePath(..)]), "{asked:?}");
    old.iter().filter_map(answer).for_each(|done| drop(update(&mut m, Msg::Done(done))));
    assert_eq!(path(&m), "~/s");
    new.iter().filter_map(answer).for_each(|done| drop(update(&mut m, Msg::Done(done))));
    assert_eq!(path(&m), "~/src/");
    // The answer to tab itself comes too late for anything.
    asked.iter().filter_map(answer).for_each(|done| drop(update(&mut m, Msg::Done(done))));
    assert_eq!(path(&m), "~/src/");
}

#[test]
fn what_is_typed_while_the_disk_is_waited_for_comes_after_it() {
    let mut m = model(FULL, (100, 30));
    press(&mut m, "n ctrl-u ~ / s");
    let asked = press(&mut m, "tab a p tab down down");
    assert_eq!(path(&m), "~/s");
    assert!(shown(&m).contains("reading the folder"), "{}", shown(&m));
    let mut effects = asked;
    while !effects.is_empty() {
        let answers: Vec<Done> = effects.iter().filter_map(answer).collect();
        effects = answers.into_iter().flat_map(|done| update(&mut m, Msg::Done(done))).collect();
    }
    assert_eq!((path(&m).as_str(), rows(&m).as_str()), ("~/src/api", "api/ [api-2/]"));
    // What is done meanwhile with the mouse ends the wait: the answer would be to another form.
    press(&mut m, "backspace down");
    let line = shown(&m).lines().position(|l| l.contains("Gemini")).unwrap();
    let line = line.try_into().unwrap();
    update(&mut m, Msg::Mouse(Mouse { kind: MouseKind::Press, column: 45, row: line }));
    press(&mut m, "up i");
    assert_eq!((path(&m).as_str(), focus(&m).as_str()), ("~/src/api", "Path"));
    // A disk that never answers keeps nobody.
    press(&mut m, "backspace down x");
    assert_eq!(path(&m), "~/src/ap");
    press(&mut m, "esc x");
    assert_eq!(path(&m), "~/src/apx");
}

#[test]
fn a_folder_that_can_not_be_listed_says_why() {
    let m = form((100, 30), "ctrl-u \"~/locked/\"");
    assert!(shown(&m).contains("can't be listed: Permission denied"), "{}", shown(&m));
}

#[test]
fn a_row_of_the_list_is_taken_by_a_click() {
    let mut m = form((80, 24), "ctrl-u \"~/src/\"");
    let line = shown(&m).lines().position(|l| l.contains("api-2/")).unwrap();
    let at = Mouse { kind: MouseKind::Press, column: 20, row: line.try_into().unwrap() };
    update(&mut m, Msg::Mouse(at));
    assert_eq!((path(&m).as_str(), focus(&m).as_str()), ("~/src/api-2", "Path"));
}

#[test]
fn a_folder_that_does_not_exist_is_made_only_after_a_question() {
    let mut m = form((80, 24), "ctrl-u \"~/src/new\"");
    assert!(shown(&m).contains("no such folder"), "{}", shown(&m));
    assert_eq!(go(&mut m, "enter"), [], "asked first");
    assert!(shown(&m).contains("Create it and start there?"), "{}", shown(&m));
    assert_eq!(go(&mut m, "esc enter esc"), [], "esc goes back to the form");
    assert!(!m.dialogs.is_empty());
    assert_eq!(go(&mut m, "enter x enter"), [], "what is typed is another path");
    assert_eq!(path(&m), "~/src/newx");
    let made = go(&mut m, "enter");
    let [Effect::MakeFolder(number, folder)] = &made[..] else { panic!("{made:?}") };
    assert_eq!(folder.to_str(), Some("/home/me/src/newx"));
    assert_eq!(go(&mut m, "enter enter"), [], "it is being made");
    // The session is added as soon as the folder is there.
    let after = update(&mut m, Msg::Done(Done::FolderMade(*number, Ok(()))));
    let [Effect::Prepare(number, new)] = &after[..] else { panic!("{after:?}") };
    let planned = Done::Prepared(*number, Ok(Prepared::default()));
    assert_eq!(update(&mut m, Msg::Done(planned)), [Effect::Create(new.clone())]);
    assert!(m.dialogs.is_empty());
}

#[test]
fn a_folder_that_can_not_be_made_says_why_and_nothing_is_lost() {
    let mut m = form((80, 24), "tab tab tab tab tab");
    go(&mut m, "\"fix-it\" up up up up up ctrl-u \"/root/x\" enter enter");
    insta::assert_snapshot!("path-not-made-80x24", shown(&m));
    assert_eq!(go(&mut m, "enter"), [], "asked again");
    assert!(shown(&m).contains("Create it and start there?"), "{}", shown(&m));
}

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
