//! What changed in the folder of a session.

use std::path::Path;

use super::{Cx, OpError, OpResult};
use crate::domain::diff::{Against, Diff};
use crate::domain::session::Session;
use crate::domain::worktree::WorktreeState;
use crate::ports::git::{GitError, Lines};

/// The state of the worktree that a folder is in: branch, upstream, and what isn't committed. It starts a
/// program, so it is no part of a tick: `cx.git.stamp` says whether it is worth asking again.
///
/// # Errors
/// [`OpError::Git`] when the folder is in no worktree.
pub fn worktree_state(cx: &Cx, folder: &Path) -> OpResult<WorktreeState> {
    folder_there(cx, folder)?;
    cx.git.state(folder, &|| cx.cancel.is_cancelled()).map_err(of_git)
}

/// What changed in a session's folder.
///
/// # Errors
/// [`OpError::Git`] when it can't be compared.
pub fn diff(cx: &Cx, session: &Session, against: &Against, lines: &Lines) -> OpResult<Diff> {
    let folder = Path::new(&session.project_path);
    folder_there(cx, folder)?;
    cx.git.diff(folder, against, lines, &|| cx.cancel.is_cancelled()).map_err(of_git)
}

fn folder_there(cx: &Cx, folder: &Path) -> OpResult<()> {
    if cx.host.is_dir(folder) { Ok(()) } else { Err(OpError::NoFolder(folder.to_owned())) }
}

fn of_git(error: GitError) -> OpError {
    if matches!(error, GitError::Stopped) { OpError::Cancelled } else { OpError::Git(error) }
}
