//! What git is made to do.

use std::fs::File;
use std::path::Path;

use super::{GitResult, KeptRef, Stop};
use crate::domain::worktree::Checkout;

/// What is merged, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merge {
    /// The branch or commit.
    pub from: String,
    pub kind: MergeKind,
}

/// How a branch is merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MergeKind {
    /// With a commit of its own, unless it can go on without one.
    Merge,
    /// All of it as one commit, with the branch's messages.
    Squash,
    /// Only if it can go on without a commit.
    FastForward,
}

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

    /// Removes a worktree by git's own means, which refuse one that isn't clean. `with_submodules` has them go with it, which
    /// git refuses otherwise for ever.
    ///
    /// # Errors
    /// [`GitError`](super::GitError).
    fn remove_worktree(
        &self,
        common: &Path,
        path: &Path,
        with_submodules: bool,
        held: Option<&File>,
        stop: Stop<'_>,
    ) -> GitResult<()>;

    /// Makes refs, all or none; those that are there already with the same commit are left.
    ///
    /// # Errors
    /// [`GitError`](super::GitError).
    fn keep(&self, common: &Path, refs: &[KeptRef], stop: Stop<'_>) -> GitResult<()>;

    /// Deletes a ref, if it has this commit.
    ///
    /// # Errors
    /// [`GitError`](super::GitError), also when it has another one by now.
    fn delete_ref(&self, common: &Path, name: &str, commit: &str, stop: Stop<'_>) -> GitResult<()>;

    /// Brings a commit into the branch that a worktree has checked out. Where that can't be done, the worktree is as before.
    ///
    /// # Errors
    /// [`GitError::Conflict`](super::GitError::Conflict) with the files, and others.
    fn merge(&self, target: &Path, merge: &Merge, held: Option<&File>, stop: Stop<'_>) -> GitResult<()>;

    /// Puts the commits of a worktree's branch behind those of another one. Where that can't be done, it is as before.
    ///
    /// # Errors
    /// [`GitError::Conflict`](super::GitError::Conflict) with the files, and others.
    fn rebase(&self, path: &Path, onto: &str, held: Option<&File>, stop: Stop<'_>) -> GitResult<()>;

    /// Has a branch that is checked out nowhere go on to a commit that follows from its own.
    ///
    /// # Errors
    /// [`GitError`](super::GitError), also when that isn't so.
    fn fast_forward(&self, common: &Path, branch: &str, to: &str, stop: Stop<'_>) -> GitResult<()>;

    /// Pushes a branch to a remote, and has it follow that.
    ///
    /// # Errors
    /// [`GitError`](super::GitError).
    fn push(&self, common: &Path, remote: &str, branch: &str, stop: Stop<'_>) -> GitResult<()>;

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
