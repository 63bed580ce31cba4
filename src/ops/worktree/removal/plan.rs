//! What finishing a worktree comes to: the wishes of its user, the branch it ends in, what is in the way, what will be run.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::check::{blockers, common, sessions_in};
use super::conversations::without;
use crate::domain::session::{Session, SessionName};
use crate::domain::text;
use crate::domain::worktree::{Blocker, WayOn};
use crate::ops::worktree::setup::{Consented, SetupContent, content_in};
use crate::ops::worktree::{Named, PlaceError, find};
use crate::ops::{Cx, OpResult};

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
    /// Those of them that run, or whose terminals do, and that are stopped for it.
    pub stops: Vec<SessionName>,
    /// The repository, and what it brings that its user has yet to allow.
    pub asks: Option<(String, SetupContent)>,
}

impl FinishPlan {
    /// What of the user's is ended by it; `None` if nothing runs.
    pub fn stops_words(&self) -> Option<String> {
        let all: Vec<String> =
            self.stops.iter().map(|name| format!("{:?}", text::clean(&name.title))).collect();
        let whose = if all.len() == 1 { "its" } else { "their" };
        (!all.is_empty()).then(|| format!("stops {} and all that runs in {whose} terminals", all.join(", ")))
    }
}

/// What finishing comes to. Nothing is changed.
///
/// # Errors
/// [`crate::ops::OpError`] when that can't be found out.
pub fn plan_finish(cx: &Cx, word: &str, wish: &FinishWish) -> OpResult<FinishPlan> {
    let named = find(cx, word, None)?;
    let sessions = sessions_in(cx, &named.listed.entry.path)?;
    let found = without(cx, &named, blockers(cx, &named)?.blockers)?;
    let stops = match wish.stop && !wish.keep {
        true => found.iter().filter_map(Blocker::running_session).cloned().collect(),
        false => Vec::new(),
    };
    let mut blocking = of_wish(found, wish);
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
    let content = match wish.keep || named.listed.is_main || named.listed.is_missing {
        true => SetupContent::default(),
        false => content_in(cx, &named.repository, &named.listed.entry.path)?,
    };
    let asks = super::teardown::to_be_allowed(cx, &named, &sessions, &content);
    let teardown = content.part.teardown.unwrap_or_default();
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
        stops,
        asks: asks.map(|content| (named.repository.name.clone(), content)),
    })
}

/// The blockers that count for what is wanted.
pub(super) fn of_wish(all: Vec<Blocker>, wish: &FinishWish) -> Vec<Blocker> {
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
pub(super) fn base_of(
    cx: &Cx,
    named: &Named,
    sessions: &[Session],
    wish: &FinishWish,
) -> OpResult<Option<String>> {
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
pub(super) struct Target {
    pub branch: String,
    /// The worktree that has it checked out; none if there is none.
    pub path: Option<PathBuf>,
    pub blockers: Vec<Blocker>,
}

pub(super) fn target_of(
    cx: &Cx,
    named: &Named,
    wish: &FinishWish,
    base: Option<&str>,
) -> OpResult<Option<Target>> {
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
