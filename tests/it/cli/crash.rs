//! deck killed at any instant: nothing lost, nothing doubled.

use crate::support::Sandbox;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

#[test]
fn killed_while_it_starts_sessions() {
    let s = Sandbox::new();
    s.agent("claude");
    let dir = s.project("p");
    // The server is up first, so that the kills fall on the steps of a start.
    s.deck(&["add", &dir, "-t", "first", "-c", "claude"]).ok();
    for n in 0..20 {
        let mut child = s.spawn_deck(&["add", &dir, "-t", &format!("t{n}"), "-c", "claude"]);
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_millis(2 * n) && child.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let socket = s.socket();
    let listed = s.list();
    let records: BTreeSet<String> = listed.iter().map(|v| v["id"].as_str().unwrap().to_owned()).collect();
    assert_eq!(records.len(), listed.len(), "a session twice");
    let on_server: Vec<String> = s
        .tmux(&socket, &["list-sessions", "-F", "#{session_name} #{@deck_id}"])
        .lines()
        .filter(|l| !l.starts_with("_deck"))
        .map(str::to_owned)
        .collect();
    for line in &on_server {
        let (name, id) = line.split_once(' ').unwrap();
        let known = listed.iter().any(|v| v["tmux"]["name"] == name);
        assert!(known, "{name} has no record");
        assert!(id.is_empty() || records.contains(id));
    }
    for v in &listed {
        let there = on_server.iter().any(|l| l.starts_with(v["tmux"]["name"].as_str().unwrap()));
        let status = v["status"].as_str().unwrap();
        assert!(there || matches!(status, "error" | "stopped" | "starting"), "{v}");
    }
}

#[test]
fn a_session_without_a_record_is_taken_back() {
    let s = Sandbox::new();
    s.agent("claude");
    s.deck(&["add", &s.project("p"), "-t", "api", "-g", "work", "-c", "claude"]).ok();
    let before = s.session("api");
    std::fs::remove_dir_all(s.path("deck").join("profiles/default")).unwrap();
    let after = s.session("api");
    for key in ["id", "title", "group_path", "project_path", "tool", "resume_id"] {
        assert_eq!(after[key], before[key], "{key}");
    }
    assert_eq!(s.list().len(), 1);
}

#[test]
fn a_server_that_is_just_going_down_is_no_error() {
    let s = Sandbox::new();
    s.agent("claude");
    let dir = s.project("p");
    for round in 0..5 {
        s.deck(&["add", &dir, "-t", &format!("t{round}"), "-c", "claude"]).ok();
        let socket = s.socket();
        // Lists while the server ends: each sees it there, or gone, and none fails.
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| s.deck(&["list"]).ok());
            }
            s.tmux(&socket, &["kill-server"]);
        });
        assert_eq!(s.list().len(), round + 1);
    }
}

/// tmux 3.3a: a session that is made while the server ends keeps it for ever, and it lets nobody in.
#[test]
fn a_server_that_never_finishes_ending_is_ended() {
    let s = Sandbox::new();
    s.agent("claude");
    s.deck(&["add", &s.project("p"), "-t", "api", "-c", "claude"]).ok();
    let socket = s.socket();
    let (held, released) = (s.path("tmp/held"), s.path("tmp/released"));
    let (hold, release) = (held.display(), released.display());
    // A job holds the ending server until the session below is made.
    let job = format!("touch {hold}; while [ ! -e {release} ]; do sleep 0.01; done");
    std::thread::scope(|scope| {
        scope.spawn(|| s.tmux(&socket, &["run-shell", &job]));
        crate::support::wait_until("the job runs", || {
            if held.exists() { Ok(()) } else { Err("no file".to_owned()) }
        });
        let late = format!("new-session -d -s _deck cat ; run-shell -b 'touch {release}'");
        s.tmux(&socket, &["run-shell", "-b", "-d", "0.3", "-C", &late, ";", "kill-server"]);
        crate::support::wait_until("the late session is made", || {
            if released.exists() { Ok(()) } else { Err("no file".to_owned()) }
        });
        crate::support::wait_until("it is gone", || {
            let v = s.session("api");
            if v["reason"] == "gone" { Ok(()) } else { Err(v.to_string()) }
        });
    });
    let id = s.session("api")["id"].clone();
    s.deck(&["restart", "api"]).ok();
    assert_eq!(s.session("api")["id"], id);
}

