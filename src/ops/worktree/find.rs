//! Finding the worktree that a word means.

use std::path::{Path, PathBuf};

use super::{Listed, PlaceError, entries};
use crate::domain::repository::Repository;
use crate::domain::resolve::resolve as resolve_session;
use crate::ops::repository::{located, resolve as resolve_repository};
use crate::ops::{Cx, OpError, OpResult};
use crate::ports::GitError;

/// A worktree with its repository.
#[derive(Debug, Clone)]
pub struct Named {
    pub repository: Repository,
    pub listed: Listed,
}

/// The worktree that a word means: by its path, its branch, the name of its folder, or a session that works in it. With
/// `only`, of that repository.
///
/// # Errors
/// [`PlaceError::NoWorktree`], [`PlaceError::SeveralWorktrees`], and others.
pub fn find(cx: &Cx, word: &str, only: Option<&str>) -> OpResult<Named> {
    let profile = cx.profile.store.load()?.profile;
    let path = cx.host.real_path(&cx.caller.cwd.join(word));
    let mut repositories: Vec<Repository> = match only {
        Some(name) => vec![resolve_repository(cx, name)?],
        None => profile.repositories.iter().filter_map(|r| located(cx, &profile, r)).collect(),
    };
    // A path may be of a repository that was never added.
    if let Some(path) = path.as_ref().filter(|_| only.is_none())
        && let Some(common) = cx.git.common_folder(path).and_then(|common| cx.host.real_path(&common))
        && repositories.iter().all(|r| Path::new(&r.common_dir) != common)
    {
        repositories.push(unknown(&common));
    }
    let mut all: Vec<Named> = Vec::new();
    let mut failed = None;
    for repository in repositories {
        let listed = match entries(cx, &profile, &repository) {
            Ok(listed) => listed,
            Err(error @ (GitError::Stopped | GitError::NotInstalled)) => return Err(error.into()),
            // One that can't be asked is in no other's way.
            Err(error) => {
                failed = failed.or(Some(error));
                continue;
            }
        };
        all.extend(listed.into_iter().map(|listed| Named { repository: repository.clone(), listed }));
    }
    let session = resolve_session(&profile, word, cx.caller.inside.as_ref()).ok();
    let place = session.and_then(|s| s.place.as_ref()).map(|p| PathBuf::from(&p.worktree));
    let is_at = |named: &Named, at: &Path| {
        named.listed.entry.path == at || cx.host.real_path(&named.listed.entry.path).as_deref() == Some(at)
    };
    // A link may be in the place of one.
    let by_name = |n: &Named| n.listed.entry.path == Path::new(word);
    let by_path = |n: &Named| path.as_deref().is_some_and(|path| is_at(n, path));
    let by_branch = |n: &Named| n.listed.entry.branch.as_deref() == Some(word);
    let by_session = |n: &Named| place.as_deref().is_some_and(|place| is_at(n, place));
    let by_folder = |n: &Named| n.listed.entry.path.file_name().is_some_and(|name| name == word);
    let tests: [&dyn Fn(&Named) -> bool; 5] = [&by_name, &by_path, &by_branch, &by_session, &by_folder];
    for test in tests {
        let found: Vec<&Named> = all.iter().filter(|n| test(n)).collect();
        let known: Vec<&Named> = found.iter().copied().filter(|n| !n.repository.id.is_empty()).collect();
        match found[..] {
            [] => {}
            [one] => return Ok(one.clone()),
            // Another repository is in the place of a worktree.
            [a, b] if a.listed.entry.path == b.listed.entry.path && known.len() == 1 => {
                return Ok((*known.first().unwrap_or(&a)).clone());
            }
            _ => {
                let found = found.iter().map(|n| n.listed.entry.path.clone()).collect();
                return Err(PlaceError::SeveralWorktrees { word: word.to_owned(), found }.into());
            }
        }
    }
    match failed {
        Some(error) => Err(error.into()),
        None => Err(OpError::from(PlaceError::NoWorktree(word.to_owned()))),
    }
}

/// A repository that has no record.
fn unknown(common: &Path) -> Repository {
    Repository {
        id: String::new(),
        name: String::new(),
        path: common.display().to_string(),
        common_dir: common.display().to_string(),
        base: None,
        location: None,
        consents: Vec::new(),
        created_at: jiff::Timestamp::UNIX_EPOCH,
        extra: serde_json::Map::new(),
    }
}
