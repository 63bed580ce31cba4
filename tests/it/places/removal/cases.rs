//! The states that a worktree may be in, each with what removing it is answered with.

use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use super::world::{World, write};
use crate::places::commit;

/// One state of a worktree, and what removing it is answered with: words of the refusal, or none if it is removed.
pub(super) struct Case {
    pub(super) name: &'static str,
    pub(super) refused: Option<&'static str>,
    pub(super) prepare: fn(&World, &Path) -> Option<Child>,
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

pub(super) const CASES: &[Case] = &[
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
