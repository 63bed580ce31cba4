//! Shells that are run by a program of the user's, and their limits.

use serde_json::Value;

use super::nothing_runs;
use crate::support::Sandbox;

/// A sandbox in which every shell is run by `fence`, which notes what it was given.
fn world() -> Sandbox {
    let s = Sandbox::new();
    let log = s.path("home/log");
    s.program("fence", &format!("echo \"$1 $2\" >> {}\nshift 2\nexec \"$@\"", log.display()));
    s.file("config.toml", "[shells]\nwrap = [\"fence\", \"--bind\", \"{job}\"]\n");
    s
}

#[test]
fn every_command_is_run_by_it_and_the_state_is_kept() {
    let s = world();
    s.deck(&["shell", "start", "--name", "api"]).ok();
    s.deck(&["shell", "exec", "api", "x=1; cd /tmp"]).ok();
    assert_eq!(s.deck(&["shell", "exec", "api", "echo $x; pwd"]).ok(), "1\n/tmp\n");
    let shell: Value = serde_json::from_str(&s.deck(&["--json", "shell", "show", "api"]).ok()).unwrap();
    let folder = shell["folder"].as_str().unwrap();
    let log = std::fs::read_to_string(s.path("home/log")).unwrap();
    assert_eq!(log, format!("--bind {folder}/jobs/1\n--bind {folder}/jobs/2\n"));
    // One that was started with it keeps it; one that is started later has what is set then.
    s.file("config.toml", "");
    s.deck(&["shell", "start", "--name", "free"]).ok();
    s.deck(&["shell", "exec", "free", "true"]).ok();
    s.deck(&["shell", "exec", "api", "true"]).ok();
    let log = std::fs::read_to_string(s.path("home/log")).unwrap();
    assert_eq!(log.lines().count(), 3, "{log}");
    nothing_runs(&s);
}

#[test]
fn a_python_is_run_by_it_too() {
    let s = world();
    s.deck(&["shell", "start", "--name", "calc", "python3"]).ok();
    assert_eq!(s.deck(&["shell", "exec", "calc", "1 + 1"]).ok(), "2\n");
    // It needs to write nothing: its shell's record is none of its business.
    let shell: Value = serde_json::from_str(&s.deck(&["--json", "shell", "show", "calc"]).ok()).unwrap();
    let folder = shell["folder"].as_str().unwrap();
    let log = std::fs::read_to_string(s.path("home/log")).unwrap();
    assert_eq!(log, format!("--bind {folder}/scratch\n"));
    s.deck(&["shell", "end", "calc"]).ok();
    nothing_runs(&s);
}

#[test]
fn without_it_nothing_is_started() {
    let s = Sandbox::new();
    s.file("config.toml", "[shells]\nwrap = [\"nonesuch\"]\n");
    let told = s.deck(&["shell", "start"]).fails(1);
    assert!(told.contains("\"nonesuch\"") && told.contains("shells.wrap"), "{told}");
    assert_eq!(s.deck(&["shell", "list", "-q"]).ok(), "");
}

#[test]
fn the_limits_are_the_users() {
    let s = Sandbox::new();
    s.file("config.toml", "[shells]\nactive = 1\nrunning = 1\n");
    s.deck(&["shell", "start", "--name", "one"]).ok();
    s.deck(&["shell", "start", "--name", "two"]).ok();
    s.deck(&["shell", "exec", "one", "true"]).fails(3);
    s.deck(&["shell", "exec", "two", "--background", "sleep 600"]).ok();
    assert!(s.deck(&["shell", "exec", "two", "true"]).fails(6).contains("two"));
    s.deck(&["shell", "end", "two", "--kill"]).ok();
    nothing_runs(&s);
}
