//! Profiles: separate, safe to name, recovered.

use crate::support::Sandbox;
use std::fs;

#[test]
fn profiles_are_separate_and_reading_makes_none() {
    let s = Sandbox::new();
    s.agent("claude");
    let dir = s.project("p");
    s.deck(&["-p", "work", "add", &dir, "-t", "api", "-c", "claude", "--no-start"]).ok();
    assert_eq!(s.deck(&["-p", "other", "list", "--json"]).ok(), "[]\n");
    assert!(!s.path("deck").join("profiles/other").exists());
    assert_eq!(s.deck(&["profile", "list"]).ok(), "default  0  (default)\nwork  1\n");
    for bad in ["../x", ".hidden", "a b", ""] {
        s.deck(&["-p", bad, "list"]).fails(2);
    }
    s.deck(&["profile", "rename", "work", "job"]).ok();
    s.deck(&["profile", "default", "job"]).ok();
    assert_eq!(s.session("api")["profile"], "job");
    assert!(s.deck(&["profile", "rm", "job"]).fails(6).contains("still holds 1 session"));
    s.deck(&["profile", "rename", "none", "x"]).fails(1);
}

#[test]
fn a_truncated_file_is_recovered_and_told() {
    let s = Sandbox::new();
    s.agent("claude");
    let dir = s.project("p");
    for title in ["a", "b"] {
        s.deck(&["add", &dir, "-t", title, "-c", "claude", "--no-start"]).ok();
    }
    let file = s.path("deck").join("profiles/default/sessions.json");
    let whole = fs::read(&file).unwrap();
    fs::write(&file, &whole[..whole.len() / 2]).unwrap();
    let answer = s.deck(&["list"]);
    let (told, shown) = (answer.stderr(), answer.ok());
    assert!(told.contains("recovered from sessions.json.bak") && told.contains("kept as"), "{told}");
    assert!(shown.contains('a'), "{shown}");
    let broken = fs::read_dir(file.parent().unwrap())
        .unwrap()
        .any(|e| e.unwrap().file_name().to_str().is_some_and(|n| n.contains("broken")));
    assert!(broken);
}

#[test]
fn forty_adds_at_once() {
    let s = Sandbox::new();
    s.agent("claude");
    let dir = s.project("p");
    std::thread::scope(|scope| {
        for i in 0..40 {
            let (s, dir) = (&s, &dir);
            scope.spawn(move || s.deck(&["add", dir, "-t", &format!("t{i}"), "-c", "claude"]).ok());
        }
    });
    let all = s.list();
    assert_eq!(all.len(), 40);
    assert!(all.iter().all(|v| v["status"] == "starting"), "{all:?}");
}
