//! What is left of worktrees: entries whose folder is gone, merged worktrees that nobody uses, refs that kept old commits.

use std::path::{Path, PathBuf};

use jiff::{SignedDuration, Timestamp};

use super::check::{blockers, common};
use super::{FinishWish, finish, forget_gone};
use crate::ops::worktree::{Named, entries, make::locked};
use crate::ops::{Cx, OpResult, repository};
use crate::ports::git::KeptRef;

/// How long the commits of a removed worktree are kept.
const KEPT: SignedDuration = SignedDuration::from_hours(24 * 30);

/// One thing that can go.
#[derive(Debug, Clone)]
pub struct Leftover {
    /// The name of its repository.
    pub repository: String,
    common: PathBuf,
    pub kind: PruneKind,
}

/// What it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PruneKind {
    /// git lists a worktree whose folder is gone.
    Gone(PathBuf),
    /// A worktree that deck made, clean and merged, in which no session works.
    Merged { path: PathBuf, branch: String, base: String },
    /// Refs that kept the commits of a worktree, which was removed then.
    Kept { refs: Vec<KeptRef>, at: Timestamp },
}

/// Everything that can go; and for what looks so and stays, the reason.
///
/// # Errors
/// [`crate::ops::OpError`] when the profile can't be read.
pub fn prune(cx: &Cx) -> OpResult<(Vec<Leftover>, Vec<String>)> {
    let profile = cx.profile.store.load()?.profile;
    let (mut all, mut left) = (Vec::new(), Vec::new());
    for known in repository::list(cx)?.into_iter().filter(|known| !known.is_missing) {
        let repository = known.repository;
        let common_dir = PathBuf::from(&repository.common_dir);
        let mut add = |kind| {
            all.push(Leftover { repository: repository.name.clone(), common: common_dir.clone(), kind })
        };
        let listed = match entries(cx, &profile, &repository) {
            Ok(listed) => listed,
            Err(error) => {
                left.push(format!("repository {}: {error}", repository.name));
                continue;
            }
        };
        for listed in listed {
            let path = listed.entry.path.clone();
            if listed.is_missing {
                match is_surely_gone(cx, &profile, &path) {
                    true if listed.entry.locked.is_none() => add(PruneKind::Gone(path)),
                    true => left.push(format!("{} is locked", path.display())),
                    false => {
                        left.push(format!("{}: the disk that it was on may not be there", path.display()))
                    }
                }
                continue;
            }
            let is_idle = listed.is_made && listed.sessions.is_empty() && !listed.is_main;
            let (true, Some(branch)) = (is_idle, listed.entry.branch.clone()) else { continue };
            let named = Named { repository: repository.clone(), listed };
            let Ok(base) = cx.git.default_branch(&common(&named), &cx.stop()) else { continue };
            let base = repository.base.clone().unwrap_or(base);
            let is_merged = cx.git.missing_in(&common_dir, &branch, &base, &cx.stop()).is_ok_and(|n| n == 0);
            if branch == base || !is_merged {
                continue;
            }
            match blockers(cx, &named) {
                Ok(checked) if checked.blockers.is_empty() => add(PruneKind::Merged { path, branch, base }),
                Ok(checked) => {
                    let words: Vec<String> = checked.blockers.iter().map(|b| b.words()).collect();
                    left.push(format!("{}: {}", path.display(), words.join("; ")));
                }
                Err(error) => left.push(format!("{}: {error}", path.display())),
            }
        }
        for (at, refs) in old_refs(cx, &common_dir)? {
            add(PruneKind::Kept { refs, at });
        }
    }
    Ok((all, left))
}

/// Whether a folder is gone, and not only the disk that it was on: the folder above it is there, on the device on which it
/// was when the worktree was made.
fn is_surely_gone(cx: &Cx, profile: &crate::domain::profile::Profile, path: &Path) -> bool {
    let place =
        profile.sessions.iter().filter_map(|s| s.place.as_ref()).find(|p| Path::new(&p.worktree) == path);
    let (Some(device), Some(above)) = (place.and_then(|p| p.device), path.parent()) else { return false };
    cx.folders.kind(path).is_none() && cx.folders.device(above) == Some(device)
}

/// The kept refs that are old enough, those of one removal together.
fn old_refs(cx: &Cx, common: &Path) -> OpResult<Vec<(Timestamp, Vec<KeptRef>)>> {
    let now = cx.clock.now();
    let mut all: Vec<(String, Timestamp, Vec<KeptRef>)> = Vec::new();
    for kept in cx.git.kept(common, &cx.stop())? {
        let id = kept
            .name
            .strip_prefix("refs/deck/kept/")
            .and_then(|rest| rest.split_once('/'))
            .map(|(id, _)| id.to_owned());
        let Some((id, at)) = id.and_then(|id| time_of(&id).map(|at| (id, at))) else { continue };
        if now.duration_since(at) < KEPT {
            continue;
        }
        match all.iter_mut().find(|(other, ..)| *other == id) {
            Some((_, _, refs)) => refs.push(kept),
            None => all.push((id, at, vec![kept])),
        }
    }
    Ok(all.into_iter().map(|(_, at, refs)| (at, refs)).collect())
}

/// When a UUIDv7 was made: its first 48 bits are milliseconds of Unix time (RFC 9562).
fn time_of(id: &str) -> Option<Timestamp> {
    let digits: String = id.chars().filter(char::is_ascii_hexdigit).take(12).collect();
    Timestamp::from_millisecond(i64::from_str_radix(&digits, 16).ok()?).ok()
}

/// Removes one of them.
///
/// # Errors
/// [`crate::ops::OpError`]; what changed since it was found stays.
pub fn prune_one(cx: &Cx, leftover: &Leftover) -> OpResult<()> {
    match &leftover.kind {
        PruneKind::Gone(path) => locked(cx, &leftover.common, |_| forget_gone(cx, &leftover.common, path)),
        PruneKind::Merged { path, .. } => {
            finish(cx, &path.to_string_lossy(), &FinishWish::default()).map(drop)
        }
        PruneKind::Kept { refs, .. } => locked(cx, &leftover.common, |_| {
            for kept in refs {
                cx.git.delete_ref(&leftover.common, &kept.name, &kept.commit, &cx.stop())?;
            }
            Ok(())
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_tells_its_time() {
        let at = time_of("01a20d2b-3933-7479-8f14-62672a8933af").unwrap();
        assert_eq!(at.to_string(), "2026-11-24T10:47:46.227Z");
        assert_eq!(time_of("nothing"), None);
    }
}
