//! `deck worktree finish`: merged, removed, archived; and brought back.

use std::path::{Path, PathBuf};

use super::{commit, repository};
use crate::support::Sandbox;

fn world() -> (Sandbox, String) {
    let s = Sandbox::new();
    s.agent("claude");
    let path = repository(&s, "api");
    // Who merges is deck's user.
    s.git(&path, &["config", "user.name", "A User"]);
    s.git(&path, &["config", "user.email", "user@example.com"]);
    (s, path)
}

/// A session in a worktree, with one commit on its branch.
fn session(s: &Sandbox, path: &str, branch: &str) -> PathBuf {
    s.deck(&["add", path, "-w", branch, "-c", "claude"]).ok();
    let at = PathBuf::from(s.session(branch)["project_path"].as_str().unwrap());
    std::fs::write(at.join(format!("of-{branch}")), "x\n").unwrap();
    commit(s, at.to_str().unwrap(), &format!("work of {branch}"));
    at
}

fn log(s: &Sandbox, path: &str, branch: &str) -> Vec<String> {
    s.git(path, &["log", "--format=%s", branch]).lines().map(str::to_owned).collect()
}

#[test]
fn it_is_merged_and_gone_and_undone() {
    let (s, path) = world();
    let at = session(&s, &path, "feat");
    s.deck(&["worker", "add", "feat", "-n", "sh", "-c", "cat"]).ok();
    let words = s.deck(&["worktree", "finish", "feat", "--merge"]).fails(6);
    assert!(
        words.contains("session \"feat\" is running in it") && words.contains("--stop stops the sessions"),
        "{words}"
    );
    let plan = s.deck(&["worktree", "finish", "feat", "--merge", "--stop", "--dry-run"]).ok();
    assert!(plan.contains("feat → main · 1 commit more") && plan.contains("git worktree remove"), "{plan}");
    assert!(
        plan.contains("stops \"feat\" and all that runs in its terminals\n"),
        "what it ends is said: {plan}"
    );
    assert!(at.exists());
    let said = s.deck(&["worktree", "finish", "feat", "--merge", "--stop"]).ok();
    assert_eq!(
        said,
        "merged feat into main; removed ~/src/api-worktrees/feat; archived feat\nthe branch feat stays\n"
    );
    assert!(!at.exists() && Path::new(&path).join("of-feat").exists());
    assert!(s.list().is_empty(), "its session is archived");
    assert_eq!(s.git(&path, &["branch", "--list", "feat"]).trim(), "feat");
    let said = s.deck(&["undo"]).ok();
    assert!(
        said.contains("finished the worktree of feat")
            && said.contains("restored the worktree ~/src/api-worktrees/feat"),
        "{said}"
    );
    assert!(at.join("of-feat").exists());
    let session = s.session("feat");
    assert_eq!((&session["status"], &session["place"]["branch"]), (&"stopped".into(), &"feat".into()));
    s.deck(&["start", "feat"]).ok();
    assert_eq!(s.git(at.to_str().unwrap(), &["branch", "--show-current"]).trim(), "feat");
}

#[test]
fn the_kinds_of_merging() {
    let (s, path) = world();
    session(&s, &path, "one");
    session(&s, &path, "two");
    session(&s, &path, "three");
    s.deck(&["worktree", "finish", "one", "--squash", "--stop", "--delete-branch"]).ok();
    assert_eq!(s.git(&path, &["branch", "--list", "one"]).trim(), "", "merging it would change nothing");
    let squashed = log(&s, &path, "main");
    assert_eq!(squashed.len(), 2, "{squashed:?}");
    assert!(s.git(&path, &["log", "-1", "--format=%B"]).contains("work of one"));
    s.deck(&["worktree", "finish", "two", "--rebase", "--stop", "--delete-branch"]).ok();
    assert_eq!(log(&s, &path, "main")[0], "work of two");
    assert_eq!(s.git(&path, &["log", "--merges", "--format=%s"]).trim(), "");
    s.deck(&["worktree", "finish", "three", "--merge", "--stop"]).ok();
    assert_eq!(s.git(&path, &["log", "--merges", "--format=%s"]).lines().count(), 1);
    for file in ["of-one", "of-two", "of-three"] {
        assert!(Path::new(&path).join(file).exists(), "{file}");
    }
}

