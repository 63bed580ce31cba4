//! Removing worktrees: whatever would be lost keeps one from being removed, and nothing is lost with one that is.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use super::{commit, repository};
use crate::support::Sandbox;

/// A repository with worktrees of git's own making.
struct World {
    s: Sandbox,
    path: String,
}

/// Names that a build makes again, as the settings have them.
const EXPENDABLE: [&str; 3] = ["node_modules", "target", "__pycache__"];

impl World {
    fn new() -> Self {
        let s = Sandbox::new();
        let path = repository(&s, "api");
        std::fs::write(format!("{path}/.gitignore"), ".env\n*.sqlite\nnode_modules\ntarget\nsecrets/\n")
            .unwrap();
        commit(&s, &path, "rules");
        s.deck(&["repo", "add", &path]).ok();
        Self { s, path }
    }

    fn git(&self, at: &Path, args: &[&str]) -> String {
        self.s.git(at.to_str().unwrap(), args)
    }

    fn worktree(&self, name: &str) -> PathBuf {
        let at = self.s.path("home").join("src/wt").join(name);
        self.s.git(&self.path, &["worktree", "add", "-q", "-b", name, at.to_str().unwrap()]);
        at
    }

    /// Every commit that anything leads to: refs and the records of all worktrees.
    fn commits(&self) -> BTreeSet<String> {
        let mut all = self.s.git(&self.path, &["rev-list", "--all", "--reflog"]);
        for line in self.s.git(&self.path, &["worktree", "list", "--porcelain"]).lines() {
            let Some(path) =
                line.strip_prefix("worktree ").filter(|path| Path::new(path).join(".git").is_file())
            else {
                continue;
            };
            if Path::new(path).symlink_metadata().unwrap().is_symlink() {
                continue;
            }
            // One on a branch without a commit has no such record.
            let mut command = self.s.command("git");
            let out = command.args(["-C", path, "rev-list", "--walk-reflogs", "HEAD"]).output().unwrap();
            all.push_str(&String::from_utf8(out.stdout).unwrap());
        }
        all.lines().map(str::to_owned).collect()
    }

    /// Those that refs lead to.
    fn reachable(&self) -> BTreeSet<String> {
        self.s.git(&self.path, &["rev-list", "--all"]).lines().map(str::to_owned).collect()
    }

    /// Every blob that refs lead to.
    fn blobs(&self) -> BTreeSet<String> {
        let all = self.s.git(&self.path, &["rev-list", "--all", "--objects", "--no-object-names"]);
        all.lines().map(str::to_owned).collect()
    }

    fn blob(&self, file: &Path) -> String {
        self.s.git(&self.path, &["hash-object", "--no-filters", file.to_str().unwrap()]).trim().to_owned()
    }
}

/// All files below a folder, by what they hold; links by where they lead.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    let mut due = vec![folder.to_owned()];
    while let Some(at) = due.pop() {
        let Ok(kind) = at.symlink_metadata() else { continue };
        if kind.is_symlink() {
            all.insert(at.clone(), std::fs::read_link(&at).unwrap().into_os_string().into_encoded_bytes());
        } else if kind.is_dir() {
            due.extend(std::fs::read_dir(&at).unwrap().map(|entry| entry.unwrap().path()));
        } else {
            all.insert(at.clone(), std::fs::read(&at).unwrap());
        }
    }
    all
}

/// One state of a worktree, and what removing it is answered with: words of the refusal, or none if it is removed.
struct Case {
    name: &'static str,
    refused: Option<&'static str>,
    prepare: fn(&World, &Path) -> Option<Child>,
}

fn write(at: &Path, name: &str, text: &str) {
    let file = at.join(name);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, text).unwrap();
}

fn nothing(_: &World, _: &Path) -> Option<Child> {
    None
}

/// A branch with another line in `one`, so that it conflicts with what `at` has committed.
fn conflicting(w: &World, at: &Path) {
    write(at, "one", "mine\n");
    w.git(at, &["commit", "-qam", "mine"]);
    w.git(at, &["branch", "other-side", "main"]);
    w.git(at, &["checkout", "-q", "--detach", "other-side"]);
    write(at, "one", "theirs\n");
    w.git(at, &["commit", "-qam", "theirs"]);
    w.git(at, &["branch", "-f", "other-side"]);
    let name = at.file_name().unwrap().to_str().unwrap();
    w.git(at, &["checkout", "-q", name]);
}

fn git_fails(w: &World, at: &Path, args: &[&str]) {
    let mut command = w.s.command("git");
    command.arg("-C").arg(at).args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(args);
    assert!(!command.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap().success());
}

