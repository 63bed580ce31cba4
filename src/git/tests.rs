//! Real git in folders of its own.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::GitProgram;
use super::run::Repository;
use crate::domain::diff::{Against, Change, Content, Diff};
use crate::domain::worktree::Checkout;
use crate::ports::git::{GitError, GitRead, GitWrite, Lines};
use crate::sys::{files, spawn};

struct World {
    dir: TempDir,
}

impl World {
    /// A repository with one commit.
    fn new() -> Self {
        let world = Self::empty();
        world.git(".", &["init", "-q", "-b", "main"]);
        world.write("one", "a\nb\nc\n");
        world.write("two", "x\n");
        world.commit("first");
        world
    }

    fn empty() -> Self {
        let world = Self { dir: tempfile::tempdir().unwrap() };
        std::fs::create_dir_all(world.path(".")).unwrap();
        world
    }

    fn path(&self, name: &str) -> PathBuf {
        let top = self.dir.path().join("repo");
        if name == "." { top } else { top.join(name) }
    }

    fn write(&self, name: &str, text: &str) {
        files::replace(&self.path(name), text.as_bytes(), || Ok(())).unwrap();
    }

    fn commit(&self, message: &str) {
        self.git(".", &["add", "-A"]);
        self.git(".", &["-c", "user.name=x", "-c", "user.email=x@y", "commit", "-qm", message]);
    }

    #[track_caller]
    fn git(&self, folder: &str, words: &[&str]) -> String {
        let mut git = spawn::command("git");
        git.env_clear().env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", self.dir.path());
        git.env("GIT_CONFIG_NOSYSTEM", "1").current_dir(self.path(folder)).args(words);
        let output = git.output().unwrap();
        assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    #[track_caller]
    fn diff(&self, against: &Against) -> Diff {
        GitProgram.diff(&self.path("."), against, &Lines::All, &|| false).unwrap()
    }

    fn fails(&self, folder: &Path, against: &Against) -> String {
        GitProgram.diff(folder, against, &Lines::All, &|| false).unwrap_err().to_string()
    }
}

/// Path, change, and lines added and removed.
type Short<'a> = (&'a str, Change, Option<(usize, usize)>);

fn short(diff: &Diff) -> Vec<Short<'_>> {
    diff.files.iter().map(|f| (f.path.as_str(), f.change, f.counts)).collect()
}

#[test]
fn the_last_commit_the_index_and_a_named_commit() {
    let w = World::new();
    w.write("one", "a\nB\nc\n");
    w.git(".", &["add", "one"]);
    w.write("two", "x\ny\n");
    w.write("new file", "1\n2\n");
    std::fs::create_dir(w.path("below")).unwrap();
    let new = ("new file", Change::Untracked, Some((2, 0)));
    let two = ("two", Change::Modified, Some((1, 0)));
    let one = ("one", Change::Modified, Some((1, 1)));
    let head = w.diff(&Against::Head);
    assert_eq!(short(&head), [new, one, two]);
    assert_eq!((head.totals(), head.base.name.as_str()), ((4, 1), "HEAD"));
    assert_eq!(short(&w.diff(&Against::Index)), [new, two]);
    // From a folder below its top it is the same.
    let below = GitProgram.diff(&w.path("below"), &Against::Head, &Lines::All, &|| false).unwrap();
    assert_eq!(below.files, head.files);
    w.commit("second");
    assert_eq!(short(&w.diff(&Against::Commit("HEAD~1".into()))).len(), 3);
    assert!(w.diff(&Against::Head).files.is_empty());
    assert!(w.diff(&Against::Head).state.is_clean());
    for name in ["nothing", "--output=x", "", "-x", "one"] {
        let error = w.fails(&w.path("."), &Against::Commit(name.into()));
        assert_eq!(error, format!("unknown commit or branch {name:?}"));
    }
    assert!(!w.path("x").exists());
}

#[test]
fn numbers_without_lines_and_lines_of_one_file() {
    let w = World::new();
    w.write("one", "a\nB\nc\n");
    w.write("two", "x\ny\n");
    w.write("new", "1\n");
    let ask = |lines: &Lines| GitProgram.diff(&w.path("."), &Against::Head, lines, &|| false).unwrap();
    let (all, none) = (ask(&Lines::All), ask(&Lines::None));
    assert_eq!(short(&all), short(&none));
    let one = ask(&Lines::Of("one".into()));
    let (wanted, other) = (&one.files[1], &one.files[2]);
    assert_eq!((wanted, &other.content), (&all.files[1], &Content::NotRead));
    assert_eq!(ask(&Lines::Of("new".into())).files[0], all.files[0]);
}

