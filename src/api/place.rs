//! Repositories and worktrees.

use jiff::Timestamp;
#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;

use super::Version;
use crate::domain::worktree::WorktreeState;
use crate::ops::repository::Known;
use crate::ops::worktree::{self, Listed};

/// A repository that deck knows by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Repository {
    pub schema_version: Version,
    pub id: String,
    /// The user's name for it.
    pub name: String,
    /// Its main worktree, or the folder of a bare one.
    pub path: String,
    /// The folder that all its worktrees share.
    pub common_dir: String,
    /// The branch that new ones begin at; null for git's own default.
    pub base: Option<String>,
    /// Where its worktrees are made; null for what the settings say.
    pub location: Option<String>,
    /// Whether it is not where it was.
    pub missing: bool,
    /// The ids of the sessions that work in its worktrees.
    pub sessions: Vec<String>,
    pub created_at: Timestamp,
}

impl From<&Known> for Repository {
    fn from(known: &Known) -> Self {
        let repository = &known.repository;
        Self {
            schema_version: Version,
            id: repository.id.clone(),
            name: repository.name.clone(),
            path: repository.path.clone(),
            common_dir: repository.common_dir.clone(),
            base: repository.base.clone(),
            location: repository.location.clone(),
            missing: known.is_missing,
            sessions: known.sessions.iter().map(|s| s.id.to_string()).collect(),
            created_at: repository.created_at,
        }
    }
}

/// What a repository brings to be run in its new worktrees.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Trusted {
    pub schema_version: Version,
    /// The name of the repository.
    pub repository: String,
    /// The files, from its top: `.deck.toml`, and the scripts that it names. Empty if nothing would be run.
    pub files: Vec<String>,
    /// The checksum of all of them.
    pub sha256: String,
    /// Whether its user allows them.
    pub allowed: bool,
}

impl From<&worktree::Trusted> for Trusted {
    fn from(trusted: &worktree::Trusted) -> Self {
        Self {
            schema_version: Version,
            repository: trusted.repository.name.clone(),
            files: trusted.content.files.iter().map(|(name, _)| name.clone()).collect(),
            sha256: trusted.content.sha256(),
            allowed: trusted.is_allowed,
        }
    }
}

/// A worktree of a repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Worktree {
    pub schema_version: Version,
    pub path: String,
    /// The name of its repository; null if deck doesn't know that.
    pub repository: Option<String>,
    /// The branch; null if a commit is checked out by itself.
    pub branch: Option<String>,
    /// The commit that is checked out; null before the first one.
    pub head: Option<String>,
    /// Whether a commit is checked out by itself.
    pub detached: bool,
    /// Whether it is the bare repository: it has no files.
    pub bare: bool,
    /// Whether it is the repository's own.
    pub main: bool,
    pub locked: bool,
    /// Why it is locked; null if it isn't, or nobody said why.
    pub lock_reason: Option<String>,
    /// Whether git would forget it when it tidies up.
    pub prunable: bool,
    /// Whether its folder is gone.
    pub missing: bool,
    /// Whether deck made it.
    pub made: bool,
    /// Commits that only its branch has; null if it follows none, or git could not be asked.
    pub ahead: Option<u32>,
    /// Commits that only the branch that it follows has.
    pub behind: Option<u32>,
    /// Whether anything is not committed; null if it has no files, or git could not be asked.
    pub dirty: Option<bool>,
    /// The ids of the sessions that work in it.
    pub sessions: Vec<String>,
}

impl Worktree {
    /// A worktree with its state, if that is known.
    pub fn of(listed: &Listed, state: Option<&WorktreeState>) -> Self {
        let entry = &listed.entry;
        let counts = state.and_then(|s| s.upstream.as_ref()).and_then(|u| u.ahead_behind);
        Self {
            schema_version: Version,
            path: entry.path.display().to_string(),
            repository: listed.repository.clone().filter(|name| !name.is_empty()),
            branch: entry.branch.clone(),
            head: entry.head.clone(),
            detached: entry.branch.is_none() && !entry.is_bare,
            bare: entry.is_bare,
            main: listed.is_main,
            locked: entry.locked.is_some(),
            lock_reason: entry.locked.clone().filter(|reason| !reason.is_empty()),
            prunable: entry.prunable.is_some(),
            missing: listed.is_missing,
            made: listed.is_made,
            ahead: counts.map(|(ahead, _)| ahead),
            behind: counts.map(|(_, behind)| behind),
            dirty: state.map(|s| !s.is_clean()),
            sessions: listed.sessions.iter().map(ToString::to_string).collect(),
        }
    }
}