/// A submodule with its own origin, checked out.
fn submodule(w: &World, at: &Path) -> PathBuf {
    let name = format!("lib-{}", at.file_name().unwrap().to_str().unwrap());
    let origin = w.s.path("home").join("src").join(&name);
    std::fs::create_dir_all(&origin).unwrap();
    w.git(&origin, &["init", "-q", "-b", "main"]);
    std::fs::write(origin.join("code"), "x\n").unwrap();
    commit(&w.s, origin.to_str().unwrap(), "code");
    w.git(
        at,
        &["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", origin.to_str().unwrap(), "lib"],
    );
    w.git(at, &["commit", "-qm", "with a library"]);
    at.join("lib")
}

const CASES: &[Case] = &[
    Case { name: "clean", refused: None, prepare: nothing },
    Case {
        name: "changed",
        refused: Some("uncommitted files (1 changed): one"),
        prepare: |_, at| {
            write(at, "one", "other\n");
            None
        },
    },
    Case {
        name: "staged",
        refused: Some("uncommitted files (1 staged)"),
        prepare: |w, at| {
            write(at, "one", "other\n");
            w.git(at, &["add", "one"]);
            None
        },
    },
    Case {
        name: "untracked",
        refused: Some("uncommitted files (1 untracked): deep/new"),
        prepare: |_, at| {
            write(at, "deep/new", "new\n");
            None
        },
    },
    Case {
        name: "overlooked",
        refused: Some("uncommitted files (1 changed): one"),
        prepare: |w, at| {
            w.git(at, &["update-index", "--assume-unchanged", "one"]);
            write(at, "one", "mine alone\n");
            None
        },
    },
    Case {
        name: "ignored-secret",
        refused: Some("2 files that git ignores: .env (6 B), deep/data.sqlite (4 B)"),
        prepare: |_, at| {
            write(at, ".env", "KEY=1\n");
            write(at, "deep/data.sqlite", "data");
            None
        },
    },
    Case {
        name: "ignored-folder",
        refused: Some("secrets/a"),
        prepare: |_, at| {
            write(at, "secrets/a", "a");
            None
        },
    },
    Case {
        name: "expendable",
        refused: None,
        prepare: |_, at| {
            write(at, "node_modules/left-pad/index.js", "x");
            write(at, "deep/target/debug/x", "x");
            None
        },
    },
    Case {
        name: "repository-in-expendable",
        refused: Some("a repository of its own is in it: node_modules/mine"),
        prepare: |w, at| {
            write(at, "node_modules/mine/a", "a");
            w.git(&at.join("node_modules/mine"), &["init", "-q"]);
            None
        },
    },
    Case {
        name: "repository-in-tracked",
        refused: Some("a repository of its own is in it: deep/er"),
        prepare: |w, at| {
            write(at, "deep/er/code", "x");
            commit(&w.s, at.to_str().unwrap(), "code");
            w.git(&at.join("deep/er"), &["init", "-q"]);
            w.git(&at.join("deep/er"), &["add", "code"]);
            w.git(&at.join("deep/er"), &["commit", "-qm", "inner"]);
            None
        },
    },
    Case {
        name: "worktree-in-it",
        refused: Some("a repository of its own is in it: secrets/inner"),
        prepare: |w, at| {
            let inner = at.join("secrets/inner");
            w.git(at, &["worktree", "add", "-q", "--detach", inner.to_str().unwrap()]);
            None
        },
    },
    Case {
        name: "no-commit-yet",
        refused: None,
        prepare: |w, at| {
            w.git(at, &["checkout", "-q", "--orphan", "unborn"]);
            w.git(at, &["rm", "-rfq", "--cached", "."]);
            for name in ["one", ".gitignore"] {
                std::fs::remove_file(at.join(name)).unwrap();
            }
            None
        },
    },
    Case {
        name: "nested-repository",
        refused: Some("untracked): nested/"),
        prepare: |w, at| {
            write(at, "nested/a", "a");
            w.git(&at.join("nested"), &["init", "-q"]);
            commit(&w.s, at.join("nested").to_str().unwrap(), "inner");
            None
        },
    },
    Case {
        name: "mid-merge",
        refused: Some("a merge is under way"),
        prepare: |w, at| {
            conflicting(w, at);
            git_fails(w, at, &["merge", "-q", "other-side"]);
            None
        },
    },
    Case {
        name: "mid-rebase",
        refused: Some("a rebase is under way"),
        prepare: |w, at| {
            w.git(at, &["branch", "-D", "other-side"]);
            conflicting(w, at);
            git_fails(w, at, &["rebase", "-q", "other-side"]);
            None
        },
    },
    Case {
        name: "bisecting",
        refused: Some("a bisect is under way"),
        prepare: |w, at| {
            w.git(at, &["bisect", "start"]);
            None
        },
    },
    Case {
        name: "index-locked",
        refused: Some("another git command is under way"),
        prepare: |w, at| {
            let dir = w.git(at, &["rev-parse", "--absolute-git-dir"]);
            write(Path::new(dir.trim()), "index.lock", "");
            None
        },
    },
    Case {
        name: "detached",
        refused: None,
        prepare: |w, at| {
            w.git(at, &["checkout", "-q", "--detach"]);
            write(at, "one", "on no branch\n");
            w.git(at, &["commit", "-qam", "alone"]);
            None
        },
    },
    Case {
        name: "detached-and-left",
        refused: None,
        prepare: |w, at| {
            w.git(at, &["checkout", "-q", "--detach"]);
            for text in ["first\n", "second\n"] {
                write(at, "one", text);
                w.git(at, &["commit", "-qam", text]);
                w.git(at, &["checkout", "-q", "--detach", "main"]);
            }
            None
        },
    },
    Case {
        name: "locked",
        refused: Some("it is locked: on a stick"),
        prepare: |w, at| {
            w.git(at, &["worktree", "lock", "--reason", "on a stick", at.to_str().unwrap()]);
            None
        },
    },
    Case {
        name: "missing",
        refused: Some("is not a folder of its own"),
        prepare: |_, at| {
            std::fs::remove_dir_all(at).unwrap();
            None
        },
    },
    Case {
        name: "moved",
        refused: Some("is not a folder of its own"),
        prepare: |_, at| {
            std::fs::rename(at, at.with_file_name("moved-away")).unwrap();
            None
        },
    },
    Case {
        name: "a-link-to-the-repository",
        refused: Some("is not a folder of its own"),
        prepare: |w, at| {
            std::fs::rename(at, at.with_file_name("linked-away")).unwrap();
            std::os::unix::fs::symlink(&w.path, at).unwrap();
            None
        },
    },
    Case {
        name: "a-repository-in-its-place",
        refused: Some("it is a repository of its own"),
        prepare: |w, at| {
            std::fs::rename(at, at.with_file_name("replaced-away")).unwrap();
            std::fs::create_dir(at).unwrap();
            w.git(at, &["init", "-q"]);
            write(at, "precious", "x");
            None
        },
    },
    Case {
        name: "another-entry",
        refused: Some("the repository's entry names another folder"),
        prepare: |w, at| {
            let other = w.worktree("another-entrys-other");
            std::fs::copy(other.join(".git"), at.join(".git")).unwrap();
            None
        },
    },
    Case {
        name: "submodule",
        refused: None,
        prepare: |w, at| {
            submodule(w, at);
            None
        },
    },
    Case {
        name: "submodule-ahead",
        refused: Some("submodule lib has commits that no remote branch has"),
        prepare: |w, at| {
            let lib = submodule(w, at);
            std::fs::write(lib.join("code"), "y\n").unwrap();
            commit(&w.s, lib.to_str().unwrap(), "not pushed");
            w.git(at, &["commit", "-qam", "newer library"]);
            None
        },
    },
    Case {
        name: "submodule-left",
        refused: Some("submodule lib has commits that no remote branch has"),
        prepare: |w, at| {
            let lib = submodule(w, at);
            w.git(&lib, &["checkout", "-q", "--detach"]);
            std::fs::write(lib.join("code"), "y\n").unwrap();
            commit(&w.s, lib.to_str().unwrap(), "left behind");
            w.git(&lib, &["checkout", "-q", "main"]);
            None
        },
    },
    Case {
        name: "submodule-dirty",
        refused: Some("submodule lib has uncommitted files"),
        prepare: |w, at| {
            write(&submodule(w, at), "new", "x");
            None
        },
    },
    Case {
        name: "submodule-deinit",
        refused: Some("submodule lib has commits that no remote branch has"),
        prepare: |w, at| {
            let lib = submodule(w, at);
            std::fs::write(lib.join("code"), "y\n").unwrap();
            commit(&w.s, lib.to_str().unwrap(), "not pushed");
            w.git(at, &["submodule", "--quiet", "deinit", "-f", "lib"]);
            None
        },
    },
    Case {
        name: "process-in-it",
        refused: Some("(sleep) works in it"),
        prepare: |w, at| Some(w.s.command("sleep").arg("600").current_dir(at).spawn().unwrap()),
    },
];

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
