//! What stops deck from outside, what brings it back, and what ends it.

use std::path::Path;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::support::{Sandbox, Screen, wait_until};

fn with_session() -> Sandbox {
    let s = Sandbox::new();
    s.program("agent", "echo \"hello from $1\"; exec cat");
    s.deck(&["add", &s.project("p"), "-t", "alpha", "-c", "agent", "--", "alpha"]).ok();
    s
}

/// A process that is stopped until this is dropped.
struct Stopped(Pid);

impl Drop for Stopped {
    fn drop(&mut self) {
        kill(self.0, Signal::SIGCONT).unwrap();
    }
}

/// deck in a shell's foreground, with its process.
fn opened<'a>(s: &'a Sandbox, name: &str, args: &str) -> (Screen<'a>, Pid) {
    let screen = Screen::shell(s, name);
    screen.keys(&["-l", &format!("{} {args}", env!("CARGO_BIN_EXE_deck"))]);
    screen.keys(&["Enter"]);
    screen.shows("hello from alpha");
    let tty = screen.ask("#{pane_tty}");
    let ps = s.command("ps").args(["-o", "pid=,comm=", "-t", &tty]).output().unwrap();
    let all = String::from_utf8(ps.stdout).unwrap();
    let deck = all.lines().find_map(|l| l.trim().strip_suffix(" deck"));
    let pid = deck.unwrap_or_else(|| panic!("{all}")).trim().parse().unwrap();
    (screen, Pid::from_raw(pid))
}

fn modes(screen: &Screen<'_>, wanted: &str) {
    wait_until("the terminal's modes", || {
        let modes = screen.ask("#{alternate_on} #{mouse_any_flag} #{cursor_flag}");
        if modes == wanted { Ok(()) } else { Err(modes) }
    });
}

#[test]
fn stopped_from_outside_and_continued() {
    let s = with_session();
    let (screen, pid) = opened(&s, "t", "");
    kill(pid, Signal::SIGTSTP).unwrap();
    modes(&screen, "0 0 1");
    screen.keys(&["echo the shell lives", "Enter"]);
    screen.shows("\nthe shell lives");
    screen.keys(&["fg", "Enter"]);
    screen.shows("hello from alpha");
    modes(&screen, "1 1 1");
    // Stopped without a chance to put anything back; a shell puts its own modes there.
    kill(pid, Signal::SIGSTOP).unwrap();
    screen.shows("(signal)");
    // Enter sends no line feed as deck has left the terminal, and this shell has no line editor.
    screen.keys(&["stty sane; fg", "C-j"]);
    screen.hides("(signal)");
    screen.shows("hello from alpha");
    screen.keys(&["?"]);
    screen.shows("type to find a key");
    screen.keys(&["Escape"]);
    screen.hides("type to find a key");
    screen.keys(&["q"]);
    modes(&screen, "0 0 1");
}

#[test]
fn every_signal_that_ends_deck_puts_the_terminal_back() {
    let s = with_session();
    for signal in [Signal::SIGQUIT, Signal::SIGTERM, Signal::SIGINT] {
        let (screen, pid) = opened(&s, signal.as_str(), "");
        kill(pid, signal).unwrap();
        modes(&screen, "0 0 1");
        screen.shell_is_back();
        screen.keys(&["echo the shell lives", "Enter"]);
        screen.shows("\nthe shell lives");
    }
}

#[test]
fn who_is_ended_takes_tmux_client_along() {
    let s = with_session();
    for args in ["attach alpha", ""] {
        let (screen, pid) = opened(&s, if args.is_empty() { "open" } else { "attach" }, args);
        if args.is_empty() {
            screen.keys(&["Enter"]);
            screen.shows("ctrl-q detaches");
        }
        let socket = s.socket();
        let clients = || {
            let all = s.tmux(&socket, &["list-clients", "-F", "#{client_tty}"]);
            all.lines().filter(|l| !l.is_empty()).count()
        };
        wait_until("it is attached", || if clients() > 0 { Ok(()) } else { Err(screen.text()) });
        kill(pid, Signal::SIGTERM).unwrap();
        wait_until("no client is left", || if clients() == 0 { Ok(()) } else { Err(screen.text()) });
        modes(&screen, "0 0 1");
        screen.shell_is_back();
        screen.keys(&["echo the shell lives", "Enter"]);
        screen.shows("\nthe shell lives");
    }
}

#[test]
fn leaving_waits_for_no_server_that_does_not_answer() {
    let s = with_session();
    let screen = Screen::open(&s, "t", (100, 30), &[]);
    screen.shows("hello from alpha");
    let server = s.tmux(&s.socket(), &["display-message", "-p", "#{pid}"]);
    let server = Pid::from_raw(server.trim().parse().unwrap());
    kill(server, Signal::SIGSTOP).unwrap();
    let stopped = Stopped(server);
    let begun = Instant::now();
    screen.keys(&["R"]);
    screen.keys(&["q"]);
    screen.after_end("");
    let took = begun.elapsed();
    drop(stopped);
    assert!(took < Duration::from_secs(30), "{took:?}");
}

#[test]
fn leaving_waits_for_work_begun_until_it_is_interrupted() {
    let s = with_session();
    let (screen, pid) = opened(&s, "t", "");
    // A restart waits for as long as somebody else changes something on the server.
    let lock = std::fs::File::open(s.path("deck/run").join(format!("{}.turn", s.socket()))).unwrap();
    lock.lock().unwrap();
    screen.keys(&["R"]);
    screen.keys(&["q"]);
    screen.shows("finishing pending work");
    let begun = Instant::now();
    screen.keys(&["C-c"]);
    let lives = || Path::new(&format!("/proc/{pid}")).exists();
    wait_until("deck has left", || if lives() { Err(screen.text()) } else { Ok(()) });
    // Uninterrupted it would leave a minute after `q`.
    let took = begun.elapsed();
    assert!(took < Duration::from_secs(45), "{took:?}");
    drop(lock);
    let alpha = s.session("alpha");
    assert_ne!(alpha["status"], "stopped", "the user wants it to run: {alpha}");
    screen.keys(&["echo the shell lives", "Enter"]);
    screen.shows("\nthe shell lives");
    let text = screen.text();
    assert!(text.contains("\ndeck: finishing pending work; ctrl-c quits now\n"), "its line is whole: {text}");
}
