//! Removing worktrees: whatever would be lost keeps one from being removed, and nothing is lost with one that is.

mod cases;
mod world;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use self::cases::CASES;
use self::world::{World, files, write};
use super::commit;

/// Names that a build makes again, as the settings have them.
const EXPENDABLE: [&str; 3] = ["node_modules", "target", "__pycache__"];

#[test]
fn nothing_is_lost_whatever_state_a_worktree_is_in() {
    let w = World::new();
    for case in CASES {
        let name = case.name;
        let at = w.worktree(name);
        let child = (case.prepare)(&w, &at);
        let (before, commits) = (files(w.s.path("home").join("src").as_path()), w.commits());
        let entries = w.s.git(&w.path, &["worktree", "list"]);
        // What this worktree's own record leads to goes with it: refs must lead to all of that.
        let own_record: BTreeSet<String> = match case.refused {
            Some(_) => BTreeSet::new(),
            None if name == "no-commit-yet" => BTreeSet::new(),
            None => w.git(&at, &["rev-list", "--walk-reflogs", "HEAD"]).lines().map(str::to_owned).collect(),
        };
        let answer = w.s.deck(&["worktree", "rm", at.to_str().unwrap()]);
        if let Some(mut child) = child {
            child.kill().unwrap();
            child.wait().unwrap();
        }
        match case.refused {
            Some(words) => {
                let said = answer.fails(6);
                assert!(said.contains(words), "{name}: {said}");
                let after = files(w.s.path("home").join("src").as_path());
                let lost: Vec<_> =
                    before.iter().filter(|(path, text)| after.get(*path) != Some(text)).collect();
                let index = |path: &Path| path.ends_with("index") || path.ends_with("FETCH_HEAD");
                assert!(lost.iter().all(|(path, _)| index(path)), "{name}: lost or changed: {lost:?}");
                assert_eq!(w.s.git(&w.path, &["worktree", "list"]), entries, "{name}");
                assert_eq!(w.commits(), commits, "{name}");
            }
            None => {
                answer.ok();
                assert!(at.symlink_metadata().is_err(), "{name}: it is gone");
                let missing: Vec<_> = own_record.difference(&w.reachable()).cloned().collect();
                assert!(missing.is_empty(), "{name}: no ref leads to {missing:?}");
                let missing: Vec<_> = commits.difference(&w.commits()).cloned().collect();
                assert!(missing.is_empty(), "{name}: nothing leads to {missing:?}");
                let blobs = w.blobs();
                let own = |path: &&PathBuf| path.starts_with(&at) && !path.ends_with(".git");
                let kept = |path: &Path| {
                    let text = &before[path];
                    let file = w.s.path("tmp").join("one-file");
                    std::fs::write(&file, text).unwrap();
                    // A submodule's files are in its own repository.
                    blobs.contains(&w.blob(&file)) || path.starts_with(at.join("lib"))
                };
                let expendable =
                    |path: &Path| path.iter().any(|part| EXPENDABLE.iter().any(|name| part == *name));
                let lost: Vec<_> =
                    before.keys().filter(own).filter(|path| !expendable(path) && !kept(path)).collect();
                assert!(lost.is_empty(), "{name}: lost {lost:?}");
                let others = files(w.s.path("home").join("src").as_path());
                let outside =
                    |path: &&PathBuf| !path.starts_with(&at) && !path.starts_with(format!("{}/.git", w.path));
                let touched: Vec<_> = before
                    .keys()
                    .filter(outside)
                    .filter(|path| others.get(*path) != before.get(*path))
                    .collect();
                assert!(touched.is_empty(), "{name}: touched {touched:?}");
            }
        }
    }
    w.s.git(&w.path, &["fsck", "--full", "--strict"]);
}

#[test]
fn a_main_worktree_and_a_bare_repository_are_never_removed() {
    let w = World::new();
    for word in [w.path.as_str(), "main"] {
        let said = w.s.deck(&["worktree", "rm", word, "--discard-ignored", "--stop"]).fails(6);
        assert!(said.contains("it is the repository's main worktree"), "{said}");
    }
    let bare = w.s.path("home").join("src/bare.git");
    w.s.git(&w.path, &["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
    w.s.deck(&["repo", "add", bare.to_str().unwrap()]).ok();
    let said = w.s.deck(&["worktree", "rm", bare.to_str().unwrap()]).fails(6);
    assert!(said.contains("it is the bare repository"), "{said}");
    assert!(bare.join("HEAD").exists() && Path::new(&w.path).join("one").exists());
}

#[test]
fn all_that_is_in_the_way_is_named_at_once_with_its_way_on() {
    let w = World::new();
    let at = w.worktree("full");
    write(&at, ".env", "KEY=1\n");
    write(&at, "new", "new\n");
    w.git(&at, &["worktree", "lock", at.to_str().unwrap()]);
    let said = w.s.deck(&["worktree", "rm", "full"]).fails(6);
    for words in [
        "uncommitted files (1 untracked): new",
        "it is locked",
        "1 file that git ignores: .env (6 B)",
        "--discard-ignored removes the ignored files, too",
        "deck worktree unlock",
        "commit the files",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    w.git(&at, &["worktree", "unlock", at.to_str().unwrap()]);
    w.git(&at, &["add", "new"]);
    w.git(&at, &["commit", "-qm", "new"]);
    w.s.deck(&["worktree", "rm", "full"]).fails(6);
    let said = w.s.deck(&["worktree", "rm", "full", "--discard-ignored"]).ok();
    assert!(said.contains("the branch full stays: main lacks 1 commit"), "{said}");
    assert!(!at.exists());
}

#[test]
fn an_unchanged_copy_goes_and_a_changed_one_stays() {
    let w = World::new();
    w.s.agent("claude");
    std::fs::write(format!("{}/.worktreeinclude", w.path), ".env\n").unwrap();
    std::fs::write(format!("{}/.env", w.path), "KEY=1\n").unwrap();
    commit(&w.s, &w.path, "include");
    for (branch, is_changed) in [("same", false), ("other", true)] {
        w.s.deck(&["add", &w.path, "-w", branch, "-c", "claude", "--no-start"]).ok();
        let at = PathBuf::from(w.s.session(branch)["project_path"].as_str().unwrap());
        assert!(at.join(".env").exists());
        if is_changed {
            write(&at, ".env", "KEY=2\n");
        }
        let answer = w.s.deck(&["worktree", "rm", branch]);
        if is_changed {
            assert!(answer.fails(6).contains("1 file that git ignores: .env"));
        } else {
            answer.ok();
        }
        assert_eq!(at.exists(), is_changed);
    }
    assert!(Path::new(&w.path).join(".env").exists(), "the one that was copied from");
}
