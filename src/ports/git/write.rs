//! What git is made to do.

use std::fs::File;
use std::path::Path;

use super::{GitResult, Stop};
use crate::domain::worktree::Checkout;

/// Changing a repository, as its user would by git. Everything here may block.
pub trait GitWrite: Send + Sync {
    /// Makes a worktree at this absolute path. git has the file `held` open until it ends, so that a lock on it lasts as long
    /// also if deck is killed. git's own hooks and filters run as they would for its user.
    ///
    /// # Errors
    /// [`GitError`](super::GitError); git leaves nothing behind then.
    fn add_worktree(
        &self,
        folder: &Path,
        path: &Path,
        checkout: &Checkout,
        held: Option<&File>,
        stop: Stop<'_>,
    ) -> GitResult<()>;

    /// Completes a worktree whose making was ended in the middle: all its files are as in its commit afterwards.
    ///
    /// # Errors
    /// [`GitError`](super::GitError).
    fn complete_worktree(&self, path: &Path, held: Option<&File>, stop: Stop<'_>) -> GitResult<()>;

    /// Has git forget a worktree whose folder is gone.
    ///
    /// # Errors
    /// [`GitError`](super::GitError).
    fn forget_worktree(&self, folder: &Path, path: &Path, stop: Stop<'_>) -> GitResult<()>;

    /// Fetches from all remotes, without asking anybody anything.
    ///
    /// # Errors
    /// [`GitError`](super::GitError).
    fn fetch(&self, folder: &Path, stop: Stop<'_>) -> GitResult<()>;

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
