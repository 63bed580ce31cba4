//! Adding, listing, changing and forgetting repositories; listing, locking and naming worktrees.

use serde_json::Value;

use super::{commit, repository};
use crate::support::Sandbox;

fn json(s: &Sandbox, args: &[&str]) -> Value {
    serde_json::from_str(&s.deck(args).ok()).unwrap()
}

#[test]
fn a_repository_is_known_by_name_and_found_again_after_a_move() {
    let s = Sandbox::new();
    let path = repository(&s, "api");
    std::fs::create_dir(format!("{path}/deep")).unwrap();
    assert!(s.deck(&["repo", "add", &format!("{path}/deep")]).ok().contains("added repository api"));
    assert!(s.deck(&["repo", "add", &path]).ok().contains("is there already: repository api"));
    let web = repository(&s, "web");
    s.deck(&["repo", "add", &web, "--name", "front"]).ok();
    let names = s.deck(&["repo", "list", "-q"]).ok();
    assert_eq!(names, "api\nfront\n");
    assert!(s.deck(&["repo", "add", &web, "--name", "api"]).fails(2).contains("taken by another repository"));
    assert!(s.deck(&["repo", "show", "apo"]).fails(3).contains("did you mean api?"));

    s.deck(&["repo", "set", "api", "base=main", "location=inside", "name=back"]).ok();
    let shown = json(&s, &["repo", "show", "back", "--json"]);
    assert_eq!((&shown["base"], &shown["location"]), (&"main".into(), &"inside".into()));
    assert!(s.deck(&["repo", "set", "back", "base=nothing"]).fails(2).contains("unknown commit or branch"));
    assert!(
        s.deck(&["repo", "set", "back", "location=here"]).fails(2).contains("`location` must be sibling")
    );
    assert!(
        s.deck(&["repo", "set", "back", "colour=red"]).fails(2).contains("one of name, base, location, path")
    );

    let moved = s.path("home").join("src/moved");
    std::fs::rename(&path, &moved).unwrap();
    let listed = s.deck(&["repo", "list"]);
    assert!(listed.stderr().contains("deck repo set back path=PATH"), "{}", listed.stderr());
    assert!(listed.ok().contains("missing"));
    assert!(s.deck(&["worktree", "list", "back"]).fails(1).contains("is missing"));
    s.deck(&["repo", "set", "back", &format!("path={}", moved.display())]).ok();
    assert_eq!(json(&s, &["repo", "show", "back", "--json"])["missing"], false);
    s.deck(&["repo", "rm", "back"]).ok();
    assert!(moved.join("one").exists(), "no file is touched");
    assert_eq!(s.deck(&["repo", "list", "-q"]).ok(), "front\n");
}

