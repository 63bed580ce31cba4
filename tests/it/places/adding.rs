//! `deck add -w`: which branch, where, with which files; and whoever is killed in the middle.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{commit, repository};
use crate::support::{Sandbox, wait_until};

/// A sandbox with a stand-in agent, and the repository `api` that has one commit.
fn world() -> (Sandbox, String) {
    let s = Sandbox::new();
    s.agent("claude");
    let path = repository(&s, "api");
    (s, path)
}

fn worktree(s: &Sandbox, name: &str) -> PathBuf {
    s.path("home").join("src/api-worktrees").join(name)
}

fn branch(s: &Sandbox, at: &Path) -> String {
    s.git(at.to_str().unwrap(), &["branch", "--show-current"]).trim().to_owned()
}

#[test]
fn a_session_gets_a_worktree_for_a_new_branch() {
    let (s, path) = world();
    let said = s.deck(&["add", &path, "-w", "feat/x", "-c", "claude"]).ok();
    assert!(said.contains("started feat/x in ~/src/api-worktrees/feat-x"), "{said}");
    let at = worktree(&s, "feat-x");
    assert_eq!(branch(&s, &at), "feat/x");
    let session = s.session("feat/x");
    assert_eq!(session["project_path"], at.to_str().unwrap());
    let place = &session["place"];
    assert_eq!((&place["branch"], &place["base"]), (&"feat/x".into(), &"main".into()));
    assert_eq!(
        (&place["made"], &place["setup"], &place["pending"]),
        (&true.into(), &"none".into(), &false.into())
    );
    assert_eq!(s.deck(&["repo", "list", "-q"]).ok(), "api\n", "its repository is known from then on");
    // The same branch again: where it is, and how a second session comes there.
    let words = s.deck(&["add", &path, "-w", "feat/x", "-c", "claude"]).fails(6);
    assert!(words.contains("checked out already in") && words.contains("--reuse"), "{words}");
    s.deck(&["add", &path, "-w", "feat/x", "--reuse", "-t", "second", "-c", "claude"]).ok();
    assert_eq!(s.session("second")["place"]["made"], false);
    assert_eq!(s.session("second")["place"]["port"], place["port"], "they share the ports, too");
    s.deck(&["add", &path, "-w", "", "-t", "Fix the tests!", "-c", "claude"]).ok();
    assert_eq!(branch(&s, &worktree(&s, "Fix-the-tests")), "Fix-the-tests");
    assert_ne!(s.session("Fix the tests!")["place"]["port"], place["port"]);
}

#[test]
fn branches_that_are_here_or_on_remotes() {
    let (s, path) = world();
    s.git(&path, &["branch", "old"]);
    let remote = s.path("home").join("remote.git");
    let remote = remote.to_str().unwrap();
    s.git(&path, &["clone", "-q", "--bare", ".", remote]);
    s.git(remote, &["branch", "theirs", "main"]);
    s.git(&path, &["remote", "add", "origin", remote]);
    // It is fetched only if that is asked for.
    let plan = |args: &[&str]| {
        let all = [&["add", &path, "-c", "claude", "--dry-run", "-w"][..], args].concat();
        s.deck(&all).ok().lines().next().unwrap_or_default().to_owned()
    };
    assert!(plan(&["theirs"]).contains("a new branch theirs from main"), "{}", plan(&["theirs"]));
    assert!(plan(&["theirs", "--fetch"]).contains("follows origin/theirs"));
    s.git(&path, &["remote", "add", "fork", remote]);
    s.git(&path, &["fetch", "-q", "fork"]);
    let words = s.deck(&["add", &path, "-c", "claude", "-w", "theirs"]).fails(2);
    assert!(words.contains("on several remotes") && words.contains("--base fork/theirs"), "{words}");
    s.deck(&["add", &path, "-c", "claude", "-w", "theirs", "--base", "fork/theirs"]).ok();
    let at = worktree(&s, "theirs");
    assert_eq!(s.git(at.to_str().unwrap(), &["rev-parse", "--abbrev-ref", "@{u}"]).trim(), "fork/theirs");
    assert!(plan(&["old"]).contains("for the branch old"));
    s.deck(&["add", &path, "-c", "claude", "-w", "main", "--detach", "-t", "loose"]).ok();
    assert_eq!(s.session("loose")["place"]["branch"], Value::Null);
    assert_eq!(branch(&s, Path::new(s.session("loose")["project_path"].as_str().unwrap())), "");
    // One that was recorded and not started is another session than one with another title.
    s.deck(&["add", &path, "-c", "claude", "-w", "later", "--no-start"]).ok();
    s.deck(&["add", &path, "-c", "claude", "-w", "later", "-t", "other"]).fails(6);
    s.deck(&["add", &path, "-c", "claude", "-w", "later"]).ok();
    for (args, words) in [
        (&["-w=-x"][..], "invalid branch name \"-x\""),
        (&["-w", "a..b"], "invalid branch name"),
        (&["-w", "HEAD"], "invalid branch name"),
        (&["-w", "new", "--base", "nothing"], "unknown commit or branch \"nothing\""),
        (&["--base", "main"], "name its branch with -w"),
    ] {
        let all = [&["add", &path, "-c", "claude"][..], args].concat();
        let said = s.deck(&all).fails(2);
        assert!(said.contains(words), "{said}");
    }
    let empty = s.path("home").join("src/empty");
    std::fs::create_dir_all(&empty).unwrap();
    s.git(empty.to_str().unwrap(), &["init", "-q"]);
    let said = s.deck(&["add", empty.to_str().unwrap(), "-w", "x", "-c", "claude"]).fails(2);
    assert!(said.contains("has no commit yet") && said.contains("commit something first"), "{said}");
    let plain = s.project("plain");
    let said = s.deck(&["add", &plain, "-w", "x", "-c", "claude"]).fails(2);
    assert!(said.contains("is not in a git repository"), "{said}");
    assert_eq!(s.list().len(), 3, "nothing else is left");
}