#[test]
fn where_a_branch_left_the_one_that_it_came_from() {
    let w = World::new();
    assert_eq!(
        w.fails(&w.path("."), &Against::Branch),
        "can't tell which branch main came from: no upstream, no main or master"
    );
    w.git(".", &["checkout", "-qb", "feat"]);
    w.write("one", "a\nb\nc\nfeat\n");
    w.commit("on feat");
    w.write("two", "uncommitted\n");
    w.git(".", &["stash", "-q"]);
    w.git(".", &["checkout", "-q", "main"]);
    w.write("later", "on main\n");
    w.commit("later on main");
    w.git(".", &["checkout", "-q", "feat"]);
    w.git(".", &["stash", "pop", "-q"]);
    let diff = w.diff(&Against::Branch);
    assert_eq!(diff.base.name, "main");
    assert_eq!(
        short(&diff),
        [("one", Change::Modified, Some((1, 0))), ("two", Change::Modified, Some((1, 1)))]
    );
    // With a remote: what it has of main counts, wherever main is here.
    w.git(".", &["stash", "-q"]);
    w.git("..", &["clone", "-q", "repo", "clone"]);
    let clone = w.path("../clone");
    w.git("../clone", &["checkout", "-q", "-b", "other", "origin/main"]);
    files::append(&clone.join("one"), b"other\n").unwrap();
    let diff = GitProgram.diff(&clone, &Against::Branch, &Lines::All, &|| false).unwrap();
    assert_eq!((diff.base.name.as_str(), short(&diff).len()), ("origin/main", 1));
    let upstream = diff.state.upstream.unwrap();
    assert_eq!((upstream.name.as_str(), upstream.ahead_behind), ("origin/main", Some((0, 0))));
}

#[test]
fn places_without_anything_to_compare() {
    let w = World::empty();
    let plain = w.path(".");
    assert_eq!(w.fails(&plain, &Against::Head), format!("{} is not in a git repository", plain.display()));
    w.git(".", &["init", "-q", "-b", "main"]);
    let first = w.diff(&Against::Head);
    assert_eq!((first.base.name.as_str(), first.files.len(), first.state.commit), ("no commit yet", 0, None));
    w.write("new", "1\n");
    w.write("staged", "1\n");
    w.git(".", &["add", "staged"]);
    for against in [Against::Head, Against::Branch] {
        let want = [("new", Change::Untracked, Some((1, 0))), ("staged", Change::Added, Some((1, 0)))];
        assert_eq!(short(&w.diff(&against)), want);
    }
    let inside = w.path(".git");
    assert_eq!(w.fails(&inside, &Against::Head), format!("{} is not in a git repository", inside.display()));
    let bare = w.path("bare");
    w.git(".", &["init", "-q", "--bare", "bare"]);
    let words = format!("{} is a bare repository: it has no files to compare", bare.display());
    assert_eq!(w.fails(&bare, &Against::Head), words);
}

#[test]
fn nothing_that_a_repository_names_is_run_and_nothing_is_written() {
    let w = World::new();
    let ran = w.dir.path().join("ran");
    let evil = w.dir.path().join("evil");
    let script = format!("#!/bin/sh\n: > '{}'\ncat \"$1\" 2>/dev/null\n", ran.display());
    files::create_new(&evil, script.as_bytes(), 0o700).unwrap();
    w.write(".gitattributes", "one diff=x filter=x\ntwo filter=y\n");
    w.write("one", "a\nchanged\nc\n");
    let evil = evil.to_str().unwrap();
    for key in [
        "core.fsmonitor",
        "diff.external",
        "diff.x.textconv",
        "diff.x.command",
        "core.pager",
        "pager.diff",
        "filter.x.clean",
        "filter.y.process",
    ] {
        w.git(".", &["config", key, evil]);
    }
    w.git(".", &["config", "filter.x.required", "true"]);
    w.git(".", &["config", "diff.noprefix", "true"]);
    w.git(".", &["config", "color.ui", "always"]);
    w.git(".", &["config", "status.showUntrackedFiles", "no"]);
    // The index is out of date, and an agent's own command may hold its lock.
    w.write("two", "x\n");
    w.write(".git/index.lock", "");
    let list = || {
        let mut find = spawn::command("find");
        find.args([".git", "-type", "f", "-printf", "%p %s %T@\n"]).current_dir(w.path("."));
        String::from_utf8(find.output().unwrap().stdout).unwrap()
    };
    let before = list();
    let diff = w.diff(&Against::Head);
    assert_eq!(
        short(&diff),
        [(".gitattributes", Change::Untracked, Some((2, 0))), ("one", Change::Modified, Some((1, 1)))]
    );
    assert_eq!(list(), before);
    assert!(!ran.exists());
}

