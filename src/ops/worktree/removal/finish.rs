//! Finishing a worktree: merged if asked, its commits kept, removed by git, its sessions archived.

use std::fs::File;
use std::path::{Path, PathBuf};

use super::FinishWish;
use super::check::{blockers, common, sessions_in};
use super::conclude::{conclude, keep_commits, lacks};
use super::conversations::without;
use super::journal::{Journal, Step};
use super::plan::{MergeWish, Target, base_of, of_wish, target_of};
use super::teardown;
use crate::domain::guard::Act;
use crate::domain::resolve::resolve;
use crate::domain::session::{Session, SessionName};
use crate::domain::talk::TalkId;
use crate::domain::worktree::Blocker;
use crate::ops::stop::{Terminals, stop};
use crate::ops::worktree::make::locked;
use crate::ops::worktree::{Named, PlaceError, find};
use crate::ops::{Cx, OpError, OpResult, guard};
use crate::ports::git::{Merge, MergeKind};

/// What was done.
#[derive(Debug, Clone)]
pub struct Finished {
    pub path: PathBuf,
    pub branch: Option<String>,
    pub base: Option<String>,
    /// Whether its folder is gone.
    pub is_removed: bool,
    pub is_merged: bool,
    /// The remote that it was pushed to, with its address.
    pub pushed_to: Option<(String, String)>,
    /// Whether the branch was deleted; with the reason why not, if that was asked for.
    pub branch_deleted: Result<bool, String>,
    /// How many commits the base lacks.
    pub lacks: Option<u32>,
    /// The sessions that were archived, or are without a folder now.
    pub sessions: Vec<SessionName>,
    /// Whether they were archived.
    pub is_archived: bool,
    /// Why files of it are left that git could not delete.
    pub leftover: Option<String>,
    /// The conversations that were moved, and the folder that they are in now.
    pub conversations: Option<(Vec<TalkId>, PathBuf)>,
}

/// Finishes or removes a worktree.
///
/// # Errors
/// [`PlaceError::Blocked`] with all that is in the way, and others; what is done is done, and the rest can be repeated.
pub fn finish(cx: &Cx, word: &str, wish: &FinishWish) -> OpResult<Finished> {
    let named = match find(cx, word, None) {
        Err(OpError::Place(PlaceError::NoWorktree(word))) => {
            // It may be gone already, by a run that was killed then.
            let begun = interrupted(cx, &word)?.ok_or(PlaceError::NoWorktree(word))?;
            let common = PathBuf::from(&begun.repository.common_dir);
            return locked(cx, &common, |held| {
                let path = begun.path.display().to_string();
                let begun = Journal::read(cx, &begun.path).ok_or(PlaceError::NoWorktree(path))?;
                conclude(cx, begun, held)
            });
        }
        other => other?,
    };
    locked(cx, &common(&named), |held| {
        // As it is now that nobody else changes it.
        let named = find(cx, &named.listed.entry.path.to_string_lossy(), None)?;
        let begun = Journal::read(cx, &named.listed.entry.path).filter(|begun| begun.has(Step::Kept));
        match begun {
            // Its folder went, and git still lists it.
            Some(begun) if named.listed.is_missing => conclude(cx, begun, held),
            _ => run(cx, &named, wish, held),
        }
    })
}

/// The removal of a worktree that a word meant, which was not completed.
fn interrupted(cx: &Cx, word: &str) -> OpResult<Option<Journal>> {
    let profile = cx.profile.store.load()?.profile;
    let session = resolve(&profile, word, cx.caller.inside.as_ref()).ok().map(|session| session.id.clone());
    let path = cx.caller.cwd.join(word);
    let path = path.parent().and_then(|above| cx.host.real_path(above)).zip(path.file_name());
    let path = path.map(|(above, name)| above.join(name));
    let is_meant = |journal: &Journal| {
        path.as_ref() == Some(&journal.path)
            || journal.branch.as_deref() == Some(word)
            || journal.path.file_name().is_some_and(|name| name == word)
            || session.as_ref().is_some_and(|id| journal.sessions.contains(id))
    };
    let begun = Journal::all(cx).into_iter().filter(|journal| journal.has(Step::Kept) && is_meant(journal));
    let begun: Vec<Journal> = begun.collect();
    if begun.len() > 1 {
        let found = begun.into_iter().map(|journal| journal.path).collect();
        return Err(PlaceError::SeveralWorktrees { word: word.to_owned(), found }.into());
    }
    Ok(begun.into_iter().next())
}