#[test]
fn where_a_worktree_is_made() {
    let (s, path) = world();
    std::fs::create_dir_all(format!("{path}/packages/web")).unwrap();
    std::fs::write(format!("{path}/packages/web/file"), "x").unwrap();
    commit(&s, &path, "a monorepo");
    let add = |folder: &str, args: &[&str]| s.deck(&[&["add", folder, "-c", "claude"][..], args].concat());
    let folder = |title: &str| s.session(title)["project_path"].as_str().unwrap().to_owned();
    add(&format!("{path}/packages/web"), &["-w", "a"]).ok();
    assert_eq!(folder("a"), worktree(&s, "a/packages/web").to_str().unwrap());
    // What is there is left.
    std::fs::create_dir_all(worktree(&s, "b")).unwrap();
    std::fs::write(worktree(&s, "b").join("mine"), "x").unwrap();
    add(&path, &["-w", "b"]).ok();
    assert_eq!(folder("b"), worktree(&s, "b-2").to_str().unwrap());
    s.deck(&["repo", "set", "api", "location=inside"]).ok();
    add(&path, &["-w", "c"]).ok();
    assert_eq!(folder("c"), format!("{path}/.worktrees/c"));
    assert_eq!(s.git(&path, &["status", "--porcelain"]), "", "git ignores it, by its own file");
    let odd = s.path("home").join("odd $(touch x) 'q' #{pane_id}; é");
    add(&path, &["-w", "d", "--at", odd.to_str().unwrap()]).ok();
    assert_eq!(folder("d"), odd.to_str().unwrap());
    let pid = s.session("d")["tmux"]["pid"].as_i64().unwrap();
    wait_until("its agent is in that folder", || {
        let cwd = std::fs::read_link(format!("/proc/{pid}/cwd")).unwrap();
        if cwd == odd { Ok(()) } else { Err(cwd.display().to_string()) }
    });
    for (at, words) in [
        (worktree(&s, "b").display().to_string(), "is there and not empty"),
        (format!("{path}/packages/new"), "would be inside of the worktree"),
        (worktree(&s, "a/deeper").display().to_string(), "would be inside of the worktree"),
    ] {
        let said = add(&path, &["-w", "e", "--at", &at]);
        let said = format!("{}{}", said.stdout(), said.stderr());
        assert!(said.contains(words), "{said}");
    }
    // A repository without files of its own has them beside it.
    let bare = s.path("home").join("src/proj/.bare");
    s.git(&path, &["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
    add(bare.to_str().unwrap(), &["-w", "f"]).ok();
    assert_eq!(folder("f"), s.path("home").join("src/proj/f").to_str().unwrap());
}

#[test]
fn files_that_git_ignores_come_along_as_far_as_they_are_named() {
    let (s, path) = world();
    let file = |name: &str, text: &str| {
        let at = Path::new(&path).join(name);
        std::fs::create_dir_all(at.parent().unwrap()).unwrap();
        std::fs::write(at, text).unwrap();
    };
    file(".gitignore", ".env*\nnode_modules/\nbuild/\n/one.local\n");
    file(".worktreeinclude", ".env*\n!.env.big\nconf/*.local\n*.local\nuntracked\n");
    file("conf/a.txt", "tracked");
    commit(&s, &path, "rules");
    for (name, text) in [
        (".env", "SECRET=1"),
        (".env.big", "x"),
        ("conf/.env.test", "deep"),
        ("one.local", "1"),
        ("untracked", "not ignored by git"),
        ("node_modules/x/index.js", "y"),
        ("build/out", "z"),
    ] {
        file(name, text);
    }
    std::os::unix::fs::symlink("/etc/passwd", format!("{path}/.env.out")).unwrap();
    std::os::unix::fs::symlink(".env", format!("{path}/.env.in")).unwrap();
    s.deck(&["add", &path, "-w", "a", "-c", "claude"]).ok();
    let at = worktree(&s, "a");
    let read = |name: &str| std::fs::read_to_string(at.join(name)).ok();
    assert_eq!(read(".env").as_deref(), Some("SECRET=1"));
    assert_eq!(read("conf/.env.test").as_deref(), Some("deep"));
    assert_eq!(read("one.local").as_deref(), Some("1"));
    assert!(at.join(".env.in").symlink_metadata().unwrap().is_symlink());
    for name in [".env.big", ".env.out", "untracked", "node_modules", "build"] {
        assert!(at.join(name).symlink_metadata().is_err(), "{name}");
    }
    assert_eq!(s.git(at.to_str().unwrap(), &["status", "--porcelain"]), "");
    s.deck(&["add", &path, "-w", "b", "-c", "claude", "--no-copy"]).ok();
    assert!(!worktree(&s, "b").join(".env").exists());
    // Too much is refused before the first file, and says what it is.
    s.file("config.toml", "worktree.copy_limit = 1\n");
    file(".env.d/large", &"x".repeat(1_100_000));
    let said = s.deck(&["add", &path, "-w", "c", "-c", "claude"]).fails(6);
    assert!(said.contains("too much to copy") && said.contains("most of it in .env.d"), "{said}");
    assert!(!worktree(&s, "c").exists() && s.list().len() == 2);
}

/// Kills `deck add -w` at a step, and runs it again.
fn killed_at(step: &str) {
    let (s, path) = world();
    std::fs::write(format!("{path}/.gitignore"), ".env\n").unwrap();
    std::fs::write(format!("{path}/.worktreeinclude"), ".env\n").unwrap();
    commit(&s, &path, "rules");
    std::fs::write(format!("{path}/.env"), "SECRET=1").unwrap();
    let args = ["add", &path, "-w", "feat/x", "-c", "claude"];
    s.killed_at(step, &args);
    if step == "given" {
        // Starting it completes it as well.
        s.deck(&["start", "feat/x"]).ok();
    } else {
        s.deck(&args).ok();
    }
    let at = worktree(&s, "feat-x");
    assert_eq!(branch(&s, &at), "feat/x", "{step}");
    assert_eq!(std::fs::read_to_string(at.join(".env")).unwrap(), "SECRET=1", "{step}");
    assert_eq!(s.git(&path, &["worktree", "list"]).lines().count(), 2, "{step}: nothing twice");
    assert_eq!(s.list().len(), 1, "{step}: nothing twice");
    let session = s.session("feat/x");
    assert_eq!(
        (&session["place"]["pending"], session["tmux"]["pid"].is_i64()),
        (&false.into(), true),
        "{step}"
    );
}

#[test]
fn a_deck_that_is_killed_while_it_adds_goes_on_where_it_was() {
    for step in ["recorded", "made", "marked", "given", "completed"] {
        killed_at(step);
    }
}

#[test]
fn a_worktree_that_git_was_ended_in_is_completed() {
    let (s, path) = world();
    s.killed_at("made", &["add", &path, "-w", "x", "-c", "claude"]);
    // As git leaves it in the middle: files are missing, and its own lock is there.
    std::fs::remove_file(worktree(&s, "x").join("one")).unwrap();
    std::fs::write(format!("{path}/.git/worktrees/x/locked"), "initializing").unwrap();
    s.deck(&["start", "x"]).ok();
    assert!(worktree(&s, "x").join("one").exists());
    assert!(!Path::new(&format!("{path}/.git/worktrees/x/locked")).exists());
}

#[test]
fn of_two_at_once_for_one_branch_one_wins() {
    let (s, path) = world();
    s.deck(&["repo", "add", &path]).ok();
    let add = || s.deck(&["add", &path, "-w", "x", "-c", "claude"]).code();
    let codes = std::thread::scope(|scope| {
        let all: Vec<_> = (0..2).map(|_| scope.spawn(add)).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect::<Vec<_>>()
    });
    assert!(codes.contains(&0), "{codes:?}");
    assert_eq!(s.git(&path, &["worktree", "list"]).lines().count(), 2);
    assert_eq!(s.list().len(), 1, "the other one leaves nothing: {codes:?}");
}

#[test]
fn a_folder_that_is_gone_is_said_and_made_again() {
    let (s, path) = world();
    s.deck(&["add", &path, "-w", "x", "-c", "claude"]).ok();
    let at = worktree(&s, "x");
    std::fs::write(at.join("two"), "2").unwrap();
    commit(&s, at.to_str().unwrap(), "work");
    s.deck(&["stop", "x"]).ok();
    std::fs::remove_dir_all(&at).unwrap();
    assert_eq!(
        (s.session("x")["status"].clone(), s.session("x")["reason"].clone()),
        ("stopped".into(), "folder gone".into())
    );
    let said = s.deck(&["start", "x"]).fails(1);
    assert!(said.contains("is gone") && said.contains("deck worktree restore x"), "{said}");
    assert!(s.deck(&["explain", "x"]).ok().contains("the folder of its worktree is not there"));
    s.deck(&["worktree", "restore", "x"]).ok();
    assert_eq!(std::fs::read_to_string(at.join("two")).unwrap(), "2");
    s.deck(&["start", "x"]).ok();
    let said = s.deck(&["rm", "--stop", "x"]).ok();
    assert!(said.contains("its worktree ~/src/api-worktrees/x stays") && at.join("two").exists(), "{said}");
    s.deck(&["undo"]).ok();
    assert!(s.deck(&["worktree", "restore", "x"]).fails(2).contains("nothing has to be restored"));
}
