//! Real git in folders of its own.

mod comparing;
mod worktrees;

use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::GitProgram;
use crate::domain::diff::{Against, Change, Diff};
use crate::ports::git::{GitRead, Lines};
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
