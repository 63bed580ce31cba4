//! Worktrees and branches: making, listing and finding them, and what tells that something moved.

use std::path::Path;

use super::World;
use crate::domain::diff::Against;
use crate::domain::worktree::Checkout;
use crate::git::GitProgram;
use crate::ports::git::{GitError, GitRead, GitWrite, Lines};

/// Nobody stops it.
const GO: &dyn Fn() -> bool = &|| false;

#[test]
fn a_worktree_of_each_kind_is_made_and_listed() {
    let w = World::new();
    let top = w.path(".");
    w.git(".", &["branch", "old"]);
    let head = w.git(".", &["rev-parse", "HEAD"]).trim().to_owned();
    let at = |name: &str| w.dir.path().join(name);
    let checkouts = [
        ("wt/a b$(x)", Checkout::New { branch: "feat/x".into(), commit: head.clone() }),
        ("wt/old", Checkout::Branch("old".into())),
        ("wt/loose", Checkout::Detached(head.clone())),
    ];
    for (name, checkout) in &checkouts {
        GitProgram.add_worktree(&top, &at(name), checkout, None, GO).unwrap();
    }
    GitProgram.lock_worktree(&top, &at("wt/old"), "a disk; -x", GO).unwrap();
    let all = GitProgram.worktrees(&at("wt/old"), GO).unwrap();
    let real = |path: &Path| path.canonicalize().unwrap();
    let facts: Vec<_> =
        all.iter().map(|e| (real(&e.path), e.branch.as_deref(), e.locked.as_deref())).collect();
    assert_eq!(
        facts,
        [
            (real(&top), Some("main"), None),
            (real(&at("wt/a b$(x)")), Some("feat/x"), None),
            (real(&at("wt/loose")), None, None),
            (real(&at("wt/old")), Some("old"), Some("a disk; -x")),
        ]
    );
    GitProgram.unlock_worktree(&top, &at("wt/old"), GO).unwrap();
    let common = real(&top.join(".git"));
    let of = |folder: &Path| GitProgram.repository(folder, GO).unwrap();
    assert_eq!((of(&at("wt/old")).common_dir, of(&top).common_dir), (common.clone(), common.clone()));
    assert_eq!(of(&at("wt/old")).top.map(|t| real(&t)), Some(real(&at("wt/old"))));
    assert_eq!(GitProgram.common_folder(&at("wt/old")).map(|p| real(&p)), Some(common));
    // What git refuses leaves nothing.
    let again = GitProgram.add_worktree(&top, &at("wt/again"), &Checkout::Branch("old".into()), None, GO);
    assert!(matches!(&again, Err(GitError::Failed(words)) if words.contains("already")), "{again:?}");
    assert!(!at("wt/again").exists());
    let relative = GitProgram.add_worktree(&top, Path::new("x"), &Checkout::Branch("old".into()), None, GO);
    assert!(matches!(relative, Err(GitError::BadPath(_))));
}

#[test]
fn branches_are_found_here_and_on_remotes() {
    let w = World::new();
    let top = w.path(".");
    w.git(".", &["branch", "feat/x"]);
    w.git(".", &["update-ref", "refs/remotes/origin/feat/y", "HEAD"]);
    w.git(".", &["update-ref", "refs/remotes/fork/feat/y", "HEAD"]);
    let of = |name: &str| GitProgram.branch(&top, name, GO);
    let x = of("feat/x").unwrap();
    assert!(x.is_local && x.remotes.is_empty());
    let mut y = of("feat/y").unwrap();
    y.remotes.sort();
    assert!(!y.is_local && y.remotes == ["fork", "origin"]);
    assert_eq!(
        of("feat").unwrap(),
        crate::ports::git::BranchFacts::default(),
        "a folder of branches is none"
    );
    let long = "x".repeat(300);
    for bad in ["", "-x", "a..b", "HEAD", "a\nb", "@{-1}", "a b", "refs/heads/", ".x", "a.lock"] {
        assert!(matches!(of(bad), Err(GitError::BadBranch(_))), "{bad}");
    }
    // git itself takes it; its folder could not be made.
    assert!(of(&long).is_ok());
    assert_eq!(GitProgram.commit(&top, "feat/x", GO).unwrap().subject, "first");
    for bad in ["nothing", "-x", "--all", "main:one", ""] {
        assert!(matches!(GitProgram.commit(&top, bad, GO), Err(GitError::NoCommit(_))), "{bad}");
    }
}

