//! The conversations in a worktree's folder: they are moved to the repository's main worktree before it is removed.
//!
//! Invariant: none of them is overwritten or left behind; where that can't be, their files keep the worktree from being removed.

use std::path::{Path, PathBuf};

use super::check::common;
use crate::domain::talk::{Carries, TalkId};
use crate::domain::worktree::{Blocker, IgnoredFile};
use crate::ops::talk::{TalkError, time};
use crate::ops::worktree::Named;
use crate::ops::{Cx, OpError, OpResult};
use crate::ports::transact;

/// Where they are in a folder.
const PLACE: &str = ".deck/conversations";

/// The folder of the repository's main worktree, if this is another one.
fn main_worktree(cx: &Cx, named: &Named) -> OpResult<Option<PathBuf>> {
    let own = &named.listed.entry.path;
    let entries = cx.git.worktrees(&common(named), &cx.stop())?;
    let main = entries.into_iter().next().filter(|entry| !entry.is_bare && entry.path != *own);
    Ok(main.map(|entry| entry.path).filter(|path| cx.host.is_dir(path)))
}

/// Where the conversations of a worktree go; none if they can't go anywhere.
fn target(cx: &Cx, named: &Named) -> OpResult<Option<PathBuf>> {
    let Some(main) = main_worktree(cx, named)? else { return Ok(None) };
    let own = &named.listed.entry.path;
    let can = cx.conversations.can_relocate(own, &main).map_err(TalkError::from)?;
    Ok(can.then_some(main))
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
    let profile = cx.profile.store.load()?.profile;
    let is_its = |carries: &Carries| Path::new(&carries.root) == own;
    let is_carried = profile.sessions.iter().any(|session| session.carries.as_ref().is_some_and(is_its));
    let has_some = cx.host.is_dir(&own.join(PLACE));
    if !has_some && !is_carried {
        return Ok(None);
    }
    let Some(main) = target(cx, named)? else { return Ok(None) };
    let moved = match has_some {
        true => cx.conversations.relocate(own, &main, &time(cx)).map_err(TalkError::from)?,
        // An earlier run did it, and got no further.
        false => Vec::new(),
    };
    cx.host.reached("finish-conversations-moved");
    if is_carried {
        let root = main.to_string_lossy().into_owned();
        transact(&*cx.profile.store, |profile| {
            let carries = profile.sessions.iter_mut().filter_map(|session| session.carries.as_mut());
            carries.filter(|carries| is_its(carries)).for_each(|carries| carries.root.clone_from(&root));
            Ok::<_, OpError>(())
        })?;
    }
    Ok((!moved.is_empty()).then_some((moved, main)))
}
