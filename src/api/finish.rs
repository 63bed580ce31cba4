//! What finishing and removing worktrees comes to.

#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;

use super::Version;
use crate::domain::worktree;
use crate::ops::worktree as ops;

/// One thing that keeps a worktree from being removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Blocker {
    /// `not_linked`, `repositories`, `under_way`, `target`, `uncommitted`, `ignored`, `locked`, `submodule`, `session`, `other_profile` or `process`.
    pub kind: String,
    /// What it is, in words.
    pub words: String,
    /// The option that helps, such as `--stop`; null if none does.
    pub option: Option<String>,
}

impl From<&worktree::Blocker> for Blocker {
    fn from(blocker: &worktree::Blocker) -> Self {
        let option = match blocker.way_on() {
            worktree::WayOn::Stop => Some("--stop"),
            worktree::WayOn::DiscardIgnored => Some("--discard-ignored"),
            worktree::WayOn::CommitOrKeep => Some("--keep"),
            _ => None,
        };
        Self { kind: blocker.word().to_owned(), words: blocker.words(), option: option.map(str::to_owned) }
    }
}

/// What `deck worktree finish --dry-run` answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct FinishPlan {
    pub schema_version: Version,
    pub path: String,
    /// Its branch; null if a commit is checked out by itself.
    pub branch: Option<String>,
    /// The branch that it ends in; null if none is known.
    pub base: Option<String>,
    /// How many commits that lacks; null if that isn't known.
    pub lacks: Option<u32>,
    /// What is in the way; empty if nothing is.
    pub blockers: Vec<Blocker>,
    /// What would be run, for people.
    pub commands: Vec<String>,
    /// The ids of the sessions that work in it.
    pub sessions: Vec<String>,
    /// The ids of those that run, or whose terminals do, and would be stopped.
    pub stops: Vec<String>,
}

impl From<&ops::FinishPlan> for FinishPlan {
    fn from(plan: &ops::FinishPlan) -> Self {
        Self {
            schema_version: Version,
            path: plan.path.display().to_string(),
            branch: plan.branch.clone(),
            base: plan.base.clone(),
            lacks: plan.lacks,
            blockers: plan.blockers.iter().map(Blocker::from).collect(),
            commands: plan.commands.clone(),
            sessions: plan.sessions.iter().map(|s| s.id.to_string()).collect(),
            stops: plan.stops.iter().map(|s| s.id.to_string()).collect(),
        }
    }
}

/// What `deck worktree finish` and `rm` did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Finished {
    pub schema_version: Version,
    pub path: String,
    pub branch: Option<String>,
    pub base: Option<String>,
    /// Whether its folder is gone.
    pub removed: bool,
    pub merged: bool,
    /// The remote that its branch was pushed to.
    pub pushed_to: Option<String>,
    pub branch_deleted: bool,
    /// How many commits of its branch the base lacks.
    pub lacks: Option<u32>,
    /// The ids of its sessions.
    pub sessions: Vec<String>,
    /// Whether they were archived.
    pub archived: bool,
    /// The ids of the conversations in its folder, which were moved to the main worktree.
    pub conversations: Vec<String>,
}

impl From<&ops::Finished> for Finished {
    fn from(done: &ops::Finished) -> Self {
        Self {
            schema_version: Version,
            path: done.path.display().to_string(),
            branch: done.branch.clone(),
            base: done.base.clone(),
            removed: done.is_removed,
            merged: done.is_merged,
            pushed_to: done.pushed_to.as_ref().map(|(remote, _)| remote.clone()),
            branch_deleted: *done.branch_deleted.as_ref().unwrap_or(&false),
            lacks: done.lacks,
            sessions: done.sessions.iter().map(|s| s.id.to_string()).collect(),
            archived: done.is_archived,
            conversations: done
                .conversations
                .iter()
                .flat_map(|(ids, _)| ids.iter().map(ToString::to_string))
                .collect(),
        }
    }
}

/// What `deck worktree finish` and `rm` answer: what was done, or with `--dry-run`, what would be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(untagged)]
#[expect(dead_code, reason = "for its schema: the verb prints one of the two")]
pub enum FinishAnswer {
    Done(Finished),
    Plan(FinishPlan),
}

/// One thing that `deck worktree prune` found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Pruned {
    pub schema_version: Version,
    /// The name of its repository.
    pub repository: String,
    /// `gone`, `merged` or `kept`.
    pub kind: String,
    /// The worktree's folder; null of kept commits.
    pub path: Option<String>,
    /// The refs that kept commits.
    pub refs: Vec<String>,
    /// Whether it was removed.
    pub removed: bool,
}

impl Pruned {
    pub fn of(leftover: &ops::Leftover, removed: bool) -> Self {
        let (kind, path, refs) = match &leftover.kind {
            ops::PruneKind::Gone(path) => ("gone", Some(path), Vec::new()),
            ops::PruneKind::Merged { path, .. } => ("merged", Some(path), Vec::new()),
            ops::PruneKind::Kept { refs, .. } => {
                ("kept", None, refs.iter().map(|r| r.name.clone()).collect())
            }
        };
        Self {
            schema_version: Version,
            repository: leftover.repository.clone(),
            kind: kind.to_owned(),
            path: path.map(|path| path.display().to_string()),
            refs,
            removed,
        }
    }
}
