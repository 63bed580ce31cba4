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
    s.deck(&["profile", "rename", "none", "x"]).fails(3);
}

#[test]
fn a_truncated_file_is_recovered_and_reported() {
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
    let (report, shown) = (answer.stderr(), answer.ok());
    assert!(report.contains("recovered from sessions.json.bak") && report.contains("kept as"), "{report}");
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
    // On a busy machine the last one comes long after the first, which doesn't count as starting for ever.
    let runs = |v: &serde_json::Value| v["status"] == "starting" || v["status"] == "idle";
    assert!(all.iter().all(runs), "{all:?}");
}

#[test]
fn no_profile_takes_the_name_of_a_file_of_decks() {
    let s = Sandbox::new();
    s.deck(&["profile", "add", "work"]).ok();
    for taken in ["default.toml", "Default.TOML"] {
        for args in [vec!["profile", "add", taken], vec!["profile", "rename", "work", taken]] {
            let report = s.deck(&args).fails(2);
            assert!(report.contains("invalid profile name") && report.contains("hint: "), "{report}");
        }
        s.deck(&["-p", taken, "add", ".", "-c", "cat", "--no-start"]).fails(2);
    }
    assert_eq!(s.deck(&["profile", "list"]).ok(), "default  0  (default)\nwork  0\n");
}

#[test]
fn a_broken_name_of_the_default_profile_is_passed_over() {
    let s = Sandbox::new();
    s.agent("claude");
    s.deck(&["add", &s.project("p"), "-t", "api", "-c", "claude", "--no-start"]).ok();
    let file = s.path("deck").join("profiles/default.toml");
    let is_told = || {
        for args in [vec!["list"], vec!["profile", "list"], vec!["doctor"], vec!["profile", "default"]] {
            let answer = s.deck(&args);
            let report = answer.stderr();
            assert!(
                report.contains("default.toml") && report.contains("`default` is used"),
                "{args:?}: {report}"
            );
            if args != ["doctor"] {
                answer.ok();
            }
        }
        assert!(s.deck(&["list"]).ok().contains("api"));
    };
    for text in ["name = 3\n", "name = \"../x\"\n", "[["] {
        fs::write(&file, text).unwrap();
        is_told();
    }
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    is_told();
    fs::remove_dir(&file).unwrap();
    fs::write(&file, "name = 3\n").unwrap();
    s.deck(&["profile", "default", "default"]).ok();
    assert_eq!(s.deck(&["list"]).stderr(), "", "setting one repairs it");
}

#[test]
fn one_profile_of_a_newer_deck_hides_no_other() {
    let s = Sandbox::new();
    s.agent("claude");
    s.deck(&["add", &s.project("p"), "-t", "api", "-c", "claude", "--no-start"]).ok();
    let newer = s.path("deck").join("profiles/later");
    fs::create_dir(&newer).unwrap();
    let text = r#"{"schema_version": 99, "sessions": {}}"#;
    fs::write(newer.join("sessions.json"), text).unwrap();
    for args in [vec!["profile", "list"], vec!["list", "--all-profiles"]] {
        let answer = s.deck(&args);
        let report = answer.stderr();
        assert!(report.contains("later") && report.contains("newer than this deck's"), "{report}");
        let shown = answer.ok();
        assert!(shown.contains(if args[0] == "list" { "api" } else { "default  1" }), "{shown}");
    }
    let all: serde_json::Value = serde_json::from_str(&s.deck(&["profile", "list", "--json"]).ok()).unwrap();
    assert_eq!((&all[1]["name"], &all[1]["sessions"]), (&"later".into(), &serde_json::Value::Null), "{all}");
    fs::write(s.path("deck").join("profiles/default/sessions.json"), text).unwrap();
    s.deck(&["list", "--all-profiles"]).fails(6);
    s.deck(&["profile", "list"]).fails(6);
    assert_eq!(fs::read_to_string(newer.join("sessions.json")).unwrap(), text, "nothing of it is changed");
}
