//! Locking a worktree: git then refuses to remove or move it.

use std::path::Path;

use super::{Named, find};
use crate::ops::{Cx, OpResult};

/// Locks a worktree, with a reason that may be empty.
///
/// # Errors
/// [`crate::ops::OpError`], also when it is locked already.
pub fn lock(cx: &Cx, word: &str, reason: &str) -> OpResult<Named> {
    let named = find(cx, word, None)?;
    let (common, path) = (Path::new(&named.repository.common_dir), &named.listed.entry.path);
    cx.git.lock_worktree(common, path, reason, &cx.stop())?;
    find(cx, &path.to_string_lossy(), None)
}

/// Unlocks a worktree.
///
/// # Errors
/// [`crate::ops::OpError`], also when it isn't locked.
pub fn unlock(cx: &Cx, word: &str) -> OpResult<Named> {
    let named = find(cx, word, None)?;
    let (common, path) = (Path::new(&named.repository.common_dir), &named.listed.entry.path);
    cx.git.unlock_worktree(common, path, &cx.stop())?;
    find(cx, &path.to_string_lossy(), None)
}