fn run(cx: &Cx, named: &Named, wish: &FinishWish, held: &File) -> OpResult<Finished> {
    let path = &named.listed.entry.path;
    let sessions = sessions_in(cx, path)?;
    for session in &sessions {
        guard::check(cx, Act::End, session)?;
    }
    let base = base_of(cx, named, &sessions, wish)?;
    let target = target_of(cx, named, wish, base.as_deref())?;
    let mut all = of_wish(without(cx, named, blockers(cx, named)?.blockers)?, wish);
    all.extend(target.iter().flat_map(|target| target.blockers.clone()));
    refuse(path, all)?;
    check_push(cx, named, wish)?;
    let teardown = match wish.keep {
        true => Vec::new(),
        false => teardown::commands(cx, named, &sessions, wish.consent.as_ref())?,
    };
    let head = named.listed.entry.head.clone().unwrap_or_default();
    let old = Journal::read(cx, path)
        .filter(|old| old.branch == named.listed.entry.branch)
        .filter(|old| old.head == head && old.wish == FinishWish { consent: None, ..wish.clone() });
    let mut journal = old.unwrap_or_else(|| Journal {
        path: path.clone(),
        repository: named.repository.clone(),
        branch: named.listed.entry.branch.clone(),
        head,
        base: base.clone(),
        id: cx.clock.new_session_id().as_str().to_owned(),
        wish: wish.clone(),
        sessions: sessions.iter().map(|s| s.id.clone()).collect(),
        done: Step::Begun,
    });
    journal.write(cx)?;
    cx.host.reached(Step::Begun.name());
    let prepared = prepare(cx, named, &mut journal, target.as_ref(), &teardown, &sessions, held);
    let pushed_to = match prepared {
        Ok(pushed_to) => pushed_to,
        Err(error) => {
            // Nothing of it is gone yet: all of it is looked at again next time.
            journal.end(cx);
            return Err(error);
        }
    };
    if wish.keep {
        journal.end(cx);
        let lacks = lacks(cx, &journal);
        return Ok(Finished {
            path: path.clone(),
            branch: journal.branch,
            base,
            is_removed: false,
            is_merged: wish.merge.is_some(),
            pushed_to,
            branch_deleted: Ok(false),
            lacks,
            sessions: Vec::new(),
            is_archived: false,
            leftover: None,
            conversations: None,
        });
    }
    let finished = conclude(cx, journal, held)?;
    Ok(Finished { pushed_to, ..finished })
}

/// Everything up to the point from which on it is removed.
fn prepare(
    cx: &Cx,
    named: &Named,
    journal: &mut Journal,
    target: Option<&Target>,
    teardown: &[String],
    sessions: &[Session],
    held: &File,
) -> OpResult<Option<(String, String)>> {
    let path = &named.listed.entry.path;
    let wish = journal.wish.clone();
    if !journal.has(Step::TornDown) {
        teardown::run(cx, path, teardown, sessions)?;
        journal.note(cx, Step::TornDown)?;
    }
    if let (Some(target), Some(merge), false) = (target, wish.merge, journal.has(Step::Merged)) {
        bring_in(cx, named, target, merge, held)?;
        if merge == MergeWish::Rebase {
            // Its commits are others by now.
            journal.head = cx.git.commit(path, "HEAD", &cx.stop())?.id;
        }
        journal.note(cx, Step::Merged)?;
    }
    let mut pushed_to = None;
    if let Some(branch) = journal.branch.as_ref().filter(|_| wish.push) {
        let remote = cx.git.remote_of(&common(named), branch, &cx.stop())?;
        let (remote, url) = remote.ok_or_else(|| PlaceError::NoRemote(branch.clone()))?;
        if !journal.has(Step::Pushed) {
            cx.git.push(&common(named), &remote, branch, &cx.stop())?;
        }
        pushed_to = Some((remote, url));
        journal.note(cx, Step::Pushed)?;
    }
    if wish.keep {
        return Ok(pushed_to);
    }
    // From here on it is done as a whole.
    let _whole = cx.cancel.hold_off();
    for session in sessions {
        stop(cx, &session.id, Terminals::End)?;
    }
    journal.note(cx, Step::Stopped)?;
    // Whatever ran until now may have changed it.
    let named = find(cx, &path.to_string_lossy(), None)?;
    let found = without(cx, &named, blockers(cx, &named)?.blockers)?;
    refuse(path, of_wish(found, &FinishWish { stop: false, ..wish }))?;
    keep_commits(cx, &named, journal)?;
    journal.note(cx, Step::Kept)?;
    Ok(pushed_to)
}

/// Refuses a push that can't be done, before anything else is.
fn check_push(cx: &Cx, named: &Named, wish: &FinishWish) -> OpResult<()> {
    if !wish.push {
        return Ok(());
    }
    let branch = named.listed.entry.branch.as_deref().ok_or(PlaceError::NoBranchToPush)?;
    match cx.git.remote_of(&common(named), branch, &cx.stop())? {
        Some(_) => Ok(()),
        None => Err(PlaceError::NoRemote(branch.to_owned()).into()),
    }
}

pub(super) fn refuse(path: &Path, blockers: Vec<Blocker>) -> OpResult<()> {
    if blockers.is_empty() {
        return Ok(());
    }
    Err(PlaceError::Blocked { path: path.to_owned(), blockers }.into())
}

fn bring_in(cx: &Cx, named: &Named, target: &Target, merge: MergeWish, held: &File) -> OpResult<()> {
    // What is begun is either done or taken back, whoever stops waiting.
    let _whole = cx.cancel.hold_off();
    let entry = &named.listed.entry;
    let from = entry.branch.clone().or_else(|| entry.head.clone()).unwrap_or_default();
    let kind = match merge {
        MergeWish::Merge => MergeKind::Merge,
        MergeWish::Squash => MergeKind::Squash,
        MergeWish::Rebase => {
            cx.git.rebase(&entry.path, &target.branch, Some(held), &cx.stop())?;
            MergeKind::FastForward
        }
    };
    let from = if merge == MergeWish::Rebase && entry.branch.is_none() {
        cx.git.commit(&entry.path, "HEAD", &cx.stop())?.id
    } else {
        from
    };
    match &target.path {
        Some(path) => Ok(cx.git.merge(path, &Merge { from, kind }, Some(held), &cx.stop())?),
        None => Ok(cx.git.fast_forward(&common(named), &target.branch, &from, &cx.stop())?),
    }
}
