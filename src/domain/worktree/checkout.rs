//! What a new worktree has checked out.

use serde::{Deserialize, Serialize};

/// What a new worktree has checked out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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

impl Checkout {
    /// The branch; none if there is none.
    pub fn branch(&self) -> Option<&str> {
        match self {
            Self::Branch(branch) | Self::Track { branch, .. } | Self::New { branch, .. } => Some(branch),
            Self::Detached(_) => None,
        }
    }

    /// What names the commit.
    pub fn commit(&self) -> &str {
        match self {
            Self::Branch(name) | Self::Detached(name) => name,
            Self::Track { remote_branch, .. } => remote_branch,
            Self::New { commit, .. } => commit,
        }
    }
}
