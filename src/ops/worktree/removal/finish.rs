//! Finishing a worktree: merged if asked, its commits kept, removed by git, its sessions archived.

use std::fs::File;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::check::{blockers, common, sessions_in};
use super::journal::{Journal, Step};
use super::teardown;
use crate::domain::guard::Act;
use crate::domain::id::SessionId;
use crate::domain::resolve::resolve;
use crate::domain::session::{Session, SessionName};
use crate::domain::worktree::{Blocker, WayOn};
use crate::ops::stop::{Terminals, stop};
use crate::ops::worktree::make::locked;
use crate::ops::worktree::setup::Consented;
use crate::ops::worktree::{Named, PlaceError, find};
use crate::ops::{Cx, OpError, OpResult, guard};
use crate::ports::git::{KeptRef, Merge, MergeKind};

/// How the branch of a worktree is brought into another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MergeWish {
    Merge,
    Squash,
    Rebase,
}

/// What is to be done with a worktree.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FinishWish {
    pub merge: Option<MergeWish>,
    /// The branch that it is merged into; none for the one that it was made from.
    pub into: Option<String>,
    pub push: bool,
    pub delete_branch: bool,
    /// Whether sessions that run in it are stopped.
    pub stop: bool,
    /// Whether it stays: then it is only merged and pushed.
    pub keep: bool,
    pub discard_ignored: bool,
    /// Whether its sessions are archived.
    pub archive: bool,
    /// What its user allowed just now.
    #[serde(skip)]
    pub consent: Option<Consented>,
}

/// What finishing comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinishPlan {
    pub path: PathBuf,
    pub branch: Option<String>,
    /// The branch that it ends in, if one is known.
    pub base: Option<String>,
    /// How many commits that lacks.
    pub lacks: Option<u32>,
    pub blockers: Vec<Blocker>,
    /// What will be run, a line each.
    pub commands: Vec<String>,
    pub sessions: Vec<SessionName>,
}

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
}

/// What finishing comes to. Nothing is changed.
///
/// # Errors
/// [`crate::ops::OpError`] when that can't be found out.
pub fn plan_finish(cx: &Cx, word: &str, wish: &FinishWish) -> OpResult<FinishPlan> {
    let named = find(cx, word, None)?;
    let sessions = sessions_in(cx, &named.listed.entry.path)?;
    let mut blocking = of_wish(blockers(cx, &named)?.blockers, wish);
    let base = base_of(cx, &named, &sessions, wish)?;
    let branch = named.listed.entry.branch.clone();
    let target = target_of(cx, &named, wish, base.as_deref())?;
    blocking.extend(target.iter().flat_map(|target| target.blockers.clone()));
    let from = branch.clone().or_else(|| named.listed.entry.head.clone());
    let lacks = match (&from, &base) {
        (Some(from), Some(base)) if branch.as_deref() != Some(base) => {
            cx.git.missing_in(&common(&named), from, base, &cx.stop()).ok()
        }
        _ => None,
    };
    let teardown = match wish.keep || named.listed.is_main || named.listed.is_missing {
        true => Vec::new(),
        // Only shown: its consent is asked for when it is to run.
        false => crate::ops::worktree::setup::content_in(cx, &named.repository, &named.listed.entry.path)?
            .part
            .teardown
            .unwrap_or_default(),
    };
    let commands = commands(&named, wish, base.as_deref(), target.as_ref(), &teardown);
    let sessions = sessions.iter().map(Session::name).collect();
    Ok(FinishPlan {
        path: named.listed.entry.path.clone(),
        branch,
        base,
        lacks,
        blockers: blocking,
        commands,
        sessions,
    })
}

/// The blockers that count for what is wanted.
fn of_wish(all: Vec<Blocker>, wish: &FinishWish) -> Vec<Blocker> {
    let counts = |blocker: &Blocker| match blocker.way_on() {
        WayOn::Stop => !wish.stop && !wish.keep,
        WayOn::DiscardIgnored => !wish.discard_ignored && !wish.keep,
        WayOn::CommitOrKeep | WayOn::Unlock | WayOn::MoveAway | WayOn::PushSubmodule | WayOn::EndProcess => {
            !wish.keep
        }
        WayOn::Never | WayOn::FinishIt => true,
    };
    all.into_iter().filter(counts).collect()
}