#[test]
fn a_conflict_changes_nothing() {
    let (s, path) = world();
    let at = session(&s, &path, "feat");
    std::fs::write(at.join("one"), "mine\n").unwrap();
    commit(&s, at.to_str().unwrap(), "mine");
    std::fs::write(format!("{path}/one"), "theirs\n").unwrap();
    commit(&s, &path, "theirs");
    let (main, feat) = (log(&s, &path, "main"), log(&s, &path, "feat"));
    for kind in ["--merge", "--squash", "--rebase"] {
        let words = s.deck(&["worktree", "finish", "feat", kind, "--stop"]).fails(6);
        assert!(words.contains("conflicts in one"), "{kind}: {words}");
        assert_eq!((log(&s, &path, "main"), log(&s, &path, "feat")), (main.clone(), feat.clone()), "{kind}");
        assert_eq!(s.git(&path, &["status", "--porcelain"]), "", "{kind}");
        assert_eq!(s.git(at.to_str().unwrap(), &["status", "--porcelain"]), "", "{kind}");
        assert!(s.session("feat")["tmux"]["pid"].is_i64(), "{kind}: its agent still runs");
    }
    // What isn't committed where it would be merged is in the way.
    std::fs::write(format!("{path}/one"), "at work\n").unwrap();
    let words = s.deck(&["worktree", "finish", "feat", "--merge", "--stop"]).fails(6);
    assert!(
        words.contains("main is checked out in") && words.contains("which has uncommitted files"),
        "{words}"
    );
}

#[test]
fn a_branch_that_is_checked_out_nowhere_goes_on_only() {
    let (s, path) = world();
    s.git(&path, &["branch", "release"]);
    session(&s, &path, "feat");
    s.deck(&["worktree", "finish", "feat", "--merge", "--into", "release", "--stop", "--keep"]).fails(2);
    s.deck(&["worktree", "finish", "feat", "--merge", "--into", "release", "--keep"]).ok();
    assert_eq!(log(&s, &path, "release")[0], "work of feat");
    assert_eq!(
        s.session("feat")["status"].as_str().map(|s| s != "stopped"),
        Some(true),
        "it is kept as it is"
    );
    s.git(&path, &["commit", "-q", "--allow-empty", "-m", "elsewhere"]);
    s.git(&path, &["branch", "-f", "release", "main"]);
    let words = s.deck(&["worktree", "finish", "feat", "--merge", "--into", "release", "--keep"]).fails(1);
    assert!(words.contains("release has commits of its own and is checked out nowhere"), "{words}");
    let words = s.deck(&["worktree", "finish", "feat", "--merge", "--into", "feat"]).fails(2);
    assert!(words.contains("can't be merged into itself"), "{words}");
}

#[test]
fn a_branch_is_pushed_and_deleted_only_when_nothing_is_lost() {
    let (s, path) = world();
    let remote = s.path("home").join("remote.git");
    s.git(&path, &["clone", "-q", "--bare", ".", remote.to_str().unwrap()]);
    session(&s, &path, "feat");
    let words = s.deck(&["worktree", "finish", "feat", "--push", "--stop"]).fails(2);
    assert!(words.contains("no remote is set"), "{words}");
    s.git(&path, &["remote", "add", "origin", remote.to_str().unwrap()]);
    let answer = s.deck(&["worktree", "finish", "feat", "--push", "--stop", "--delete-branch"]);
    assert!(answer.stderr().contains("open a pull request at"), "{}", answer.stderr());
    answer.ok();
    assert_eq!(log(&s, remote.to_str().unwrap(), "feat")[0], "work of feat");
    assert_eq!(s.git(&path, &["branch", "--list", "feat"]).trim(), "", "its remote branch has all of it");
    session(&s, &path, "alone");
    let answer = s.deck(&["worktree", "finish", "alone", "--stop", "--delete-branch"]);
    assert!(answer.stderr().contains("alone stays: it has commits that main lacks"), "{}", answer.stderr());
    answer.ok();
    assert_eq!(log(&s, &path, "alone")[0], "work of alone");
}

#[test]
fn a_teardown_runs_first_with_consent_and_what_it_writes_is_seen() {
    let (s, path) = world();
    std::fs::write(format!("{path}/.deck.toml"), "teardown = ['echo \"$DECK_BRANCH\" > down']\n").unwrap();
    commit(&s, &path, "teardown");
    s.deck(&["add", &path, "-w", "feat", "-c", "claude"]).fails(6);
    s.deck(&["repo", "trust", "api"]).ok();
    let at = session(&s, &path, "feat");
    let words = s.deck(&["worktree", "finish", "feat", "--stop"]).fails(6);
    assert!(words.contains("uncommitted files (1 untracked): down"), "{words}");
    assert_eq!(std::fs::read_to_string(at.join("down")).unwrap(), "feat\n", "nothing of it is removed");
    std::fs::remove_file(at.join("down")).unwrap();
    // Another byte: it asks again.
    std::fs::write(at.join(".deck.toml"), "teardown = ['exit 3']\n").unwrap();
    commit(&s, at.to_str().unwrap(), "another teardown");
    let words = s.deck(&["worktree", "finish", "feat", "--stop"]).fails(6);
    assert!(words.contains("you have not allowed yet"), "{words}");
    s.deck(&["repo", "trust", at.to_str().unwrap()]).ok();
    let words = s.deck(&["worktree", "finish", "feat", "--stop"]).fails(1);
    assert!(words.contains("the teardown `exit 3` exited with 3"), "{words}");
    assert!(at.exists());
}

