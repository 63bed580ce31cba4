//! The end of finishing a worktree: its commits are kept, git removes it, and what became of its sessions is recorded.

use std::fs::File;
use std::path::{Path, PathBuf};

use super::FinishWish;
use super::Finished;
use super::check::{blockers, common};
use super::conversations::relocate;
use super::finish::refuse;
use super::journal::{Journal, Step};
use super::plan::of_wish;
use crate::domain::id::SessionId;
use crate::domain::session::{Session, SessionName};
use crate::ops::worktree::{Named, find};
use crate::ops::{Cx, OpResult};
use crate::ports::git::KeptRef;

/// Keeps the commit that is checked out, and those that only the worktree's own record leads to: that goes with it.
pub(super) fn keep_commits(cx: &Cx, named: &Named, journal: &mut Journal) -> OpResult<()> {
    // The record of a branch goes with the branch.
    let branch = journal.branch.as_deref().filter(|_| journal.wish.delete_branch);
    let commits = cx.git.own_commits(&named.listed.entry.path, branch, &cx.stop())?;
    journal.head = commits.first().cloned().unwrap_or_else(|| journal.head.clone());
    Ok(cx.git.keep(&common(named), &kept_refs(&journal.id, commits), &cx.stop())?)
}

/// The refs that keep these commits. Each is named after its own, so that to make them again changes none.
fn kept_refs(id: &str, commits: Vec<String>) -> Vec<KeptRef> {
    let one = |commit: String| KeptRef { name: format!("refs/deck/kept/{id}/{commit}"), commit };
    commits.into_iter().map(one).collect()
}

/// Has git forget a worktree whose folder is gone, after the commits are kept that only git's entry of it leads to.
///
/// # Errors
/// [`crate::ops::OpError`], also where submodules are kept with the entry: then it stays.
pub(in crate::ops::worktree) fn forget_gone(cx: &Cx, common: &Path, path: &Path) -> OpResult<()> {
    let commits = cx.git.entry_commits(common, path, &cx.stop())?;
    let id = cx.clock.new_session_id();
    cx.git.keep(common, &kept_refs(id.as_str(), commits), &cx.stop())?;
    Ok(cx.git.forget_worktree(common, path, &cx.stop())?)
}

/// Removes it, and records what became of its sessions.
pub(super) fn conclude(cx: &Cx, mut journal: Journal, held: &File) -> OpResult<Finished> {
    let _whole = cx.cancel.hold_off();
    let common = PathBuf::from(&journal.repository.common_dir);
    let (mut leftover, mut conversations) = (None, None);
    if !journal.has(Step::Removed) {
        let entries = cx.git.worktrees(&common, &cx.stop())?;
        let is_there = entries.iter().any(|entry| entry.path == journal.path);
        if is_there && cx.host.exists(&journal.path) {
            // Once more: it may be long since that was looked at.
            let named = find(cx, &journal.path.to_string_lossy(), None)?;
            conversations = relocate(cx, &named)?;
            cx.host.reached("finish-conversations");
            let checked = blockers(cx, &named)?;
            let wish = FinishWish { stop: false, ..journal.wish.clone() };
            if let Err(error) = refuse(&journal.path, of_wish(checked.blockers, &wish)) {
                journal.end(cx);
                return Err(error);
            }
            // Whatever was committed since is kept as well.
            keep_commits(cx, &named, &mut journal)?;
            journal.write(cx)?;
            let removed = cx.git.remove_worktree(
                &common,
                &journal.path,
                checked.has_submodules,
                Some(held),
                &cx.stop(),
            );
            if let Err(error) = removed {
                let entries = cx.git.worktrees(&common, &cx.stop())?;
                if entries.iter().any(|entry| entry.path == journal.path) {
                    journal.end(cx);
                    return Err(error.into());
                }
                // Files that it may not delete are left: it is no worktree any more.
                leftover = Some(error.to_string());
            }
        } else if is_there {
            forget_gone(cx, &common, &journal.path)?;
        }
        journal.note(cx, Step::Removed)?;
    }
    let lacks = lacks(cx, &journal);
    let branch_deleted = delete_branch(cx, &common, &journal);
    journal.note(cx, Step::BranchDeleted)?;
    let sessions = record(cx, &journal)?;
    journal.end(cx);
    Ok(Finished {
        path: journal.path,
        branch: journal.branch,
        base: journal.base,
        is_removed: true,
        is_merged: journal.wish.merge.is_some(),
        pushed_to: None,
        branch_deleted,
        lacks,
        sessions,
        is_archived: journal.wish.archive,
        leftover,
        conversations,
    })
}

pub(super) fn lacks(cx: &Cx, journal: &Journal) -> Option<u32> {
    let (branch, base) = (journal.branch.as_ref()?, journal.base.as_ref()?);
    let common = PathBuf::from(&journal.repository.common_dir);
    cx.git.missing_in(&common, branch, base, &cx.stop()).ok()
}

/// Deletes the branch, if all of it is in its base or in what it follows; or says why not.
fn delete_branch(cx: &Cx, common: &Path, journal: &Journal) -> Result<bool, String> {
    let (true, Some(branch)) = (journal.wish.delete_branch, &journal.branch) else { return Ok(false) };
    let words = |error: crate::ports::GitError| error.to_string();
    if !cx.git.branch(common, branch, &cx.stop()).map_err(words)?.is_local {
        // An earlier run did it.
        return Ok(true);
    }
    if let Some(path) = cx.git.user_of(common, branch, &cx.stop()).map_err(words)? {
        return Err(format!("{branch} stays: {} uses it", path.display()));
    }
    let upstream = format!("{branch}@{{upstream}}");
    let is_in =
        |other: &str| cx.git.missing_in(common, branch, other, &cx.stop()).is_ok_and(|missing| missing == 0);
    let base = journal.base.as_deref().filter(|base| base != branch);
    let has_all = base.is_some_and(is_in)
        || is_in(&upstream)
        || base.is_some_and(|base| cx.git.adds_nothing(common, branch, base, &cx.stop()).unwrap_or(false));
    if !has_all {
        let other = base.unwrap_or("no other branch");
        return Err(format!("{branch} stays: it has commits that {other} lacks"));
    }
    let name = format!("refs/heads/{branch}");
    cx.git.delete_ref(common, &name, &journal.head, &cx.stop()).map_err(words)?;
    Ok(true)
}

/// Records on its sessions that the worktree is gone, and what it had.
fn record(cx: &Cx, journal: &Journal) -> OpResult<Vec<SessionName>> {
    let now = cx.begun();
    let words =
        if journal.wish.archive { "finished the worktree of {}" } else { "removed the worktree of {}" };
    let path = journal.path.to_string_lossy().into_owned();
    let is_of = |session: &Session, id: &SessionId| session.id == *id && session.deleted_at.is_none();
    cx.arrange(words, |profile| {
        let mut names = Vec::new();
        // Also those that are archived or in the trash may come back.
        for session in &mut profile.sessions {
            if let Some(place) = session.place.as_mut().filter(|place| place.worktree == path) {
                place.head = Some(journal.head.clone());
                place.removed_at = Some(now);
                place.branch.clone_from(&journal.branch);
            }
        }
        for id in &journal.sessions {
            let Some(session) = profile.sessions.iter_mut().find(|s| is_of(s, id)) else { continue };
            if journal.wish.archive {
                session.archived_at = session.archived_at.or(Some(now));
            }
            session.updated_at = now;
            names.push(session.name());
        }
        Ok(names)
    })
}
