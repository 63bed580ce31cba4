//! Worktrees: the list, and making, locking and unlocking one.

use std::ffi::OsStr;
use std::fs::File;
use std::path::Path;

use super::run::{ask, failed, write};
use crate::domain::worktree::{Checkout, WorktreeEntry, parse_list};
use crate::ports::git::{GitError, GitResult, Stop};

/// All worktrees of the repository that a folder is in.
pub(super) fn list(folder: &Path, stop: Stop<'_>) -> GitResult<Vec<WorktreeEntry>> {
    let words = ["worktree", "list", "--porcelain"];
    let printed = ask(folder, &[], &[&words[..], &["-z"]].concat(), stop)?;
    match printed.code {
        Some(0) => return Ok(parse_list(&printed.stdout, 0)),
        // Before git 2.36.
        Some(129) => {}
        _ if printed.stderr.contains("not a git repository") => {
            return Err(GitError::NoRepository(folder.to_owned()));
        }
        _ => return Err(failed(&printed)),
    }
    let printed = ask(folder, &[], &words, stop)?;
    if printed.code == Some(0) { Ok(parse_list(&printed.stdout, b'\n')) } else { Err(failed(&printed)) }
}

pub(super) fn add(
    folder: &Path,
    path: &Path,
    checkout: &Checkout,
    held: Option<&File>,
    stop: Stop<'_>,
) -> GitResult<()> {
    check_path(path)?;
    let words: Vec<&str> = match checkout {
        Checkout::Branch(_) => vec![],
        Checkout::Track { branch, .. } => vec!["--track", "-b", branch],
        Checkout::New { branch, .. } => vec!["--no-track", "-b", branch],
        Checkout::Detached(_) => vec!["--detach"],
    };
    let start = checkout.commit();
    let mut all: Vec<&OsStr> = ["worktree", "add"].into_iter().chain(words).map(OsStr::new).collect();
    all.extend([OsStr::new("--"), path.as_os_str(), OsStr::new(start)]);
    write(folder, &all, held, stop).map(drop)
}

/// Brings all files of a worktree to its commit, and takes the lock off that git puts on one while it makes it.
pub(super) fn complete(path: &Path, held: Option<&File>, stop: Stop<'_>) -> GitResult<()> {
    check_path(path)?;
    write(path, &["reset", "--hard", "--quiet"].map(OsStr::new), held, stop)?;
    unlock(path, path, stop)
}

/// Has git forget a worktree whose folder is gone.
pub(super) fn forget(folder: &Path, path: &Path, stop: Stop<'_>) -> GitResult<()> {
    check_path(path)?;
    if path.symlink_metadata().is_ok() {
        return Err(GitError::Failed(format!("{} is there", path.display())));
    }
    let all = [OsStr::new("worktree"), OsStr::new("remove"), OsStr::new("--"), path.as_os_str()];
    write(folder, &all, None, stop).map(drop)
}

pub(super) fn lock(folder: &Path, path: &Path, reason: &str, stop: Stop<'_>) -> GitResult<()> {
    check_path(path)?;
    let reason = (!reason.is_empty()).then(|| format!("--reason={reason}"));
    let mut all = vec![OsStr::new("worktree"), OsStr::new("lock")];
    all.extend(reason.iter().map(OsStr::new));
    all.extend([OsStr::new("--"), path.as_os_str()]);
    write(folder, &all, None, stop).map(drop)
}

pub(super) fn unlock(folder: &Path, path: &Path, stop: Stop<'_>) -> GitResult<()> {
    check_path(path)?;
    let all = [OsStr::new("worktree"), OsStr::new("unlock"), OsStr::new("--"), path.as_os_str()];
    write(folder, &all, None, stop).map(drop)
}

/// A path must be whole: git takes a name as one that ends in it.
pub(super) fn check_path(path: &Path) -> GitResult<()> {
    let is_text = path.to_str().is_some_and(|text| !text.contains(['\n', '\0']));
    if path.is_absolute() && is_text { Ok(()) } else { Err(GitError::BadPath(path.to_owned())) }
}
