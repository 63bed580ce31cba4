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
