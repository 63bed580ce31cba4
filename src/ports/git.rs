//! git, as far as deck asks it.
//!
//! Invariant: reading changes nothing in a repository and waits for nobody: no lock, no prompt, no network.

use std::path::{Path, PathBuf};

use crate::domain::diff::{Against, Diff};
use crate::domain::worktree::WorktreeState;

/// Says that nobody waits for an answer any more.
pub type Stop<'a> = &'a dyn Fn() -> bool;

/// An answer of git.
pub type GitResult<T> = Result<T, GitError>;

/// Why git has no answer.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// There is no git.
    #[error("git is not installed")]
    NotInstalled,
    /// The folder is in no repository.
    #[error("{} is not in a git repository", .0.display())]
    NoRepository(PathBuf),
    /// There are no files to compare.
    #[error("{} is a bare repository: it has no files to compare", .0.display())]
    Bare(PathBuf),
    /// There is no branch that this one could have come from.
    #[error("can't tell which branch {} came from: no upstream, no main or master", .branch.as_deref().unwrap_or("HEAD"))]
    NoParentBranch {
        /// This one; none if a commit is checked out by itself.
        branch: Option<String>,
    },
    /// There is no such commit.
    #[error("unknown commit or branch {0:?}")]
    NoCommit(String),
    /// It takes too long.
    #[error("git didn't answer within {0} seconds")]
    TimedOut(u64),
    /// Nobody waits for it any more.
    #[error("interrupted")]
    Stopped,
    /// git's own words.
    #[error("git failed: {0}")]
    Failed(String),
    /// It could not be started or read.
    #[error("can't run git")]
    Run(#[from] std::io::Error),
}

/// Which lines of a difference are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lines {
    /// None: files and numbers alone.
    None,
    /// Those of all files, as far as they aren't too many.
    All,
    /// Those of the file at this path, and of no other.
    Of(String),
}

/// git, for the worktree that a folder is in. Everything here may block.
pub trait Git: Send + Sync {
    /// The state of the worktree.
    ///
    /// # Errors
    /// [`GitError`] when there is none.
    fn state(&self, folder: &Path, stop: Stop<'_>) -> GitResult<WorktreeState>;

    /// What differs in the worktree, with files that git doesn't know.
    ///
    /// # Errors
    /// [`GitError`] when it can't be compared.
    fn diff(&self, folder: &Path, against: &Against, lines: &Lines, stop: Stop<'_>) -> GitResult<Diff>;

    /// The folder that all worktrees of the repository share, by git's own files: no program is started. None where there is
    /// no repository.
    fn common_folder(&self, folder: &Path) -> Option<PathBuf>;

    /// How many commits only the branch has, and how many only the one that it follows; none where it follows none. It
    /// looks at no file of the worktree.
    ///
    /// # Errors
    /// [`GitError`] when git can't be asked.
    fn ahead_behind(&self, folder: &Path, stop: Stop<'_>) -> GitResult<Option<(u32, u32)>>;

    /// A number that is another one when the branch, the commit or the index has moved; none where there is
    /// no repository. It starts no program. Changes of files alone don't show in it.
    fn stamp(&self, folder: &Path) -> Option<u64>;
}
