//! `deck diff`: what changed in a session's folder, by the real git.

use std::fs;

use crate::support::Sandbox;

/// Two files changed, one of them executable; one renamed, one binary, one that git doesn't know.
pub fn changed_repository(s: &Sandbox) -> String {
    let dir = s.project("repo");
    let write = |name: &str, text: &str| fs::write(format!("{dir}/{name}"), text).unwrap();
    s.git(&dir, &["init", "-q", "-b", "main"]);
    write("lib.rs", "fn one() {}\nfn two() {}\nfn three() {}\n");
    write("old.rs", "fn a() {}\nfn b() {}\nfn c() {}\n");
    write("run.sh", "echo\n");
    write("logo.png", "\0one");
    s.git(&dir, &["add", "."]);
    s.git(&dir, &["commit", "-qm", "first"]);
    s.git(&dir, &["mv", "old.rs", "new.rs"]);
    write("lib.rs", "fn one() {}\nfn 2() {}\nfn three() {}\nfn \u{1b}[31mfour() {}\n");
    write("run.sh", "echo\necho more\n");
    write("logo.png", "\0two");
    write("notes.md", "a note\twith a tab\n");
    dir
}

#[test]
fn files_and_lines() {
    let s = Sandbox::new();
    s.agent("agent");
    let dir = changed_repository(&s);
    s.deck(&["add", &dir, "-t", "api", "-c", "agent"]).ok();
    insta::assert_snapshot!(s.deck(&["diff", "api"]).ok());
    insta::assert_snapshot!(s.deck(&["diff", "api", "--stat"]).ok());
    let branch = s.deck(&["show", "api"]).ok();
    let branch = branch.lines().find(|l| l.starts_with("branch")).unwrap().to_owned();
    assert_eq!(branch, "branch        main · 5 uncommitted files");
    let json: serde_json::Value = serde_json::from_str(&s.deck(&["diff", "api", "--json"]).ok()).unwrap();
    assert_eq!((&json["added"], &json["removed"]), (&4.into(), &1.into()));
    // What a file holds is data there.
    let text = &json["files"][0]["hunks"][0]["lines"][4]["text"];
    assert_eq!(text, "fn \u{1b}[31mfour() {}");
    s.git(&dir, &["add", "-A"]);
    assert_eq!(s.deck(&["diff", "api", "--base", "index"]).ok(), "");
    s.git(&dir, &["commit", "-qm", "second"]);
    let clean = s.deck(&["diff", "api"]);
    assert_eq!((clean.stdout().as_str(), clean.stderr().as_str()), ("", "no changes (compared with HEAD)\n"));
    assert!(s.deck(&["diff", "api", "--base", "HEAD~1", "--stat"]).ok().contains("5 files, +4 -1"));
}

#[test]
fn places_without_anything_to_compare() {
    let s = Sandbox::new();
    s.agent("agent");
    let dir = s.project("plain");
    s.deck(&["add", &dir, "-t", "plain", "-c", "agent"]).ok();
    let error = s.deck(&["diff", "plain"]).fails(1);
    assert_eq!(error, format!("error: {dir} is not in a git repository\n  hint: `git init` makes one\n"));
    assert!(!s.deck(&["show", "plain"]).ok().contains("branch"));
    s.git(&dir, &["init", "-q", "-b", "main"]);
    let first = s.deck(&["diff", "plain"]);
    assert_eq!(first.stderr(), "no changes (compared with no commit yet)\n");
    s.git(&dir, &["commit", "-q", "--allow-empty", "-m", "x"]);
    let error = s.deck(&["diff", "plain", "--base", "branch"]).fails(2);
    assert!(error.starts_with("error: can't tell which branch main came from"), "{error}");
    assert!(error.contains("hint: name a commit or branch with --base"), "{error}");
    let error = s.deck(&["diff", "plain", "--base", "nothing"]).fails(2);
    assert_eq!(error, "error: unknown commit or branch \"nothing\"\n");
    // A git that says nothing, and one that isn't there.
    s.program("git", "exit 3");
    let error = s.deck(&["diff", "plain"]).fails(1);
    assert_eq!(error, "error: git failed: it gave no reason\n");
    fs::remove_file(s.path("bin/git")).unwrap();
    fs::remove_dir_all(&dir).unwrap();
    assert!(s.deck(&["diff", "plain"]).fails(1).contains("doesn't exist"));
}
