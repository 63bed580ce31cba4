//! The path of the new-session form: the folders that are listed below it, and one that is made.

use super::new_session_form::{answer, focus, form, go, path, rows};
use super::*;
use crate::app::Prepared;

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
