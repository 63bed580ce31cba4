//! The worktrees of repositories, as git lists them.

use std::path::{Path, PathBuf};

use super::PlaceError;
use crate::domain::id::SessionId;
use crate::domain::profile::Profile;
use crate::domain::repository::Repository;
use crate::domain::worktree::{WorktreeEntry, WorktreeState};
use crate::ops::{Cx, OpError, OpResult, repository};
use crate::ports::git::{GitError, GitResult, RepositoryFacts};

/// A worktree, and who works in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    pub entry: WorktreeEntry,
    /// The name of its repository, if deck knows that.
    pub repository: Option<String>,
    /// Whether it is the repository's own, or the bare repository.
    pub is_main: bool,
    /// Whether its folder is gone.
    pub is_missing: bool,
    /// Whether deck made it.
    pub is_made: bool,
    /// The live sessions that work in it.
    pub sessions: Vec<SessionId>,
}

/// Repositories that could not be asked, with the reason.
pub type Unasked = Vec<(Repository, GitError)>;

/// The worktrees of one repository, or of all; and those repositories that could not be asked, with the reason.
///
/// # Errors
/// [`crate::ops::OpError`] when the profile can't be read, or the one repository can't be asked.
pub fn list(cx: &Cx, only: Option<&str>) -> OpResult<(Vec<Listed>, Unasked)> {
    let profile = cx.profile.store.load()?.profile;
    if let Some(word) = only {
        let repository = repository::resolve(cx, word)?;
        return Ok((entries(cx, &profile, &repository)?, Vec::new()));
    }
    let (mut all, mut failed) = (Vec::new(), Vec::new());
    for known in repository::list(cx)? {
        if known.is_missing {
            let gone = GitError::NoRepository(PathBuf::from(&known.repository.path));
            failed.push((known.repository, gone));
            continue;
        }
        match entries(cx, &profile, &known.repository) {
            Ok(listed) => all.extend(listed),
            // One that can't be asked hides no other.
            Err(error) => failed.push((known.repository, error)),
        }
    }
    Ok((all, failed))
}

/// The worktrees of a repository.
///
/// # Errors
/// [`GitError`].
pub fn entries(cx: &Cx, profile: &Profile, repository: &Repository) -> GitResult<Vec<Listed>> {
    let entries = cx.git.worktrees(Path::new(&repository.common_dir), &cx.stop())?;
    let one = |(at, entry): (usize, WorktreeEntry)| {
        let real = cx.host.real_path(&entry.path);
        let path = real.clone().unwrap_or_else(|| entry.path.clone());
        let of_place = |s: &crate::domain::session::Session| {
            s.place.as_ref().is_some_and(|place| Path::new(&place.worktree) == path)
        };
        // A session without a place may work in one all the same.
        let is_in = |s: &crate::domain::session::Session| {
            of_place(s) || (s.place.is_none() && Path::new(&s.project_path).starts_with(&path))
        };
        let inside = profile.live_sessions().filter(|s| is_in(s)).map(|s| s.id.clone());
        Listed {
            repository: Some(repository.name.clone()),
            is_main: at == 0,
            is_missing: real.is_none(),
            is_made: profile.sessions.iter().any(|s| of_place(s) && s.place.as_ref().is_some_and(|p| p.made)),
            sessions: inside.collect(),
            entry,
        }
    };
    let mut all: Vec<Listed> = entries.into_iter().enumerate().map(one).collect();
    // What is in a worktree inside of another one is not in that.
    let inner: Vec<(PathBuf, Vec<SessionId>)> =
        all.iter().map(|w| (w.entry.path.clone(), w.sessions.clone())).collect();
    for worktree in &mut all {
        let deeper = |id: &SessionId| {
            inner.iter().any(|(path, ids)| {
                path.starts_with(&worktree.entry.path) && *path != worktree.entry.path && ids.contains(id)
            })
        };
        let kept: Vec<SessionId> = worktree.sessions.iter().filter(|id| !deeper(id)).cloned().collect();
        worktree.sessions = kept;
    }
    Ok(all)
}

/// The state of a worktree; none of one that has no files.
///
/// # Errors
/// [`GitError`].
pub fn state_of(cx: &Cx, listed: &Listed) -> GitResult<Option<WorktreeState>> {
    if listed.is_missing || listed.entry.is_bare {
        return Ok(None);
    }
    cx.git.state(&listed.entry.path, &cx.stop()).map(Some)
}

/// The repository that a folder is in.
///
/// # Errors
/// [`OpError::NoFolder`], [`PlaceError::NotInRepository`], and git's.
pub(in crate::ops) fn facts_of(cx: &Cx, folder: &Path) -> OpResult<RepositoryFacts> {
    match cx.git.repository(folder, &cx.stop()) {
        Err(_) if !cx.host.is_dir(folder) => Err(OpError::NoFolder(folder.to_owned())),
        Err(GitError::NoRepository(folder)) => Err(PlaceError::NotInRepository(folder).into()),
        other => Ok(other?),
    }
}

/// The main worktree of a repository, or the bare repository.
///
/// # Errors
/// [`GitError`].
pub(in crate::ops) fn main_of(cx: &Cx, facts: &RepositoryFacts) -> GitResult<WorktreeEntry> {
    let all = cx.git.worktrees(&facts.common_dir, &cx.stop())?;
    all.into_iter().next().ok_or_else(|| GitError::NoRepository(facts.common_dir.clone()))
}
