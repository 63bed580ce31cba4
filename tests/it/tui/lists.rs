//! Finding, arranging and adding sessions.

use super::with_sessions;
use crate::support::{Sandbox, Screen, wait_until};

#[test]
fn the_form_adds_a_session() {
    let s = with_sessions();
    let dir = s.project("fresh");
    let screen = Screen::open(&s, "t", (110, 30), &[]);
    screen.shows("hello from alpha");
    screen.keys(&["n"]);
    screen.shows("New session");
    screen.keys(&["C-u"]);
    screen.keys(&[dir.trim_end_matches("sh")]);
    screen.keys(&["Tab"]);
    screen.shows("fresh/");
    screen.keys(&["Tab"]);
    screen.shows("choose");
    screen.keys(&["Left"]);
    screen.shows("Command");
    screen.keys(&["agent new"]);
    screen.shows("agent new");
    screen.shows("in ");
    screen.keys(&["Enter"]);
    screen.shows("started fresh");
    screen.shows("hello from new");
    assert_eq!(s.session("fresh")["command"], "agent new");
}

#[test]
fn the_form_lists_folders_and_makes_one() {
    let s = with_sessions();
    let dir = s.project("plans");
    for name in ["one", "日本語", ".hidden"] {
        std::fs::create_dir(std::path::Path::new(&dir).join(name)).unwrap();
    }
    let screen = Screen::open(&s, "t", (110, 30), &[]);
    screen.shows("hello from alpha");
    screen.keys(&["n", "C-u"]);
    screen.keys(&[&format!("{dir}/")]);
    screen.shows("日本語/");
    assert!(!screen.text().contains("hidden"), "{}", screen.text());
    // Tab goes to the list and not to the next field, again it goes into the folder.
    screen.keys(&["Tab"]);
    screen.shows("▌         one/");
    screen.keys(&["Down", "Tab"]);
    screen.shows("plans/日本語/");
    screen.keys(&["new/deep"]);
    screen.shows("no such folder");
    screen.keys(&["Enter"]);
    screen.shows("Create it and start there?");
    let made = std::path::Path::new(&dir).join("日本語/new/deep");
    assert!(!made.exists());
    screen.keys(&["Enter"]);
    screen.shows("started deep");
    assert!(made.is_dir());
    assert_eq!(s.session("deep")["project_path"], made.to_str().unwrap());
}

#[test]
fn rename_move_delete_undo() {
    let s = with_sessions();
    let screen = Screen::open(&s, "t", (100, 30), &[]);
    screen.shows("hello from alpha");
    screen.keys(&["r", "C-u"]);
    screen.keys(&["omega", "Enter"]);
    // It was in the dialog, too.
    screen.hides("Rename session");
    screen.shows("omega");
    screen.keys(&["m"]);
    screen.shows("Move omega to");
    screen.keys(&["play", "Enter"]);
    wait_until("it moved", || {
        let v = s.session("omega");
        if v["group_path"] == "play" { Ok(()) } else { Err(v.to_string()) }
    });
    screen.keys(&["d"]);
    screen.shows("Delete omega?");
    screen.keys(&["Enter"]);
    // The question says "u restores it", too.
    screen.shows("deleted omega; u restores it");
    screen.keys(&["u"]);
    screen.shows("restored omega");
    assert_eq!(s.session("omega")["status"], "stopped");
}

#[test]
fn finding_help_palette_and_groups() {
    let s = with_sessions();
    let screen = Screen::open(&s, "t", (80, 24), &[]);
    screen.shows("hello from alpha");
    screen.keys(&["/", "gam"]);
    screen.hides("alpha");
    screen.keys(&["Escape"]);
    screen.shows("alpha");
    screen.keys(&["?"]);
    screen.shows("type to find a key");
    screen.keys(&["undo"]);
    screen.shows("Undo what was deleted");
    screen.keys(&["Escape"]);
    screen.keys(&[":", "new group"]);
    screen.keys(&["Enter"]);
    screen.shows("New group");
    screen.keys(&["C-u"]);
    screen.keys(&["fresh/one", "Enter"]);
    wait_until("the group is there", || match s.deck(&["group", "list"]).ok() {
        list if list.contains("fresh") => Ok(()),
        list => Err(list),
    });
}

