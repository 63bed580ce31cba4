//! What can go wrong with repositories and worktrees.

use std::path::PathBuf;

use crate::domain::hint::Hint;

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlaceError {
    #[error("no repository {name:?}")]
    NoSuchRepository {
        name: String,
        /// A name much like it.
        near: Option<String>,
    },
    #[error("{} is not in a git repository", .0.display())]
    NotInRepository(PathBuf),
    #[error("repository {name:?} is missing: {path} is not there")]
    Missing { name: String, path: String },
    #[error("the name {0:?} is taken by another repository")]
    NameTaken(String),
    #[error("invalid name {0:?} for a repository: it must be a word without slashes")]
    BadName(String),
    #[error("can't set {key:?} of a repository")]
    BadKey { key: String, keys: Vec<&'static str> },
    /// A value that can't be one.
    #[error("`{key}` {why}")]
    BadValue { key: String, why: String },
    #[error("repository {name:?} is used by {}", quoted(sessions))]
    StillUsed { name: String, sessions: Vec<String> },
    #[error("no worktree {0:?}")]
    NoWorktree(String),
    /// A word that several worktrees have.
    #[error("{word:?} is several worktrees: {}", paths(found))]
    SeveralWorktrees { word: String, found: Vec<PathBuf> },
}

impl PlaceError {
    /// What its user can do about it.
    pub fn hint(&self) -> Option<Hint> {
        Some(match self {
            Self::NoSuchRepository { near: Some(near), .. } => Hint::UseName(vec![near.clone()]),
            Self::NoSuchRepository { .. } => Hint::ListRepositories,
            Self::Missing { name, .. } => Hint::SetRepositoryPath(name.clone()),
            Self::NotInRepository(_) => Hint::InitRepository,
            Self::NameTaken(_) => Hint::UseOtherName,
            Self::BadKey { keys, .. } => Hint::UseOneOf(keys.iter().map(|k| (*k).to_owned()).collect()),
            Self::StillUsed { .. } => Hint::KeepSessions,
            Self::NoWorktree(_) => Hint::ListWorktrees,
            Self::SeveralWorktrees { .. } => Hint::UsePath,
            Self::BadName(_) | Self::BadValue { .. } => return None,
        })
    }
}

fn quoted(words: &[String]) -> String {
    let quoted: Vec<String> = words.iter().map(|w| format!("{w:?}")).collect();
    quoted.join(", ")
}

fn paths(all: &[PathBuf]) -> String {
    let all: Vec<String> = all.iter().map(|p| p.display().to_string()).collect();
    all.join(", ")
}