/// Where it is killed, and whether the same command finds the worktree after that.
fn killed_at(step: &str) {
    let (s, path) = world();
    let at = session(&s, &path, "feat");
    let head = s.git(&path, &["rev-parse", "feat"]);
    let args = ["worktree", "finish", "feat", "--merge", "--stop", "--delete-branch"];
    s.killed_at(step, &args);
    s.deck(&args).ok();
    assert!(!at.exists(), "{step}");
    assert_eq!(s.git(&path, &["worktree", "list"]).lines().count(), 1, "{step}");
    assert_eq!(log(&s, &path, "main"), ["work of feat", "first"], "{step}: nothing twice");
    assert_eq!(s.git(&path, &["branch", "--list", "feat"]).trim(), "", "{step}");
    let kept = s.git(&path, &["for-each-ref", "--format=%(objectname)", "refs/deck/kept"]);
    assert_eq!(kept.lines().count(), 1, "{step}: {kept}");
    assert_eq!(kept.trim(), head.trim(), "{step}");
    assert!(s.list().is_empty(), "{step}: archived");
    s.deck(&["undo"]).ok();
    assert!(at.join("of-feat").exists(), "{step}: it is brought back");
    assert_eq!(s.list().len(), 1, "{step}");
    let left: Vec<_> = std::fs::read_dir(s.path("deck").join("state/worktrees"))
        .map(|all| {
            all.flatten()
                .map(|e| e.file_name())
                .filter(|n| n.to_string_lossy().starts_with("removal-"))
                .collect()
        })
        .unwrap_or_default();
    assert!(left.is_empty(), "{step}: {left:?}");
}

#[test]
fn killed_before_anything_was_done() {
    killed_at("finish-begun");
    killed_at("finish-torn-down");
}

#[test]
fn killed_after_it_was_merged_or_stopped() {
    killed_at("finish-merged");
    killed_at("finish-stopped");
}

#[test]
fn killed_while_it_was_removed() {
    killed_at("finish-kept");
    killed_at("finish-removed");
    killed_at("finish-branch");
}

#[test]
fn what_is_left_over_is_removed_one_by_one() {
    let (s, path) = world();
    let gone = session(&s, &path, "gone");
    let merged = session(&s, &path, "merged");
    let used = session(&s, &path, "used");
    s.git(&path, &["merge", "-q", "--no-edit", "merged", "used"]);
    s.deck(&["rm", "--stop", "gone", "merged"]).ok();
    std::fs::remove_dir_all(&gone).unwrap();
    let by_hand = s.path("home").join("src/by-hand");
    s.git(&path, &["worktree", "add", "-q", "-b", "by-hand", by_hand.to_str().unwrap()]);
    std::fs::remove_dir_all(&by_hand).unwrap();
    let answer = s.deck(&["worktree", "prune", "--dry-run"]);
    assert!(
        answer.stderr().contains("by-hand: the disk that it was on may not be there"),
        "{}",
        answer.stderr()
    );
    let said = answer.ok();
    assert!(
        said.contains("git's entry of") && said.contains("main has all of merged") && !said.contains("used"),
        "{said}"
    );
    s.deck(&["worktree", "prune"]).fails(2);
    s.deck(&["worktree", "prune", "--yes"]).ok();
    assert!(!merged.exists() && used.exists());
    assert_eq!(
        s.git(&path, &["worktree", "list"]).lines().count(),
        3,
        "the main one, the used one, the one by hand"
    );
}

#[test]
fn removing_archives_nothing_and_is_undone() {
    let (s, path) = world();
    let at = session(&s, &path, "feat");
    s.deck(&["worktree", "rm", "feat", "--stop"]).ok();
    let session = s.session("feat");
    assert_eq!((&session["status"], &session["reason"]), (&"stopped".into(), &"folder gone".into()));
    s.deck(&["undo"]).ok();
    assert!(at.join("of-feat").exists());
    assert_eq!(s.session("feat")["status"], "stopped");
}

#[test]
fn a_tag_of_the_branchs_name_is_not_the_branch() {
    let (s, path) = world();
    s.git(&path, &["tag", "feat"]);
    session(&s, &path, "feat");
    s.deck(&["worktree", "finish", "feat", "--merge", "--stop", "--delete-branch"]).ok();
    assert!(Path::new(&path).join("of-feat").exists());
    assert_eq!(s.git(&path, &["branch", "--list", "feat"]).trim(), "");
}

