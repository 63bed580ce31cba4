//! Headless shells on the screen.

use crate::support::{Sandbox, Screen, wait_until};

/// Waits until a file is there.
fn waits_for(s: &Sandbox, name: &str) -> String {
    let path = s.path(&format!("home/{name}"));
    format!("until [ -e {} ]; do sleep 0.02; done", path.display())
}

fn make(s: &Sandbox, name: &str) {
    std::fs::write(s.path(&format!("home/{name}")), "").unwrap();
}

#[test]
fn a_running_job_is_seen_as_it_goes_and_ended_by_a_key() {
    let s = Sandbox::new();
    s.deck(&["shell", "start", "--name", "build"]).ok();
    let screen = Screen::open(&s, "t", (110, 30), &[]);
    screen.shows("▾ shells");
    screen.shows("○ build  idle");
    let code = format!(
        "echo begun; {}; echo complaint >&2; echo more; {}",
        waits_for(&s, "one"),
        waits_for(&s, "two")
    );
    s.deck(&["shell", "exec", "build", "--background", &code]).ok();
    screen.shows("● build  echo begun;");
    screen.keys(&["j"]);
    screen.shows("│ begun");
    make(&s, "one");
    screen.shows("│ complaint");
    screen.shows("│ more");
    screen.keys(&["x"]);
    screen.shows("Kill job 1 of build?");
    screen.keys(&["Enter"]);
    screen.shows("job 1 was killed");
    screen.shows("○ build  killed");
    // A line keeps what it changes.
    screen.keys(&["s"]);
    screen.shows("Run in build");
    screen.keys(&["x=5", "Enter"]);
    screen.shows("started job 2");
    screen.keys(&["s"]);
    screen.shows("Run in build");
    screen.keys(&["echo x is $x; exit 3", "Enter"]);
    screen.shows("│ x is 5");
    screen.shows("✕ build  exit 3");
    screen.keys(&["H"]);
    screen.shows("Jobs of build");
    screen.shows("failed 3");
    screen.keys(&["Escape"]);
    screen.hides("Jobs of build");
    screen.keys(&["o"]);
    screen.shows("Output of build/3");
    screen.keys(&["Escape"]);
    screen.hides("Output of build/3");
    screen.keys(&["y"]);
    screen.shows("copied 1 line");
    screen.keys(&["d"]);
    screen.shows("ended shell build; u restores it");
    screen.hides("shells");
    screen.keys(&["u"]);
    screen.shows("✕ build  exit 3");
}

#[test]
fn a_shell_is_opened_as_a_session_that_starts_where_it_is() {
    let s = Sandbox::new();
    s.deck(&["shell", "start", "--name", "build"]).ok();
    let dir = s.project("deep");
    let code = format!("cd {dir}; export WORD='two words'; hello() {{ echo hello $WORD; }}; set -e");
    s.deck(&["shell", "exec", "build", &code]).ok();
    let screen = Screen::open(&s, "t", (110, 30), &[]);
    screen.shows("○ build");
    screen.keys(&["j", "Enter"]);
    screen.shows("opened as session build");
    assert_eq!(s.session("build")["project_path"], dir.as_str());
    s.deck(&["keys", "build", "h", "e", "l", "l", "o", "enter"]).ok();
    screen.shows("hello two words");
    // A person's commands may fail, and what they change is theirs.
    let typed = "false; WORD=other; echo \"$TERM:${PAGER-none}\" > out";
    let socket = s.socket();
    let name = s.tmux(&socket, &["list-sessions", "-F", "#{session_name}"]);
    let name = name.lines().find(|n| n.starts_with("build")).unwrap().to_owned();
    s.tmux(&socket, &["send-keys", "-t", &name, typed, "Enter"]);
    wait_until("its terminal is its own", || {
        let text = std::fs::read_to_string(format!("{dir}/out")).unwrap_or_default();
        if text.ends_with(":none\n") && !text.starts_with("dumb") { Ok(()) } else { Err(text) }
    });
    assert_eq!(s.deck(&["shell", "exec", "build", "hello"]).ok(), "hello two words\n");
    // Started again, it begins where the shell is then.
    s.deck(&["shell", "exec", "build", "WORD=third"]).ok();
    s.deck(&["restart", "build"]).ok();
    s.deck(&["keys", "build", "h", "e", "l", "l", "o", "enter"]).ok();
    screen.shows("hello third");
    assert_eq!(s.deck(&["shell", "open", "build"]).ok(), "opened build as session build-2\n");
}

#[test]
fn an_open_needs_a_folder_and_a_shell() {
    let s = Sandbox::new();
    s.deck(&["shell", "open", "none"]).fails(3);
    let dir = s.project("gone");
    s.deck(&["shell", "start", "--name", "build", "--cwd", &dir]).ok();
    std::fs::remove_dir_all(&dir).unwrap();
    let told = s.deck(&["shell", "open", "build"]).fails(6);
    assert!(told.contains("gone"), "{told}");
    assert!(s.list().is_empty());
}