/// The branch that this one is to end in.
fn base_of(cx: &Cx, named: &Named, sessions: &[Session], wish: &FinishWish) -> OpResult<Option<String>> {
    let recorded = || sessions.iter().find_map(|s| s.place.as_ref()?.base.clone());
    let known = wish.into.clone().or_else(recorded).or_else(|| named.repository.base.clone());
    if known.is_some() {
        return Ok(known);
    }
    match cx.git.default_branch(&common(named), &cx.stop()) {
        Ok(branch) => Ok(Some(branch)),
        Err(crate::ports::GitError::NoCommitYet(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Where it is merged.
struct Target {
    branch: String,
    /// The worktree that has it checked out; none if there is none.
    path: Option<PathBuf>,
    blockers: Vec<Blocker>,
}

fn target_of(cx: &Cx, named: &Named, wish: &FinishWish, base: Option<&str>) -> OpResult<Option<Target>> {
    if wish.merge.is_none() {
        return Ok(None);
    }
    let Some(base) = base else { return Err(PlaceError::NoBase.into()) };
    let own = named.listed.entry.branch.as_deref();
    let is_local = cx.git.branch(&common(named), base, &cx.stop())?.is_local;
    if !is_local || own == Some(base) {
        return Err(PlaceError::BadBase { base: base.to_owned(), is_own: own == Some(base) }.into());
    }
    let entries = cx.git.worktrees(&common(named), &cx.stop())?;
    let path =
        entries.iter().find(|e| e.branch.as_deref() == Some(base) && !e.is_bare).map(|e| e.path.clone());
    let mut blockers = Vec::new();
    if let Some(path) = &path {
        let state = cx.git.state(path, &cx.stop())?;
        // What git doesn't know is in no merge's way, or git says so.
        if state.staged + state.changed + state.conflicted.len() > 0 {
            let why = format!("{base} is checked out in {}, which has uncommitted files", path.display());
            blockers.push(Blocker::Target(why));
        }
        for what in cx.git.under_way(path, &cx.stop())? {
            blockers.push(Blocker::Target(format!("{what} is under way in {}", path.display())));
        }
        if let Some(from) = own.or(named.listed.entry.head.as_deref()) {
            // git overwrites ignored files by a merge without a word.
            for file in cx.git.in_the_way(path, from, &cx.stop())? {
                let why = format!(
                    "the branch adds {}, and {} has one of its own there",
                    file.display(),
                    path.display()
                );
                blockers.push(Blocker::Target(why));
            }
        }
    } else {
        if let Some(path) = cx.git.user_of(&common(named), base, &cx.stop())? {
            blockers.push(Blocker::Target(format!("{base} is being worked on in {}", path.display())));
        }
        if wish.merge == Some(MergeWish::Squash) {
            let why =
                format!("{base} is checked out nowhere: it can only go forward, and not be squashed to");
            blockers.push(Blocker::Target(why));
        }
    }
    if wish.merge == Some(MergeWish::Rebase) {
        // The same the other way round.
        for file in cx.git.in_the_way(&named.listed.entry.path, base, &cx.stop())? {
            let why = format!("{base} adds {}, and the worktree has one of its own there", file.display());
            blockers.push(Blocker::Target(why));
        }
    }
    Ok(Some(Target { branch: base.to_owned(), path, blockers }))
}

/// What will be run, for people.
fn commands(
    named: &Named,
    wish: &FinishWish,
    base: Option<&str>,
    target: Option<&Target>,
    teardown: &[String],
) -> Vec<String> {
    let entry = &named.listed.entry;
    let from = entry.branch.clone().or_else(|| entry.head.clone()).unwrap_or_default();
    let mut all: Vec<String> = teardown.to_vec();
    if let (Some(target), Some(merge)) = (target, wish.merge) {
        let at = target.path.as_ref().map(|p| p.display().to_string());
        all.extend(match (merge, at) {
            (MergeWish::Rebase, Some(at)) => vec![
                format!("git -C {} rebase {}", entry.path.display(), target.branch),
                format!("git -C {at} merge --ff-only {from}"),
            ],
            (MergeWish::Merge, Some(at)) => vec![format!("git -C {at} merge {from}")],
            (MergeWish::Squash, Some(at)) => {
                vec![format!("git -C {at} merge --squash {from}"), format!("git -C {at} commit")]
            }
            (_, None) => vec![format!("git update-ref refs/heads/{} {from}   (fast-forward)", target.branch)],
        });
    }
    if wish.push {
        all.push(format!("git push --set-upstream REMOTE {from}"));
    }
    if !wish.keep {
        all.push(format!("git worktree remove {}", entry.path.display()));
        if wish.delete_branch {
            all.push(format!("delete {from}, if {} has all of it", base.unwrap_or("its base")));
        }
    }
    all
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
    let mut all = of_wish(blockers(cx, named)?.blockers, wish);
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
    let checked = blockers(cx, &named)?;
    refuse(path, of_wish(checked.blockers, &FinishWish { stop: false, ..wish }))?;
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

fn refuse(path: &Path, blockers: Vec<Blocker>) -> OpResult<()> {
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

/// Keeps the commit that is checked out, and those that only the worktree's own record leads to: that goes with it.
fn keep_commits(cx: &Cx, named: &Named, journal: &mut Journal) -> OpResult<()> {
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
fn conclude(cx: &Cx, mut journal: Journal, held: &File) -> OpResult<Finished> {
    let _whole = cx.cancel.hold_off();
    let common = PathBuf::from(&journal.repository.common_dir);
    let mut leftover = None;
    if !journal.has(Step::Removed) {
        let entries = cx.git.worktrees(&common, &cx.stop())?;
        let is_there = entries.iter().any(|entry| entry.path == journal.path);
        if is_there && cx.host.exists(&journal.path) {
            // Once more: it may be long since that was looked at.
            let named = find(cx, &journal.path.to_string_lossy(), None)?;
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
    })
}

fn lacks(cx: &Cx, journal: &Journal) -> Option<u32> {
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
