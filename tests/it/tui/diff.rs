//! `D`: what changed in a session's folder, with comments that go to its agent.

use std::fs;

use crate::cli::diff::changed_repository;
use crate::support::{Sandbox, Screen, wait_until};

/// A stand-in that writes each line that it gets into a file.
fn listener(s: &Sandbox) {
    s.program(
        "listener",
        "echo ready; while read -r line; do echo \"$line\" >> \"$HOME/heard\"; echo \"> $line\"; done",
    );
}

fn heard(s: &Sandbox) -> String {
    fs::read_to_string(s.path("home/heard")).unwrap_or_default()
}

#[test]
fn comments_on_what_changed_arrive_as_one_message() {
    let s = Sandbox::new();
    listener(&s);
    let dir = changed_repository(&s);
    s.deck(&["add", &dir, "-t", "api", "-c", "listener"]).ok();
    let screen = Screen::open(&s, "t", (120, 36), &[]);
    screen.shows("ready");
    // The heading has the numbers without being asked.
    screen.shows("main · +4 −1");
    screen.keys(&["D"]);
    screen.shows("5 files +4 −1 · compared with HEAD on main");
    for line in [
        "M lib.rs ",
        "M logo.png  binary",
        "R new.rs  renamed from old.rs",
        "? notes.md  untracked",
        "M run.sh",
    ] {
        screen.shows(line);
    }
    screen.shows("-fn two() {}");
    screen.shows("+fn four() {}");
    // On the removed line, and on the new file.
    screen.keys(&["j", "j", "c"]);
    screen.shows("lib.rs:2 (removed)");
    screen.keys(&["-l", "why is it gone?"]);
    screen.keys(&["Enter"]);
    screen.shows("> why is it gone?");
    screen.keys(&["Tab", "Tab", "Tab"]);
    screen.shows("a note");
    screen.keys(&["j", "c"]);
    screen.shows("notes.md:1");
    screen.keys(&["-l", "say more"]);
    screen.keys(&["Enter"]);
    screen.shows("2 comments");
    screen.keys(&["Enter"]);
    screen.shows("Send 2 comments to api?");
    screen.keys(&["Enter"]);
    let want = "Comments on your changes:\n\nlib.rs:2 (removed)\n> fn two() {}\nwhy is it gone?\n\n\
                notes.md:1\n> a note with a tab\nsay more\n";
    wait_until("the agent has the message", || {
        let text = heard(&s);
        if text.replace("\u{1b}[200~", "").replace("\u{1b}[201~", "") == want { Ok(()) } else { Err(text) }
    });
    screen.hides("2 comments");
    // The agent goes on while the panel is open: its next change is shown.
    fs::write(format!("{dir}/later.txt"), "later\n").unwrap();
    screen.keys(&["r"]);
    screen.shows("6 files +5 −1");
    screen.shows("▌? notes.md");
    screen.keys(&["Escape"]);
    screen.hides("compared with");
    s.git(&dir, &["add", "-A"]);
    s.git(&dir, &["commit", "-qm", "second"]);
    screen.hides("+4 −1");
    screen.keys(&["D"]);
    screen.shows("no changes compared with HEAD");
    screen.keys(&["b"]);
    screen.shows("can't tell which branch main came from");
    screen.keys(&["b"]);
    screen.shows("no changes compared with the index");
    screen.keys(&["Escape", "q"]);
    screen.after_end("");
}

#[test]
fn nothing_is_run_or_written_by_looking() {
    let s = Sandbox::new();
    s.agent("agent");
    let dir = changed_repository(&s);
    // An agent may write the repository's own settings.
    let ran = s.path("tmp/ran");
    for key in ["core.pager", "pager.diff", "core.fsmonitor", "diff.external"] {
        s.git(&dir, &["config", key, &format!("touch {}; false", ran.display())]);
    }
    let files = || {
        let mut list = s.command("find");
        list.current_dir(&dir).args([".git", "-type", "f", "-printf", "%p %s %T@\n"]);
        let output = list.output().unwrap();
        let mut names: Vec<_> =
            String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect();
        names.sort();
        names
    };
    s.deck(&["add", &dir, "-t", "api", "-c", "agent"]).ok();
    let before = files();
    let screen = Screen::open(&s, "t", (80, 24), &[]);
    screen.shows("agent ");
    screen.keys(&["D"]);
    screen.shows("+fn four() {}");
    screen.keys(&["b"]);
    screen.shows("can't tell which branch");
    screen.keys(&["Escape", "q"]);
    screen.after_end("");
    assert_eq!(files(), before);
    assert!(!ran.exists(), "a program of the repository's ran");
}

#[test]
fn a_folder_without_a_repository_and_a_machine_without_git() {
    let s = Sandbox::new();
    s.agent("agent");
    let dir = s.project("plain");
    s.deck(&["add", &dir, "-t", "plain", "-c", "agent"]).ok();
    let screen = Screen::open(&s, "t", (100, 30), &[]);
    screen.shows("agent ");
    screen.keys(&["D"]);
    screen.shows("is not in a git repository");
    screen.shows("git init");
    fs::remove_dir_all(&dir).unwrap();
    screen.keys(&["r"]);
    screen.shows("doesn't exist");
    screen.keys(&["q", "q"]);
    screen.after_end("");
}
