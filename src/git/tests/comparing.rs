//! What changed in a folder, against what, and what is never read or run for it.

use super::{World, short};
use crate::domain::diff::{Against, Change, Content};
use crate::git::GitProgram;
use crate::git::run::Repository;
use crate::ports::git::{GitError, GitRead, Lines};
use crate::sys::{files, spawn};

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