#[test]
fn a_filter_that_can_not_be_turned_off_is_refused() {
    let w = World::new();
    w.git(".", &["config", "filter.a=b.clean", "false"]);
    let words = "git failed: the repository's filter `a=b` can't be turned off";
    assert_eq!(w.fails(&w.path("."), &Against::Head), words);
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
fn what_isnt_a_file_is_neither_read_nor_followed() {
    let w = World::new();
    std::os::unix::fs::symlink("/etc/passwd", w.path("link")).unwrap();
    nix::unistd::mkfifo(&w.path("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    w.git(".", &["init", "-q", "nested"]);
    w.write("nested/file", "1\n");
    let diff = w.diff(&Against::Head);
    let notes: Vec<_> = diff.files.iter().map(|f| (f.path.as_str(), f.notes().join(", "))).collect();
    let want = [("link", "untracked, link"), ("nested/", "untracked, a repository of its own")];
    assert_eq!(notes, want.map(|(path, words)| (path, words.to_owned())));
    let Content::Text(hunks) = &diff.files[0].content else { panic!() };
    assert_eq!(hunks[0].lines[0].text, "/etc/passwd");
}

#[test]
fn submodules_and_conflicts() {
    let w = World::new();
    w.git(".", &["init", "-q", "-b", "main", "sub"]);
    let commit = ["-c", "user.name=x", "-c", "user.email=x@y", "commit", "-q", "--allow-empty", "-m", "x"];
    w.git("sub", &commit);
    w.commit("with a submodule");
    w.git("sub", &commit);
    w.git(".", &["checkout", "-qb", "feat"]);
    w.write("one", "a\nfeat\nc\n");
    w.git(".", &["-c", "user.name=x", "-c", "user.email=x@y", "commit", "-qm", "feat", "one"]);
    w.git(".", &["checkout", "-q", "main"]);
    w.write("one", "a\nmain\nc\n");
    w.git(".", &["-c", "user.name=x", "-c", "user.email=x@y", "commit", "-qm", "main", "one"]);
    w.git(".", &["-c", "user.name=x", "-c", "user.email=x@y", "rev-parse", "HEAD"]);
    let mut merge = spawn::command("git");
    merge.current_dir(w.path(".")).env("HOME", w.dir.path()).args([
        "-c",
        "user.name=x",
        "-c",
        "user.email=x@y",
    ]);
    assert!(!merge.args(["merge", "-q", "feat"]).output().unwrap().status.success());
    for against in [Against::Head, Against::Index] {
        let diff = w.diff(&against);
        let notes: Vec<_> =
            diff.files.iter().map(|f| (f.path.as_str(), f.change, f.notes().join(", "))).collect();
        let one = ("one", Change::Conflicted, "in conflict".to_owned());
        assert_eq!(notes, [one, ("sub", Change::Modified, "submodule".to_owned())], "{against:?}");
        let Content::Text(hunks) = &diff.files[0].content else { panic!() };
        assert!(hunks[0].lines.iter().any(|l| l.text.starts_with("<<<<<<<")), "{against:?}");
    }
}

#[test]
fn too_much_is_listed_and_not_read() {
    let w = World::new();
    let large = "a line of some length, again and again\n".repeat(300_000);
    w.write("one", &large);
    w.write("two", "x\nread or not\n");
    w.write("new", &large);
    let diff = w.diff(&Against::Head);
    let all: Vec<_> = diff.files.iter().map(|f| (f.path.as_str(), f.counts, f.is_cut)).collect();
    assert_eq!(all, [("new", None, false), ("one", Some((300_000, 3)), true), ("two", Some((1, 0)), false)]);
    assert_eq!((&diff.files[0].content, &diff.files[2].content), (&Content::NotRead, &Content::NotRead));
    // On its own it can be.
    let two = GitProgram.diff(&w.path("."), &Against::Head, &Lines::Of("two".into()), &|| false).unwrap();
    assert!(matches!(&two.files[2].content, Content::Text(hunks) if hunks.len() == 1));
}

#[test]
fn nobody_waits_any_more() {
    let w = World::new();
    let error = GitProgram.diff(&w.path("."), &Against::Head, &Lines::All, &|| true).unwrap_err();
    assert!(matches!(error, GitError::Stopped));
    assert!(Repository::find(&w.path("."), &|| true).is_err());
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