#[test]
fn the_branch_that_others_begin_at() {
    let w = World::new();
    let top = w.path(".");
    assert_eq!(GitProgram.default_branch(&top, GO).unwrap(), "main");
    w.git(".", &["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk"]);
    assert_eq!(GitProgram.default_branch(&top, GO).unwrap(), "trunk");
    let bare = w.dir.path().join("bare.git");
    w.git(".", &["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
    assert_eq!(GitProgram.default_branch(&bare, GO).unwrap(), "main");
    assert!(GitProgram.worktrees(&bare, GO).unwrap()[0].is_bare);
    assert_eq!(GitProgram.repository(&bare, GO).unwrap().top, None);
    assert!(matches!(GitProgram.repository(w.dir.path(), GO), Err(GitError::NoRepository(_))));
}

#[test]
fn commits_ahead_and_behind_are_counted_without_looking_at_files() {
    let w = World::new();
    let count = || GitProgram.ahead_behind(&w.path("."), &|| false).unwrap();
    assert_eq!(count(), None, "it follows none");
    w.git(".", &["branch", "-q", "other"]);
    w.git(".", &["branch", "-q", "--set-upstream-to=other"]);
    assert_eq!(count(), Some((0, 0)));
    for n in ["1", "2"] {
        w.write("one", n);
        w.commit(n);
    }
    w.git(".", &["checkout", "-q", "other"]);
    w.write("two", "3");
    w.commit("3");
    w.git(".", &["checkout", "-q", "main"]);
    assert_eq!(count(), Some((2, 1)));
    // Another worktree of the same repository.
    w.git(".", &["worktree", "add", "-q", "../further", "other"]);
    let further = w.path("../further");
    assert_eq!(GitProgram.ahead_behind(&further, &|| false).unwrap(), None);
    assert!(GitProgram.diff(&further, &Against::Head, &Lines::All, &|| false).unwrap().files.is_empty());
    let plain = tempfile::tempdir().unwrap();
    assert_eq!(GitProgram.ahead_behind(plain.path(), &|| false).unwrap(), None);
}

#[test]
fn a_stamp_moves_with_commits_branches_and_the_index() {
    let w = World::new();
    let mut last = GitProgram.stamp(&w.path("."));
    assert!(last.is_some());
    let mut moves = |words: &[&str]| {
        w.git(".", words);
        let now = GitProgram.stamp(&w.path("."));
        let moved = now != last;
        last = now;
        moved
    };
    assert!(!moves(&["--no-optional-locks", "status"]));
    assert!(moves(&["checkout", "-qb", "feat"]));
    assert!(moves(&[
        "-c",
        "user.name=x",
        "-c",
        "user.email=x@y",
        "commit",
        "-q",
        "--allow-empty",
        "-m",
        "x"
    ]));
    assert!(moves(&["rm", "-q", "--cached", "one"]));
    assert!(moves(&["worktree", "add", "-q", "-b", "more", "../more"]) || last.is_some());
    let more = w.path("../more");
    let first = GitProgram.stamp(&more);
    assert!(first.is_some() && first != last);
    w.git("../more", &["rm", "-q", "--cached", "two"]);
    assert_ne!(GitProgram.stamp(&more), first);
    assert_eq!(GitProgram.stamp(&w.path(".")), last, "the other's index is its own");
    assert_eq!(GitProgram.stamp(w.dir.path()), None);
}
