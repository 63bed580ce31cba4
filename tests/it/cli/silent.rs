//! Servers that don't answer: what they hold is unconfirmed, and everything else is shown.

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::support::{Sandbox, wait_until};

/// The user's own server, in the sandbox.
const SERVER: &str = "default";

/// A process that is stopped until this is dropped.
struct Stopped(Pid);

impl Stopped {
    fn server(s: &Sandbox, socket: &str) -> Self {
        let pid = s.tmux(socket, &["display-message", "-p", "#{pid}"]);
        let pid = Pid::from_raw(pid.trim().parse().unwrap());
        kill(pid, Signal::SIGSTOP).unwrap();
        Self(pid)
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        kill(self.0, Signal::SIGCONT).unwrap();
    }
}

fn until(s: &Sandbox, title: &str, status: &str) {
    wait_until(&format!("{title} is {status}"), || {
        let v = s.session(title);
        if v["status"] == status && v["unsure_since"].is_null() { Ok(()) } else { Err(v.to_string()) }
    });
}

#[test]
fn a_users_server_that_is_stopped_hides_nothing() {
    let s = Sandbox::new();
    s.program("vibe", "echo \"agent $*\"\nwhile read -r line; do echo \"got $line\"; done");
    s.file("tools/vibe.toml", "command = \"vibe\"\n");
    let dir = s.project("p");
    s.tmux(SERVER, &["-f", "/dev/null", "new-session", "-d", "-s", "work", "-c", &dir, "exec vibe"]);
    wait_until("it can be adopted", || {
        let answer = s.deck(&["import", "work", "-t", "api"]);
        if answer.code() == 0 { Ok(()) } else { Err(answer.stderr()) }
    });
    s.deck(&["add", &dir, "-t", "own", "-c", "vibe"]).ok();
    until(&s, "own", "idle");
    until(&s, "api", "idle");
    let stopped = Stopped::server(&s, SERVER);
    let answer = s.deck(&["list", "--json"]);
    let warning = answer.stderr();
    let listed: Vec<serde_json::Value> = serde_json::from_str(&answer.ok()).unwrap();
    let of = |title: &str| listed.iter().find(|v| v["title"] == title).unwrap();
    assert!(of("own")["unsure_since"].is_null() && of("own")["status"] == "idle", "{listed:?}");
    assert!(of("api")["unsure_since"].is_string(), "{listed:?}");
    assert!(warning.contains("socket \"default\""), "{warning}");
    // What can't be seen is neither stopped nor started.
    let refused = s.deck(&["start", "api"]).fails(5);
    assert!(refused.contains(&format!("kill -CONT {}", stopped.0)), "{refused}");
    s.deck(&["send", "own", "hello"]).ok();
    drop(stopped);
    until(&s, "api", "idle");
}

#[test]
fn the_sessions_of_a_stopped_server_are_listed_as_they_were() {
    let s = Sandbox::new();
    s.program("vibe", "while read -r line; do echo \"approve it? [y/n]\"; done");
    s.file("tools/vibe.toml", "command = \"vibe\"\nprompt_patterns = [\"approve\"]\n");
    let dir = s.project("p");
    s.deck(&["add", &dir, "-t", "asks", "-c", "vibe"]).ok();
    s.deck(&["add", &dir, "-t", "rests", "-c", "vibe"]).ok();
    until(&s, "rests", "idle");
    s.deck(&["keys", "asks", "enter"]).ok();
    until(&s, "asks", "waiting");
    let stopped = Stopped::server(&s, &s.socket());
    let answer = s.deck(&["list"]);
    let warning = answer.stderr();
    let text = answer.ok();
    assert!(text.contains("waiting? · permission") && text.contains("idle?"), "{text}");
    assert!(warning.contains("is stopped") && warning.contains("kill -CONT"), "{warning}");
    let refused = s.deck(&["restart", "rests"]).fails(5);
    assert!(refused.contains(&format!("kill -CONT {}", stopped.0)), "{refused}");
    drop(stopped);
    until(&s, "asks", "waiting");
}

#[test]
fn a_deck_that_is_opened_on_a_stopped_server_shows_what_others_do() {
    let s = Sandbox::new();
    s.program("vibe", "while read -r line; do echo \"approve it? [y/n]\"; done");
    s.file("tools/vibe.toml", "command = \"vibe\"\nprompt_patterns = [\"approve\"]\n");
    let dir = s.project("p");
    s.tmux(SERVER, &["-f", "/dev/null", "new-session", "-d", "-s", "work", "-c", &dir, "exec vibe"]);
    wait_until("it can be adopted", || {
        let answer = s.deck(&["import", "work", "-t", "api"]);
        if answer.code() == 0 { Ok(()) } else { Err(answer.stderr()) }
    });
    s.deck(&["add", &dir, "-t", "own", "-c", "vibe"]).ok();
    until(&s, "own", "idle");
    until(&s, "api", "idle");
    let stopped = Stopped::server(&s, &s.socket());
    let path = s.path("tmp/watched");
    let mut command = s.command(env!("CARGO_BIN_EXE_deck"));
    command.args(["list", "--watch", "--json"]).stdout(std::fs::File::create(&path).unwrap());
    let mut watch = command.spawn().unwrap();
    let line = |title: &str, status: &str| {
        let text = std::fs::read_to_string(&path).unwrap();
        let mut all = text.lines().filter_map(|l| serde_json::from_str::<serde_json::Value>(l).ok());
        let found = all.any(|v| v["title"] == title && v["status"] == status);
        if found { Ok(()) } else { Err(text) }
    };
    wait_until("both are listed", || line("own", "idle").and_then(|()| line("api", "idle")));
    s.tmux(SERVER, &["send-keys", "-t", "work", "Enter"]);
    wait_until("what the other server's agent asks", || line("api", "waiting"));
    drop(stopped);
    s.deck(&["keys", "own", "enter"]).ok();
    wait_until("the server is asked again", || line("own", "waiting"));
    kill(Pid::from_raw(watch.id().try_into().unwrap()), Signal::SIGINT).unwrap();
    watch.wait().unwrap();
}
