//! Which repository a folder is in, and whether git is new enough.

use std::path::Path;
use std::sync::OnceLock;

use super::run::{ask, failed, read};
use crate::domain::diff::path_of;
use crate::ports::git::{GitError, GitResult, RepositoryFacts, Stop};

/// The oldest git that works.
const NEEDED: (u32, u32) = (2, 34);
const NEEDED_WORDS: &str = "2.34";

/// The repository that a folder is in.
pub(super) fn of(folder: &Path, stop: Stop<'_>) -> GitResult<RepositoryFacts> {
    check_version(folder, stop)?;
    let words = [
        "rev-parse",
        "--path-format=absolute",
        "--is-bare-repository",
        "--git-common-dir",
        "--show-toplevel",
    ];
    let printed = ask(folder, &[], &words, stop)?;
    let mut lines = printed.stdout.split(|b| *b == b'\n');
    let (bare, common, top) = (lines.next(), lines.next(), lines.next());
    if bare.is_none_or(<[u8]>::is_empty) && printed.stderr.contains("not a git repository") {
        return Err(GitError::NoRepository(folder.to_owned()));
    }
    let common = common.filter(|path| !path.is_empty()).map(path_of);
    // In git's own folder there is no top: then it failed, after it had printed the rest.
    let top = top.filter(|path| !path.is_empty() && printed.code == Some(0)).map(path_of);
    let common = common.ok_or_else(|| failed(&printed))?;
    let common_dir = common.canonicalize().unwrap_or(common);
    if common_dir.to_str().is_none_or(|path| path.contains('\n')) {
        return Err(GitError::BadPath(common_dir));
    }
    Ok(RepositoryFacts { common_dir, top })
}

/// Refuses a git that is too old. It is asked once.
fn check_version(folder: &Path, stop: Stop<'_>) -> GitResult<()> {
    static VERSION: OnceLock<String> = OnceLock::new();
    let found = match VERSION.get() {
        Some(found) => found,
        None => {
            let printed = read(folder, &["version"], stop)?;
            let text = String::from_utf8_lossy(&printed.stdout).into_owned();
            VERSION.get_or_init(|| text.split_whitespace().nth(2).unwrap_or_default().to_owned())
        }
    };
    if is_new_enough(found) {
        return Ok(());
    }
    Err(GitError::TooOld { found: found.clone(), needed: NEEDED_WORDS })
}

/// What can't be read counts as new.
fn is_new_enough(version: &str) -> bool {
    let mut numbers = version.split('.').map(str::parse::<u32>);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(major)), Some(Ok(minor))) => (major, minor) >= NEEDED,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_that_work() {
        for (version, works) in [
            ("2.47.3", true),
            ("2.34.0", true),
            ("2.33.8", false),
            ("1.9", false),
            ("3.0.1", true),
            ("next", true),
        ] {
            assert_eq!(is_new_enough(version), works, "{version}");
        }
    }
}
