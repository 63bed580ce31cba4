//! What git is made to do.

use std::path::Path;

use super::{GitResult, Stop};

/// What a new worktree has checked out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Checkout {
    /// A branch that there is.
    Branch(String),
    /// A new branch that follows this one of a remote: `origin/feat`.
    Track { branch: String, remote_branch: String },
    /// A new branch that begins at this commit.
    New { branch: String, commit: String },
    /// This commit, and no branch.
    Detached(String),
}

/// Changing a repository, as its user would by git. Everything here may block.
pub trait GitWrite: Send + Sync {
    /// Makes a worktree at this absolute path; git's own hooks and filters run as they would for its user.
    ///
    /// # Errors
    /// [`GitError`](super::GitError); git leaves nothing behind then.
    fn add_worktree(&self, folder: &Path, path: &Path, checkout: &Checkout, stop: Stop<'_>) -> GitResult<()>;

    /// Keeps a worktree from being removed, with a reason that may be empty.
    ///
    /// # Errors
    /// [`GitError`](super::GitError), also when it is locked already.
    fn lock_worktree(&self, folder: &Path, path: &Path, reason: &str, stop: Stop<'_>) -> GitResult<()>;

    /// Ends that.
    ///
    /// # Errors
    /// [`GitError`](super::GitError), also when it isn't locked.
    fn unlock_worktree(&self, folder: &Path, path: &Path, stop: Stop<'_>) -> GitResult<()>;
}
