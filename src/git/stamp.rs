//! Whether the branch, the commit or the index of a worktree has moved, by the times of git's own files.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::sys::files;

/// The most that is read of a file that names a folder, in bytes.
const NAME: u64 = 16 * 1024;

/// A number that is another one when one of git's files is.
pub(super) fn of(folder: &Path) -> Option<u64> {
    let own = folder.ancestors().find_map(git_dir)?;
    // A further worktree has its own index, and the branches of the first.
    let common = name_in(&own.join("commondir"), &own).unwrap_or_else(|| own.clone());
    let all = [
        own.join("HEAD"),
        own.join("index"),
        own.join("logs/HEAD"),
        own.join("FETCH_HEAD"),
        common.join("packed-refs"),
        common.join("logs/refs/remotes/origin"),
    ];
    let mut hasher = DefaultHasher::new();
    own.hash(&mut hasher);
    for file in all {
        let state = file.metadata().ok().map(|m| (m.ino(), m.mtime(), m.mtime_nsec(), m.len()));
        state.hash(&mut hasher);
    }
    Some(hasher.finish())
}

/// The folder with what all worktrees of a repository share.
pub(super) fn common_folder(folder: &Path) -> Option<PathBuf> {
    let own = folder.ancestors().find_map(git_dir)?;
    Some(name_in(&own.join("commondir"), &own).unwrap_or(own))
}

/// The folder with git's files for a worktree whose top this is.
fn git_dir(top: &Path) -> Option<PathBuf> {
    let path = top.join(".git");
    if path.is_dir() {
        return Some(path).filter(|p| p.join("HEAD").exists());
    }
    let text = files::read_text(&path, NAME).ok()?;
    Some(top.join(text.strip_prefix("gitdir:")?.trim()))
}

/// The folder that a file names, from `base`.
fn name_in(file: &Path, base: &Path) -> Option<PathBuf> {
    let text = files::read_text(file, NAME).ok()?;
    Some(base.join(text.trim()))
}