#[test]
fn worktrees_are_listed_with_their_state() {
    let s = Sandbox::new();
    let path = repository(&s, "api");
    let beside = s.path("home").join("src/api-worktrees");
    let at = |name: &str| beside.join(name).to_str().unwrap().to_owned();
    s.git(&path, &["worktree", "add", "-q", "-b", "feat/x", &at("feat-x")]);
    s.git(&path, &["worktree", "add", "-q", "--detach", &at("loose")]);
    s.git(&path, &["worktree", "add", "-q", "-b", "gone", &at("gone")]);
    std::fs::remove_dir_all(at("gone")).unwrap();
    s.git(&at("feat-x"), &["branch", "-q", "--set-upstream-to=main"]);
    std::fs::write(format!("{}/two", at("feat-x")), "x\n").unwrap();
    commit(&s, &at("feat-x"), "second");
    std::fs::write(format!("{}/three", at("feat-x")), "x\n").unwrap();
    s.deck(&["repo", "add", &path]).ok();
    s.deck(&["add", &at("feat-x"), "-t", "x", "-c", "shell", "--no-start"]).ok();
    s.deck(&["worktree", "lock", "feat/x", "--reason", "an experiment"]).ok();

    let all = json(&s, &["worktree", "list", "--all", "--json"]);
    let find = |branch: &str| all.as_array().unwrap().iter().find(|w| w["branch"] == branch).unwrap().clone();
    assert_eq!(all.as_array().unwrap().len(), 4);
    let main = find("main");
    assert_eq!(
        (&main["main"], &main["dirty"], &main["sessions"]),
        (&true.into(), &false.into(), &Value::Array(vec![]))
    );
    let x = find("feat/x");
    assert_eq!((&x["ahead"], &x["behind"], &x["dirty"]), (&1.into(), &0.into(), &true.into()));
    assert_eq!(
        (&x["locked"], &x["lock_reason"], &x["made"]),
        (&true.into(), &"an experiment".into(), &false.into())
    );
    assert_eq!(x["sessions"][0], s.session("x")["id"]);
    let gone = find("gone");
    assert_eq!(
        (&gone["missing"], &gone["prunable"], &gone["dirty"]),
        (&true.into(), &true.into(), &Value::Null)
    );
    let head = s.git(&path, &["rev-parse", "--short=8", "HEAD"]);
    let words = s.deck(&["worktree", "list"]).ok().replace(head.trim(), "COMMIT..");
    insta::assert_snapshot!(words);

    // A worktree is named by its branch, its folder, its path.
    let quiet = |word: &str| s.deck(&["worktree", "show", word, "-q"]).ok();
    for word in ["feat/x", "feat-x", &at("feat-x")] {
        assert_eq!(quiet(word).trim(), at("feat-x"), "{word}");
    }
    assert_eq!(quiet("loose").trim(), at("loose"));
    assert!(s.deck(&["worktree", "show", "nothing"]).fails(3).contains("deck worktree list --all"));
    assert!(s.deck(&["worktree", "lock", "feat/x"]).fails(1).contains("already locked"));
    s.deck(&["worktree", "unlock", "feat/x"]).ok();
    assert!(s.deck(&["worktree", "show", "feat/x"]).ok().contains("↑1 1 changed"));
}

#[test]
fn reading_takes_no_lock_and_runs_nothing_of_the_repository() {
    let s = Sandbox::new();
    let path = repository(&s, "api");
    s.deck(&["repo", "add", &path]).ok();
    let marker = s.path("tmp").join("ran");
    let program = format!("touch '{}'", marker.display());
    s.git(&path, &["config", "core.fsmonitor", &program]);
    s.git(&path, &["config", "filter.bad.clean", &program]);
    std::fs::write(format!("{path}/.gitattributes"), "* filter=bad\n").unwrap();
    std::fs::write(format!("{path}/.git/hooks/post-index-change"), format!("#!/bin/sh\n{program}\n"))
        .unwrap();
    let index = || std::fs::metadata(format!("{path}/.git/index")).unwrap().modified().unwrap();
    let before = index();
    s.deck(&["worktree", "list", "api", "--json"]).ok();
    s.deck(&["worktree", "show", &path]).ok();
    s.deck(&["repo", "show", "api"]).ok();
    assert_eq!(index(), before, "the index was written");
    assert!(!marker.exists(), "a program of the repository was run");
}

#[test]
fn folders_without_a_repository_and_bare_ones() {
    let s = Sandbox::new();
    let nothing = s.project("p");
    let words = s.deck(&["repo", "add", &nothing]).fails(2);
    assert!(words.contains("is not in a git repository") && words.contains("git init"), "{words}");
    let path = repository(&s, "api");
    let bare = s.path("home").join("src/proj/.bare");
    let bare = bare.to_str().unwrap();
    s.git(&path, &["clone", "-q", "--bare", ".", bare]);
    assert!(s.deck(&["repo", "add", bare]).ok().contains("added repository proj"));
    assert_eq!(json(&s, &["worktree", "list", "proj", "--json"])[0]["bare"], true);
}
