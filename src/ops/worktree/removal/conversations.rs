//! The conversations in a worktree's folder: they are moved to the repository's main worktree before it is removed.
//!
//! Invariant: none of them is overwritten or left behind; where that can't be, their files keep the worktree from being removed.

use std::path::{Path, PathBuf};

use super::check::common;
use crate::domain::talk::TalkId;
use crate::domain::worktree::{Blocker, IgnoredFile};
use crate::ops::talk::{TalkError, time};
use crate::ops::worktree::Named;
use crate::ops::{Cx, OpError, OpResult};
use crate::ports::transact;

/// Where they are in a folder.
const PLACE: &str = ".deck/conversations";

/// Where the conversations of a worktree go; none if there are none, or if they can't go anywhere.
fn target(cx: &Cx, named: &Named) -> OpResult<Option<PathBuf>> {
    let own = &named.listed.entry.path;
    let ids = cx.conversations.ids(own).map_err(TalkError::from)?;
    let entries = cx.git.worktrees(&common(named), &cx.stop())?;
    let main = entries.into_iter().next().filter(|entry| !entry.is_bare && entry.path != *own);
    let Some(main) = main.map(|entry| entry.path).filter(|path| cx.host.is_dir(path)) else {
        return Ok(None);
    };
    let there = cx.conversations.ids(&main).map_err(TalkError::from)?;
    Ok(ids.iter().all(|id| !there.contains(id)).then_some(main))
}

/// What is left in the way if the conversations are moved first.
///
/// # Errors
/// When git can't be asked, or a folder can't be listed.
pub(super) fn without(cx: &Cx, named: &Named, blockers: Vec<Blocker>) -> OpResult<Vec<Blocker>> {
    let is_theirs = |file: &IgnoredFile| file.path.starts_with(PLACE);
    let has_some =
        |blocker: &Blocker| matches!(blocker, Blocker::Ignored(files) if files.iter().any(is_theirs));
    if !blockers.iter().any(has_some) || target(cx, named)?.is_none() {
        return Ok(blockers);
    }
    let left = blockers.into_iter().filter_map(|blocker| match blocker {
        Blocker::Ignored(files) => {
            let files: Vec<IgnoredFile> = files.into_iter().filter(|file| !is_theirs(file)).collect();
            (!files.is_empty()).then_some(Blocker::Ignored(files))
        }
        other => Some(other),
    });
    Ok(left.collect())
}

/// Moves the conversations of a worktree to the main one. Returns which, and where they are.
///
/// # Errors
/// When one can't be moved; it is whole in one of the two folders then.
pub(super) fn relocate(cx: &Cx, named: &Named) -> OpResult<Option<(Vec<TalkId>, PathBuf)>> {
    let own = &named.listed.entry.path;
    if !cx.host.is_dir(&own.join(PLACE)) {
        return Ok(None);
    }
    let Some(main) = target(cx, named)? else { return Ok(None) };
    let moved = cx.conversations.relocate(own, &main, &time(cx)).map_err(TalkError::from)?;
    let root = |path: &Path| path.to_string_lossy().into_owned();
    let is_its = |carried: &str| Path::new(carried) == own;
    if cx
        .profile
        .store
        .load()?
        .profile
        .sessions
        .iter()
        .any(|s| s.carries.as_ref().is_some_and(|c| is_its(&c.root)))
    {
        transact(&*cx.profile.store, |profile| {
            let carries = profile.sessions.iter_mut().filter_map(|session| session.carries.as_mut());
            carries.filter(|carries| is_its(&carries.root)).for_each(|carries| carries.root = root(&main));
            Ok::<_, OpError>(())
        })?;
    }
    Ok((!moved.is_empty()).then_some((moved, main)))
}
