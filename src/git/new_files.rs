//! The files of a worktree that git doesn't know, or ignores.

use std::collections::BTreeSet;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::run::{Repository, ask, failed};
use crate::domain::diff::{Change, FileDiff, new_file, path_of};
use crate::ports::git::{GitError, GitResult, Stop};
use crate::sys::files;

/// How much of them is read.
pub(super) struct Limits {
    /// Of one, in bytes.
    each: u64,
    /// Of all, in bytes.
    all: u64,
    /// How many files.
    files: usize,
    /// The only one that is read.
    only: Option<String>,
}

impl Default for Limits {
    fn default() -> Self {
        Self { each: 1024 * 1024, all: 8 * 1024 * 1024, files: 10_000, only: None }
    }
}

impl Limits {
    /// To read one file.
    pub fn of_one(path: &str) -> Self {
        let most = 8 * 1024 * 1024;
        Self { each: most, all: most, files: 1, only: Some(path.to_owned()) }
    }
}

/// Reads new files, as far as they aren't too many.
pub(super) fn read(
    repository: &Repository<'_>,
    paths: &[PathBuf],
    limits: &Limits,
) -> GitResult<Vec<FileDiff>> {
    let (mut bytes, mut many) = (limits.all, limits.files);
    let mut all = Vec::new();
    for path in paths {
        repository.check()?;
        let name = String::from_utf8_lossy(path.as_os_str().as_bytes()).into_owned();
        let is_wanted = limits.only.as_ref().is_none_or(|only| *only == name);
        let found = if is_wanted && many > 0 {
            content(&repository.top.join(path), limits.each.min(bytes))
        } else {
            None
        };
        all.push(match found {
            Some((mode, content)) => {
                bytes = bytes.saturating_sub(content.len() as u64);
                many -= 1;
                new_file(name, mode, &content)
            }
            None => FileDiff::named(name, Change::Untracked),
        });
    }
    Ok(all)
}

/// The files that git ignores and that fit the patterns of a file, from the worktree's top.
pub(super) fn ignored_that_fit(top: &Path, patterns: &Path, stop: Stop<'_>) -> GitResult<Vec<PathBuf>> {
    let list = |words: &[&str]| {
        let all =
            ["ls-files", "-z", "--others", "--ignored"].iter().chain(words).copied().collect::<Vec<_>>();
        let printed = ask(top, &[], &all, stop)?;
        if printed.is_cut {
            return Err(GitError::Failed(format!("{} fits too many files", patterns.display())));
        }
        if printed.code != Some(0) {
            return Err(failed(&printed));
        }
        Ok(printed.stdout)
    };
    let wanted = list(&[&format!("--exclude-from={}", patterns.display())])?;
    let names = |bytes: &[u8]| -> BTreeSet<Vec<u8>> {
        // What ends in a slash is a repository in a folder of its own.
        bytes.split(|b| *b == 0).filter(|n| !n.is_empty() && !n.ends_with(b"/")).map(<[u8]>::to_vec).collect()
    };
    let wanted = names(&wanted);
    // What git's own rules say is asked only where there is something to copy.
    let tops: BTreeSet<String> = wanted
        .iter()
        .filter_map(|name| name.split(|b| *b == b'/').next())
        .map(|name| format!(":(top,literal){}", String::from_utf8_lossy(name)))
        .collect();
    if tops.is_empty() {
        return Ok(Vec::new());
    }
    let mut words = vec!["--exclude-standard", "--"];
    words.extend(tops.iter().map(String::as_str));
    let ignored = names(&list(&words)?);
    Ok(wanted.intersection(&ignored).map(|name| path_of(name)).collect())
}

/// A file's mode and what it holds; for a link, where it leads. None for anything else, and for what is too large.
fn content(path: &Path, most: u64) -> Option<(&'static str, Vec<u8>)> {
    let kind = path.symlink_metadata().ok()?;
    if kind.is_symlink() {
        let target = std::fs::read_link(path).ok()?;
        return Some(("120000", target.as_os_str().as_bytes().to_vec()));
    }
    if !kind.is_file() || kind.len() > most {
        return None;
    }
    let mode = if kind.permissions().mode() & 0o100 != 0 { "100755" } else { "100644" };
    Some((mode, files::read(path, most).ok()?))
}
