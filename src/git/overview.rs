//! What gives an overview of a project: its files, and what was committed last.

use std::path::Path;

use super::run::ask;
use crate::ports::git::{GitError, GitResult, Stop};
use crate::sys::spawn::Printed;

fn lines(printed: Printed, end: u8, folder: &Path) -> GitResult<Vec<String>> {
    match printed.code {
        Some(0) => {}
        _ if printed.is_cut => {}
        _ if printed.stderr.contains("not a git repository") => {
            return Err(GitError::NoRepository(folder.to_owned()));
        }
        _ => return Err(super::run::failed(&printed)),
    }
    let all = printed.stdout.split(|b| *b == end).filter(|line| !line.is_empty());
    Ok(all.map(|line| String::from_utf8_lossy(line).into_owned()).collect())
}

/// The files that git knows below a folder, as paths from it.
pub(super) fn tracked(folder: &Path, stop: Stop<'_>) -> GitResult<Vec<String>> {
    lines(ask(folder, &[], &["ls-files", "-z"], stop)?, 0, folder)
}

/// The last commits, newest first: the short id and the subject of each.
pub(super) fn recent(folder: &Path, most: usize, stop: Stop<'_>) -> GitResult<Vec<String>> {
    let most = format!("-{most}");
    let printed = ask(folder, &[], &["log", &most, "--no-show-signature", "--format=%h - %s"], stop)?;
    if printed.code != Some(0) && printed.stderr.contains("does not have any commits yet") {
        return Ok(Vec::new());
    }
    lines(printed, b'\n', folder)
}