#[test]
fn a_record_without_a_session_is_gone_until_it_is_started() {
    let s = Sandbox::new();
    s.agent("claude");
    s.deck(&["add", &s.project("p"), "-t", "api", "-c", "claude"]).ok();
    let id = s.session("api")["resume_id"].clone();
    s.tmux(&s.socket(), &["kill-server"]);
    crate::support::wait_until("it is gone", || {
        let v = s.session("api");
        if v["reason"] == "gone" { Ok(()) } else { Err(v.to_string()) }
    });
    s.deck(&["restart", "api"]).ok();
    let v = s.session("api");
    assert_eq!((&v["status"], &v["resume_id"]), (&"starting".into(), &id));
}

#[test]
fn killed_while_it_restarts() {
    let s = Sandbox::new();
    s.agent("claude");
    s.deck(&["add", &s.project("p"), "-t", "api", "-c", "claude"]).ok();
    let id = s.session("api")["resume_id"].clone();
    for ms in [2u64, 5, 9, 14, 20, 30, 45] {
        let mut cut = s.spawn_deck(&["restart", "api"]);
        std::thread::sleep(std::time::Duration::from_millis(ms));
        // It may be done by then.
        let _ = cut.kill();
        cut.wait().unwrap();
        let v = s.session("api");
        assert_eq!(v["resume_id"], id, "after {ms} ms");
        assert_eq!(s.list().len(), 1);
    }
    s.deck(&["restart", "api"]).ok();
    let v = s.session("api");
    assert!(matches!(v["status"].as_str(), Some("starting" | "idle")), "{v}");
    let panes = s.tmux(&s.socket(), &["list-panes", "-a", "-F", "#{session_name}"]);
    assert_eq!(panes.lines().filter(|l| !l.starts_with('_')).count(), 1, "{panes}");
    let history = s.profile("default")["sessions"][0]["resume"]["history"].clone();
    assert_eq!(history.as_array().unwrap().len(), 1, "{history}");
}

#[test]
fn an_id_that_was_captured_while_no_deck_looked_is_learnt_by_the_next() {
    let s = Sandbox::new();
    s.program(
        "vibe",
        "case \"$*\" in *json*) sleep 0.3; echo '{\"session_id\":\"cap-1\"}'; exit 0;; esac\necho \"agent $*\"\nexec cat",
    );
    s.file(
        "tools/vibe.toml",
        "command = \"vibe\"\nresume_flag = \"--resume\"\nsession_id_env = \"VIBE_ID\"\noutput_format_flag = \"--json\"\n",
    );
    let dir = s.project("p");
    let mut cut = s.spawn_deck(&["add", &dir, "-t", "v", "-c", "vibe"]);
    // As soon as the session is made, and long before its id is there.
    crate::support::wait_until("it is made", || {
        let panes = s.tmux(&s.socket(), &["list-panes", "-a", "-F", "#{session_name}"]);
        if panes.lines().any(|l| l.starts_with("v-")) { Ok(()) } else { Err(panes) }
    });
    let _ = cut.kill();
    cut.wait().unwrap();
    crate::support::wait_until("the id is learnt", || {
        let v = s.session("v");
        if v["resume_id"] == "cap-1" { Ok(()) } else { Err(v.to_string()) }
    });
    s.tmux(&s.socket(), &["kill-server"]);
    assert_eq!(s.profile("default")["sessions"][0]["resume"]["id"], "cap-1");
}
