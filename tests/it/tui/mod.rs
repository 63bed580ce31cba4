//! deck's screen in a real terminal.

use crate::support::{Sandbox, Screen, wait_until};

fn with_sessions() -> Sandbox {
    let s = Sandbox::new();
    s.program("agent", "echo \"hello from $1\"; exec cat");
    for (title, group) in [("alpha", "work"), ("beta", "work/deep"), ("gamma", "play")] {
        s.deck(&["add", &s.project(title), "-t", title, "-g", group, "-c", "agent", "--", title]).ok();
    }
    s
}

#[test]
fn moving_attaching_and_coming_back() {
    let s = with_sessions();
    let screen = Screen::open(&s, "t", (100, 30), &[]);
    screen.shows("hello from alpha");
    screen.keys(&["G"]);
    screen.shows("hello from gamma");
    screen.keys(&["Enter"]);
    screen.shows("ctrl-q leaves");
    screen.keys(&["typed here", "Enter"]);
    screen.shows("typed here");
    screen.keys(&["C-q"]);
    screen.shows("commands");
    screen.shows("typed here");
    screen.keys(&["q"]);
    screen.after_end("");
    assert_eq!(s.list().len(), 3, "sessions go on");
}

#[test]
fn the_form_adds_a_session() {
    let s = with_sessions();
    let dir = s.project("fresh");
    let screen = Screen::open(&s, "t", (110, 30), &[]);
    screen.shows("hello from alpha");
    screen.keys(&["n"]);
    screen.shows("New session");
    screen.keys(&["C-u"]);
    screen.keys(&[&dir]);
    screen.keys(&["Tab"]);
    screen.shows("fresh/");
    screen.keys(&["Tab", "Left"]);
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
fn rename_move_delete_undo() {
    let s = with_sessions();
    let screen = Screen::open(&s, "t", (100, 30), &[]);
    screen.shows("hello from alpha");
    screen.keys(&["r", "C-u"]);
    screen.keys(&["omega", "Enter"]);
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
    screen.shows("u brings it back");
    screen.keys(&["u"]);
    screen.shows("brought back omega");
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
    screen.shows("Bring back what was deleted last.");
    screen.keys(&["Escape"]);
    screen.keys(&[":", "new group"]);
    screen.keys(&["Enter"]);
    screen.shows("New group");
    screen.keys(&["C-u"]);
    screen.keys(&["fresh/one", "Enter"]);
    screen.shows("fresh");
    assert!(s.deck(&["group", "list"]).ok().contains("fresh"));
}

#[test]
fn two_screens_see_forty_adds() {
    let s = Sandbox::new();
    s.agent("claude");
    let dir = s.project("p");
    let screens = [Screen::open(&s, "one", (100, 50), &[]), Screen::open(&s, "two", (120, 60), &[])];
    for screen in &screens {
        screen.shows("adds a session");
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
fn an_agent_that_ends_while_attached_says_how_to_come_back() {
    let s = with_sessions();
    let screen = Screen::open(&s, "t", (100, 30), &[]);
    screen.shows("hello from alpha");
    screen.keys(&["Enter"]);
    screen.shows("ctrl-q leaves, the agent goes on");
    screen.keys(&["C-d"]);
    screen.shows("it has ended: ctrl-q goes back");
    screen.keys(&["C-q"]);
    wait_until("it is no longer running", || {
        let v = s.session("alpha");
        if v["status"] == "stopped" || v["reason"] == "ended" { Ok(()) } else { Err(v.to_string()) }
    });
}

#[test]
fn leaving_finishes_what_was_begun() {
    let s = with_sessions();
    let screen = Screen::open(&s, "t", (100, 30), &[]);
    screen.shows("hello from alpha");
    let before = s.session("alpha")["tmux"]["pid"].clone();
    screen.keys(&["R"]);
    screen.keys(&["q"]);
    screen.after_end("");
    wait_until("it was restarted", || {
        let now = s.session("alpha");
        if now["tmux"]["pid"].is_i64() && now["tmux"]["pid"] != before {
            Ok(())
        } else {
            Err(now.to_string())
        }
    });
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
fn the_terminal_is_put_back() {
    let s = with_sessions();
    let screen = Screen::open(&s, "t", (90, 24), &[]);
    screen.shows("hello from alpha");
    let pid: i32 = screen.ask("#{pane_pid}").parse().unwrap();
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), nix::sys::signal::Signal::SIGTERM).unwrap();
    assert_eq!(screen.after_end("#{alternate_on} #{mouse_any_flag}"), "0 0");
}

#[test]
fn the_demo_shows_every_status_and_leaves_nothing() {
    let s = Sandbox::new();
    let screen = Screen::open(&s, "t", (120, 40), &["demo"]);
    for status in ["◐", "●", "✕", "■"] {
        screen.shows(status);
    }
    screen.shows("permission");
    screen.shows("idle");
    screen.keys(&["q"]);
    screen.after_end("");
    let left: Vec<_> = std::fs::read_dir(s.path("tmp")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(left.is_empty(), "{left:?}");
}
