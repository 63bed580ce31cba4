//! git, as far as deck needs it, in two traits by use.
//!
//! Invariant: reading changes nothing in a repository and waits for nobody: no lock, no prompt, no network.

mod error;
mod read;
mod write;

pub use error::GitError;
pub use read::{Blob, BranchFacts, CommitFacts, GitRead, KeptRef, RemovalFacts, RepositoryFacts};
pub use write::{GitWrite, Merge, MergeKind};

/// Says that nobody waits for an answer any more.
pub type Stop<'a> = &'a dyn Fn() -> bool;

/// An answer of git.
pub type GitResult<T> = Result<T, GitError>;

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

/// git, reading and writing in one object.
pub trait Git: GitRead + GitWrite {}

impl<T: GitRead + GitWrite> Git for T {}
