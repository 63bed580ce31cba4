//! Why git has no answer.

use std::path::PathBuf;

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
    /// deck can't work with this one.
    #[error("git {found} is too old: deck needs {needed} for repositories and worktrees")]
    TooOld {
        found: String,
        /// The oldest that works.
        needed: &'static str,
    },
    /// Nothing was ever committed.
    #[error("the repository {} has no commit yet", .0.display())]
    NoCommitYet(PathBuf),
    /// A file that is larger than its reader can use.
    #[error("{path} has more than {most} bytes")]
    TooLarge { path: String, most: usize },
    /// git takes no branch of this name.
    #[error("invalid branch name {0:?}")]
    BadBranch(String),
    /// A path that git or deck can't pass on.
    #[error("invalid path {0:?}")]
    BadPath(PathBuf),
    /// There is no such commit.
    #[error("unknown commit or branch {0:?}")]
    NoCommit(String),
    /// It takes too long.
    #[error("git didn't answer within {0} seconds")]
    TimedOut(u64),
    /// Nobody waits for it any more.
    #[error("interrupted")]
    Stopped,
    /// A merge that can't be done without a person.
    #[error("conflicts in {}", .0.join(", "))]
    Conflict(Vec<String>),
    /// git's own words.
    #[error("git failed: {0}")]
    Failed(String),
    /// It could not be started or read.
    #[error("can't run git")]
    Run(#[from] std::io::Error),
}
