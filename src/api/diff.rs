//! What changed in a session's folder.

#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;

use super::Version;
use crate::domain::diff::{self, Content, Sign};
use crate::domain::session::Session;
use crate::domain::worktree;

/// What differs between a session's worktree and a base.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Diff {
    pub schema_version: Version,
    pub id: String,
    pub title: String,
    /// The session's folder.
    pub folder: String,
    /// What it is compared with, in words.
    pub base: String,
    /// The commit that it is compared with; null for the index, and before the first commit.
    pub base_commit: Option<String>,
    pub worktree: Worktree,
    /// Lines added in all files, as far as they were counted.
    pub added: usize,
    /// Lines removed from all files, as far as they were counted.
    pub removed: usize,
    /// By path.
    pub files: Vec<File>,
    /// Whether all changed files are listed.
    pub is_complete: bool,
}

/// The state of a git worktree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema), schemars(rename = "WorktreeState"))]
pub struct Worktree {
    /// Null if a commit is checked out by itself.
    pub branch: Option<String>,
    /// The commit that is checked out; null before the first one.
    pub head: Option<String>,
    pub upstream: Option<String>,
    /// Commits that the upstream doesn't have.
    pub ahead: Option<u32>,
    /// Commits that only the upstream has.
    pub behind: Option<u32>,
}

/// A changed file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct File {
    /// From the worktree's top.
    pub path: String,
    /// Where it was before, if it was renamed or copied.
    pub old_path: Option<String>,
    pub change: Change,
    /// git's mode before, such as `100644`, if it is reported.
    pub old_mode: Option<String>,
    pub new_mode: Option<String>,
    /// Null for what isn't text, and for what wasn't counted.
    pub added: Option<usize>,
    pub removed: Option<usize>,
    pub is_binary: bool,
    /// Null for what isn't text, for what wasn't read, and with `--stat`.
    pub hunks: Option<Vec<Hunk>>,
    /// Whether all its lines are here.
    pub is_complete: bool,
}

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema), schemars(rename = "FileChange"))]
#[serde(rename_all = "snake_case")]
pub enum Change {
    Added,
    /// New, and not known to git.
    Untracked,
    Deleted,
    Modified,
    Renamed,
    Copied,
    /// Another kind of thing now: a link, a submodule.
    Retyped,
    /// In conflict after a merge.
    Conflicted,
}

/// Lines that changed together, with some around them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Hunk {
    pub old_start: u32,
    pub old_lines: u32,
    pub new_start: u32,
    pub new_lines: u32,
    /// What git found above it, such as a function's name.
    pub section: String,
    pub lines: Vec<Line>,
}

/// A line of a hunk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Line {
    pub kind: LineKind,
    /// Its number before; null for an added line.
    pub old: Option<u32>,
    /// Its number now; null for a removed line.
    pub new: Option<u32>,
    /// Without the line feed that ends it.
    pub text: String,
    /// Whether a line feed ends it: the last line of a file may have none.
    pub newline: bool,
}

/// What happened to a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum LineKind {
    Context,
    Added,
    Removed,
}

impl Diff {
    /// The answer for a session; the files without their lines if only numbers were asked for.
    pub fn of(session: &Session, diff: &diff::Diff, with_lines: bool) -> Self {
        let (added, removed) = diff.totals();
        Self {
            schema_version: Version,
            id: session.id.to_string(),
            title: session.title.clone(),
            folder: session.project_path.clone(),
            base: diff.base.name.clone(),
            base_commit: diff.base.commit.clone(),
            worktree: Worktree::from(&diff.state),
            added,
            removed,
            files: diff.files.iter().map(|f| File::of(f, with_lines)).collect(),
            is_complete: !diff.is_cut,
        }
    }
}

impl From<&worktree::WorktreeState> for Worktree {
    fn from(state: &worktree::WorktreeState) -> Self {
        let counts = state.upstream.as_ref().and_then(|u| u.ahead_behind);
        Self {
            branch: state.branch.clone(),
            head: state.commit.clone(),
            upstream: state.upstream.as_ref().map(|u| u.name.clone()),
            ahead: counts.map(|c| c.0),
            behind: counts.map(|c| c.1),
        }
    }
}

impl File {
    fn of(file: &diff::FileDiff, with_lines: bool) -> Self {
        let hunks = match &file.content {
            Content::Text(hunks) if with_lines => Some(hunks.iter().map(Hunk::from).collect()),
            _ => None,
        };
        Self {
            path: file.path.clone(),
            old_path: file.old_path.clone(),
            change: Change::from(file.change),
            old_mode: file.modes.0.clone(),
            new_mode: file.modes.1.clone(),
            added: file.counts.map(|c| c.0),
            removed: file.counts.map(|c| c.1),
            is_binary: file.content == Content::Binary,
            hunks,
            is_complete: !file.is_cut && file.content != Content::NotRead,
        }
    }
}

impl From<diff::Change> for Change {
    fn from(change: diff::Change) -> Self {
        match change {
            diff::Change::Added => Self::Added,
            diff::Change::Untracked => Self::Untracked,
            diff::Change::Deleted => Self::Deleted,
            diff::Change::Modified => Self::Modified,
            diff::Change::Renamed => Self::Renamed,
            diff::Change::Copied => Self::Copied,
            diff::Change::Retyped => Self::Retyped,
            diff::Change::Conflicted => Self::Conflicted,
        }
    }
}

impl From<&diff::Hunk> for Hunk {
    fn from(hunk: &diff::Hunk) -> Self {
        let line = |line: &diff::DiffLine| Line {
            kind: match line.sign {
                Sign::Same => LineKind::Context,
                Sign::Added => LineKind::Added,
                Sign::Removed => LineKind::Removed,
            },
            old: line.old,
            new: line.new,
            text: line.text.clone(),
            newline: line.ends,
        };
        Self {
            old_start: hunk.old.0,
            old_lines: hunk.old.1,
            new_start: hunk.new.0,
            new_lines: hunk.new.1,
            section: hunk.section.clone(),
            lines: hunk.lines.iter().map(line).collect(),
        }
    }
}
