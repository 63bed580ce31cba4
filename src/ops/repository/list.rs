//! The repositories that there are, and finding one.

use std::path::{Path, PathBuf};

use crate::domain::profile::Profile;
use crate::domain::repository::{Repository, find};
use crate::domain::session::Session;
use crate::ops::create::text_of;
use crate::ops::worktree::PlaceError;
use crate::ops::{Cx, OpResult};
use crate::ports::transact;

/// A repository, and what became of it.
#[derive(Debug, Clone)]
pub struct Known {
    pub repository: Repository,
    /// Whether it is not where it was, and nowhere that is known.
    pub is_missing: bool,
    /// The sessions that work in it.
    pub sessions: Vec<Session>,
}

/// All repositories, by name.
///
/// # Errors
/// [`crate::ops::OpError`] when the profile can't be read.
pub fn list(cx: &Cx) -> OpResult<Vec<Known>> {
    let profile = cx.profile.store.load()?.profile;
    let mut all: Vec<Known> = profile.repositories.iter().map(|r| known(cx, &profile, r)).collect();
    all.sort_by(|a, b| a.repository.name.cmp(&b.repository.name));
    Ok(all)
}

/// One repository with what became of it.
pub fn known(cx: &Cx, profile: &Profile, repository: &Repository) -> Known {
    let found = located(cx, profile, repository);
    let is_in = |s: &&Session| s.place.as_ref().is_some_and(|p| p.repository_id == repository.id);
    Known {
        is_missing: found.is_none(),
        repository: found.unwrap_or_else(|| repository.clone()),
        sessions: profile.live_sessions().filter(is_in).cloned().collect(),
    }
}

/// A repository where it is now: one that was moved is found by the worktrees of its sessions. None if it is missing.
pub fn located(cx: &Cx, profile: &Profile, repository: &Repository) -> Option<Repository> {
    if cx.host.is_dir(Path::new(&repository.common_dir)) {
        return Some(repository.clone());
    }
    let places = profile.sessions.iter().filter_map(|s| s.place.as_ref());
    let worktrees = places.filter(|p| p.repository_id == repository.id).map(|p| Path::new(&p.worktree));
    let common = worktrees
        .filter(|path| cx.host.is_dir(path))
        .find_map(|path| cx.git.common_folder(path).and_then(|common| cx.host.real_path(&common)))?;
    let is_git = common.file_name().is_some_and(|name| name == ".git");
    let path = if is_git { common.parent().map(PathBuf::from)? } else { common.clone() };
    Some(Repository { path: text_of(&path).ok()?, common_dir: text_of(&common).ok()?, ..repository.clone() })
}

/// The repository that a word means, where it is now.
///
/// # Errors
/// [`PlaceError::NoSuchRepository`], [`PlaceError::Missing`].
pub fn resolve(cx: &Cx, word: &str) -> OpResult<Repository> {
    let profile = cx.profile.store.load()?.profile;
    let repository = find(&profile.repositories, word)
        .map_err(|none| PlaceError::NoSuchRepository { name: none.name, near: none.near })?;
    let here = located(cx, &profile, repository).ok_or_else(|| PlaceError::Missing {
        name: repository.name.clone(),
        path: repository.path.clone(),
    })?;
    if here != *repository {
        transact(&*cx.profile.store, |profile| {
            if let Some(record) = profile.repositories.iter_mut().find(|r| r.id == here.id) {
                record.path.clone_from(&here.path);
                record.common_dir.clone_from(&here.common_dir);
            }
            Ok::<_, crate::ops::OpError>(())
        })?;
    }
    Ok(here)
}