#[test]
fn putting_away_and_bringing_back() {
    let s = with_sessions();
    let screen = Screen::open(&s, "t", (100, 30), &[]);
    screen.shows("hello from alpha");
    screen.keys(&["A"]);
    screen.shows("Archive alpha?");
    screen.keys(&["Enter"]);
    screen.shows("archived alpha");
    assert_eq!(s.list().len(), 2);
    assert_eq!(s.deck(&["unarchive", "-q"]).ok(), "alpha\n");
    s.deck(&["unarchive", "alpha"]).ok();
    screen.shows("■   alpha");
}

#[test]
fn two_screens_see_forty_adds() {
    let s = Sandbox::new();
    s.agent("claude");
    let dir = s.project("p");
    let screens = [Screen::open(&s, "one", (100, 50), &[]), Screen::open(&s, "two", (120, 60), &[])];
    for screen in &screens {
        screen.shows("add a session");
    }
    let children: Vec<_> =
        (0..40).map(|i| s.spawn_deck(&["add", &dir, "-t", &format!("t{i:02}"), "-c", "claude"])).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    for screen in &screens {
        for i in 0..40 {
            screen.shows(&format!("t{i:02} "));
        }
    }
}

#[test]
fn the_list_and_the_screen_agree() {
    let s = with_sessions();
    s.program("fails", "exit 3");
    s.deck(&["add", &s.project("bad"), "-t", "delta", "-c", "fails"]).ok();
    let screen = Screen::open(&s, "t", (80, 40), &[]);
    wait_until("both say the same of every session", || {
        let text = screen.text();
        for v in s.list() {
            let title = v["title"].as_str().unwrap();
            let word = v["reason"].as_str().or(v["status"].as_str()).unwrap();
            let row = text.lines().skip(3).find(|l| l.contains(&format!(" {title} "))).unwrap_or_default();
            if !row.contains(word) || v["status"] == "starting" {
                return Err(format!("{title} is {word}\n{text}"));
            }
        }
        Ok(())
    });
}

#[test]
fn keys_on_a_screen_too_small_to_show_anything_do_nothing() {
    let s = with_sessions();
    let screen = Screen::open(&s, "t", (38, 9), &[]);
    screen.shows("deck needs 40 columns");
    screen.keys(&["d", "Enter", "n", "x", "y"]);
    s.tmux("outer", &["resize-window", "-t", "t", "-x", "80", "-y", "24"]);
    screen.shows("hello from alpha");
    assert_eq!(s.list().len(), 3);
}

#[test]
fn the_form_makes_a_worktree_once_its_setup_is_allowed() {
    let s = with_sessions();
    let path = crate::places::repository(&s, "api");
    std::fs::write(format!("{path}/.deck.toml"), "setup = [\"echo preparing\"]\n").unwrap();
    crate::places::commit(&s, &path, "setup");
    let screen = Screen::open(&s, "t", (110, 30), &[]);
    screen.shows("hello from alpha");
    screen.keys(&["n", "C-u"]);
    screen.keys(&[&path]);
    screen.shows("Branch");
    screen.keys(&["Down"]);
    screen.shows("name one to work in a worktree");
    screen.keys(&["feat/x"]);
    screen.shows("for a new branch feat/x from main");
    screen.keys(&["Enter"]);
    screen.shows("Allow what api brings?");
    screen.shows("echo preparing");
    assert!(!s.path("home").join("src/api-worktrees").exists());
    screen.keys(&["o"]);
    screen.shows("started feat/x");
    wait_until("it works in the worktree", || {
        let place = s.session("feat/x")["place"]["setup"].clone();
        if place == "done" { Ok(()) } else { Err(place.to_string()) }
    });
    assert!(s.path("home").join("src/api-worktrees/feat-x/one").exists());
}
