//! Repositories and worktrees: the real deck, the real git, the real tmux.

mod adding;
mod finishing;
mod removal;
mod repositories;
mod setup;

use crate::support::Sandbox;

/// A repository with one commit on `main`, in `src/NAME`.
pub fn repository(s: &Sandbox, name: &str) -> String {
    let path = s.path("home").join("src").join(name);
    std::fs::create_dir_all(&path).unwrap();
    let path = path.to_str().unwrap().to_owned();
    s.git(&path, &["init", "-q", "-b", "main"]);
    std::fs::write(format!("{path}/one"), "a\nb\n").unwrap();
    commit(s, &path, "first");
    path
}

/// Commits everything in a worktree.
pub fn commit(s: &Sandbox, path: &str, message: &str) {
    s.git(path, &["add", "-A"]);
    s.git(path, &["commit", "-qm", message]);
}
