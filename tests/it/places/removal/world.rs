//! A repository whose worktrees are to be removed, and what is in it: commits, blobs and files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::places::{commit, repository};
use crate::support::Sandbox;

/// A repository with worktrees of git's own making.
pub(super) struct World {
    pub(super) s: Sandbox,
    pub(super) path: String,
}

impl World {
    pub(super) fn new() -> Self {
        let s = Sandbox::new();
        let path = repository(&s, "api");
        std::fs::write(format!("{path}/.gitignore"), ".env\n*.sqlite\nnode_modules\ntarget\nsecrets/\n")
            .unwrap();
        commit(&s, &path, "rules");
        s.deck(&["repo", "add", &path]).ok();
        Self { s, path }
    }

    pub(super) fn git(&self, at: &Path, args: &[&str]) -> String {
        self.s.git(at.to_str().unwrap(), args)
    }

    pub(super) fn worktree(&self, name: &str) -> PathBuf {
        let at = self.s.path("home").join("src/wt").join(name);
        self.s.git(&self.path, &["worktree", "add", "-q", "-b", name, at.to_str().unwrap()]);
        at
    }

    /// Every commit that anything leads to: refs and the records of all worktrees.
    pub(super) fn commits(&self) -> BTreeSet<String> {
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
    pub(super) fn reachable(&self) -> BTreeSet<String> {
        self.s.git(&self.path, &["rev-list", "--all"]).lines().map(str::to_owned).collect()
    }

    /// Every blob that refs lead to.
    pub(super) fn blobs(&self) -> BTreeSet<String> {
        let all = self.s.git(&self.path, &["rev-list", "--all", "--objects", "--no-object-names"]);
        all.lines().map(str::to_owned).collect()
    }

    pub(super) fn blob(&self, file: &Path) -> String {
        self.s.git(&self.path, &["hash-object", "--no-filters", file.to_str().unwrap()]).trim().to_owned()
    }
}

/// All files below a folder, by what they hold; links by where they lead.
pub(super) fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
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

pub(super) fn write(at: &Path, name: &str, text: &str) {
    let file = at.join(name);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, text).unwrap();
}
