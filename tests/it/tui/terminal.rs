//! Whose the terminal is: deck's, an attached session's, the shell's.

use super::with_sessions;
use crate::support::{Sandbox, Screen, wait_until};

#[test]
fn moving_attaching_and_coming_back() {
    let s = with_sessions();
    let screen = Screen::open(&s, "t", (100, 30), &[]);
    screen.shows("hello from alpha");
    screen.keys(&["G"]);
    screen.shows("hello from gamma");
    screen.keys(&["Enter"]);
    screen.shows("ctrl-q detaches");
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
fn an_agent_that_ends_while_attached_says_how_to_come_back() {
    let s = with_sessions();
    let screen = Screen::open(&s, "t", (100, 30), &[]);
    screen.shows("hello from alpha");
    screen.keys(&["Enter"]);
    screen.shows("ctrl-q detaches");
    screen.keys(&["C-d"]);
    screen.shows("ended · ctrl-q to go back");
    screen.keys(&["C-q"]);
    // `cat` closes its terminal before it ends. tmux then closes its side, which hangs up a `cat` that the kernel didn't let
    // end in between.
    wait_until("it is no longer running", || {
        let v = s.session("alpha");
        if v["status"] == "stopped" || v["reason"] == "ended" || v["reason"] == "killed HUP" {
            Ok(())
        } else {
            Err(v.to_string())
        }
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
fn the_terminal_is_put_back() {
    let s = with_sessions();
    let screen = Screen::open(&s, "t", (90, 24), &[]);
    screen.shows("hello from alpha");
    let pid: i32 = screen.ask("#{pane_pid}").parse().unwrap();
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), nix::sys::signal::Signal::SIGTERM).unwrap();
    assert_eq!(screen.after_end("#{alternate_on} #{mouse_any_flag}"), "0 0");
}

#[test]
fn the_terminal_survives_what_agents_and_windows_do() {
    let s = Sandbox::new();
    // It takes the mouse, the alternate screen and the kitty keyboard, and never gives them back.
    s.program("wild", r"printf '\033[?1049h\033[?1003h\033[?1006h\033[>1u\033[?25lwild agent'; exec cat");
    s.deck(&["add", &s.project("p"), "-t", "w", "-c", "wild"]).ok();
    let screen = Screen::open(&s, "t", (90, 24), &[]);
    screen.shows("wild agent");
    screen.keys(&["Enter"]);
    screen.shows("ctrl-q detaches");
    let pid = s.session("w")["tmux"]["pid"].as_i64().unwrap();
    let pid = nix::unistd::Pid::from_raw(i32::try_from(pid).unwrap());
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGKILL).unwrap();
    screen.shows("ended · ctrl-q");
    screen.keys(&["C-q"]);
    screen.shows("commands");
    for (width, height) in [("1", "1"), ("300", "90"), ("90", "24")] {
        s.tmux("outer", &["resize-window", "-t", "t", "-x", width, "-y", height]);
    }
    screen.shows("commands");
    screen.keys(&["q"]);
    let modes = "#{alternate_on} #{mouse_any_flag} #{mouse_sgr_flag} #{keypad_flag}";
    assert_eq!(screen.after_end(modes), "0 0 0 0");
}

#[test]
fn suspended_and_brought_back() {
    let s = with_sessions();
    let screen = Screen::shell(&s, "t");
    screen.keys(&["-l", &format!("{} ", env!("CARGO_BIN_EXE_deck"))]);
    screen.keys(&["Enter"]);
    screen.shows("hello from alpha");
    screen.keys(&["C-z"]);
    screen.hides("hello from alpha");
    wait_until("the terminal is the shell's", || {
        let modes = screen.ask("#{alternate_on} #{mouse_any_flag} #{cursor_flag}");
        if modes == "0 0 1" { Ok(()) } else { Err(modes) }
    });
    screen.keys(&["echo the shell lives", "Enter"]);
    screen.shows("\nthe shell lives");
    screen.keys(&["fg", "Enter"]);
    screen.shows("hello from alpha");
    screen.keys(&["j", "j"]);
    screen.shows("hello from beta");
    screen.keys(&["q"]);
    screen.shows("the shell lives");
}

#[test]
fn attaching_leaves_nothing_on_the_users_own_screen() {
    let s = with_sessions();
    let screen = Screen::shell(&s, "t");
    screen.keys(&["echo the shell lives", "Enter"]);
    screen.shows("\nthe shell lives");
    screen.keys(&["-l", &format!("{} ", env!("CARGO_BIN_EXE_deck"))]);
    screen.keys(&["Enter"]);
    screen.shows("hello from alpha");
    for _ in 0..2 {
        screen.keys(&["Enter"]);
        screen.shows("ctrl-q detaches");
        screen.keys(&["C-q"]);
        screen.shows("attach");
    }
    screen.keys(&["q"]);
    screen.hides("attach");
    screen.shell_is_back();
    screen.keys(&["echo still here", "Enter"]);
    screen.shows("\nstill here");
    let text = screen.text();
    assert!(!text.contains("[detached") && text.contains("\nthe shell lives"), "{text}");
}

#[test]
fn a_panic_while_drawing_leaves_the_shell_as_it_was() {
    let s = with_sessions();
    let screen = Screen::shell(&s, "t");
    screen.keys(&["-l", &format!("DECK_FAULT=draw {} ", env!("CARGO_BIN_EXE_deck"))]);
    screen.keys(&["Enter"]);
    screen.shows("hello from alpha");
    screen.keys(&["?"]);
    screen.shows("a fault in a widget");
    screen.shows("Your sessions are still running");
    wait_until("the terminal is the shell's", || {
        let modes = screen.ask("#{alternate_on} #{mouse_any_flag} #{cursor_flag}");
        if modes == "0 0 1" { Ok(()) } else { Err(modes) }
    });
    screen.keys(&["echo the shell lives", "Enter"]);
    screen.shows("\nthe shell lives");
    assert!(s.list().iter().all(|v| v["status"] != "error"), "{:?}", s.list());
}