#[test]
fn a_hook_that_refuses_a_merge_leaves_none_under_way() {
    let (s, path) = world();
    let at = session(&s, &path, "feat");
    s.git(&path, &["commit", "-q", "--allow-empty", "-m", "elsewhere"]);
    let hook = format!("{path}/.git/hooks/commit-msg");
    std::fs::write(&hook, "#!/bin/sh\necho no ticket >&2; exit 1\n").unwrap();
    std::fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let words = s.deck(&["worktree", "finish", "feat", "--merge", "--stop"]).fails(1);
    assert!(words.contains("no ticket"), "{words}");
    assert!(!Path::new(&path).join(".git/MERGE_HEAD").exists() && at.exists());
    assert_eq!(s.git(&path, &["status", "--porcelain"]), "");
    let words = s.deck(&["worktree", "finish", "feat", "--squash", "--stop"]).fails(1);
    assert!(words.contains("no ticket") && words.contains("is staged in"), "{words}");
    assert!(at.exists());
}

#[test]
fn a_file_that_a_merge_would_overwrite_is_in_the_way() {
    let (s, path) = world();
    std::fs::write(format!("{path}/.git/info/exclude"), ".env\n").unwrap();
    let at = session(&s, &path, "feat");
    std::fs::write(at.join(".env"), "of the branch\n").unwrap();
    s.git(at.to_str().unwrap(), &["add", "-f", ".env"]);
    s.git(at.to_str().unwrap(), &["commit", "-qm", "env"]);
    std::fs::write(format!("{path}/.env"), "mine\n").unwrap();
    let words = s.deck(&["worktree", "finish", "feat", "--merge", "--stop"]).fails(6);
    assert!(words.contains("the branch adds .env, and"), "{words}");
    assert_eq!(std::fs::read_to_string(format!("{path}/.env")).unwrap(), "mine\n");
}

#[test]
fn what_is_done_after_a_kill_is_looked_at_and_kept() {
    let (s, path) = world();
    let at = session(&s, &path, "feat");
    let args = ["worktree", "finish", "feat", "--merge", "--stop"];
    s.killed_at("finish-kept", &args);
    s.git(at.to_str().unwrap(), &["checkout", "-q", "--detach"]);
    std::fs::write(at.join("late"), "late\n").unwrap();
    let words = s.deck(&["worktree", "finish", at.to_str().unwrap(), "--merge", "--stop"]).fails(6);
    assert!(words.contains("uncommitted files (1 untracked): late"), "{words}");
    commit(&s, at.to_str().unwrap(), "late");
    let late = s.git(at.to_str().unwrap(), &["rev-parse", "HEAD"]);
    s.deck(&["worktree", "finish", at.to_str().unwrap(), "--keep"]).ok();
    assert!(at.exists(), "another wish is another command");
    s.deck(&["worktree", "finish", at.to_str().unwrap(), "--stop"]).ok();
    let reachable = s.git(&path, &["rev-list", "--all"]);
    assert!(reachable.contains(late.trim()) && !at.exists());
    // A run that was cut off once it was removed is found by each of its names.
    let at = session(&s, &path, "other");
    s.killed_at("finish-removed", &["worktree", "finish", "other", "--stop"]);
    s.deck(&["worktree", "finish", at.to_str().unwrap(), "--stop"]).ok();
    assert!(!at.exists() && s.list().is_empty());
}

#[test]
fn a_branch_that_another_worktree_uses_is_not_deleted() {
    let (s, path) = world();
    session(&s, &path, "feat");
    let second = s.path("home").join("src/second");
    s.git(&path, &["worktree", "add", "-q", "-f", second.to_str().unwrap(), "feat"]);
    let at = s.session("feat")["project_path"].as_str().unwrap().to_owned();
    let answer = s.deck(&["worktree", "finish", &at, "--merge", "--stop", "--delete-branch"]);
    assert!(
        answer.stderr().contains("feat stays:") && answer.stderr().contains("second uses it"),
        "{}",
        answer.stderr()
    );
    answer.ok();
    assert_eq!(s.git(second.to_str().unwrap(), &["branch", "--show-current"]).trim(), "feat");
}

#[test]
fn commits_that_only_gits_entry_of_a_gone_worktree_leads_to_are_kept() {
    let (s, path) = world();
    let at = session(&s, &path, "feat");
    s.git(at.to_str().unwrap(), &["checkout", "-q", "--detach"]);
    std::fs::write(at.join("alone"), "x\n").unwrap();
    commit(&s, at.to_str().unwrap(), "on no branch");
    let alone = s.git(at.to_str().unwrap(), &["rev-parse", "HEAD"]);
    s.deck(&["rm", "--stop", "feat"]).ok();
    std::fs::remove_dir_all(&at).unwrap();
    s.deck(&["worktree", "prune", "--yes"]).ok();
    assert_eq!(s.git(&path, &["worktree", "list"]).lines().count(), 1);
    assert!(s.git(&path, &["rev-list", "--all"]).contains(alone.trim()));
}
