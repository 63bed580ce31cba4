//! What changed in a worktree: files, hunks and lines, as git prints them.

mod comments;
mod files;
mod new_file;
mod parse;
mod paths;
#[cfg(test)]
mod tests;

pub use comments::{Comment, message};
pub use files::parse_files;
pub use new_file::new_file;
pub use parse::parse_patch;
pub use paths::path_of;

use super::session::Session;
use super::worktree::WorktreeState;

/// What a worktree is compared with.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Against {
    /// The commit that is checked out.
    #[default]
    Head,
    /// Where its branch left the one that it came from.
    Branch,
    /// Where its branch left this one.
    Left(String),
    /// The index.
    Index,
    /// A commit that the user named.
    Commit(String),
}

impl Against {
    /// What a word means for a session: `head`, `base` (or `branch`), `index`, or else a commit or branch.
    pub fn of(word: &str, session: &Session) -> Self {
        match word {
            "head" => Self::Head,
            "base" | "branch" => Self::of_branch(session),
            "index" => Self::Index,
            other => Self::Commit(other.to_owned()),
        }
    }

    /// All that a session's branch did: since it left the one that its worktree was made from, if that is known.
    pub fn of_branch(session: &Session) -> Self {
        let base = session.place.as_ref().and_then(|place| place.base.clone());
        base.map_or(Self::Branch, Self::Left)
    }

    /// What the tab of a diff shows unless its user said something else: in a worktree what its branch did, else what
    /// isn't committed.
    pub fn default_of(session: &Session) -> Self {
        if session.place.is_some() { Self::of_branch(session) } else { Self::Head }
    }
}

/// What was found to compare with.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Base {
    /// Its name for people: `HEAD`, `main`, `the index`.
    pub name: String,
    /// The commit; none for the index, and before the first commit.
    pub commit: Option<String>,
}

/// What differs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Diff {
    /// What it is compared with.
    pub base: Base,
    /// The worktree.
    pub state: WorktreeState,
    /// The files, by path.
    pub files: Vec<FileDiff>,
    /// Whether there are more files than were read.
    pub is_cut: bool,
}

impl Diff {
    /// Lines that were added and removed, as far as they were counted.
    pub fn totals(&self) -> (usize, usize) {
        let counts = self.files.iter().filter_map(|f| f.counts);
        counts.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
    }
}

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Change {
    /// It is new, and git knows it.
    Added,
    /// It is new, and git doesn't know it.
    Untracked,
    /// It is gone.
    Deleted,
    /// It has other lines, or another mode.
    #[default]
    Modified,
    /// It has another name.
    Renamed,
    /// It was copied from another one.
    Copied,
    /// It is another kind of thing: a link, a submodule.
    Retyped,
    /// A merge left it in conflict.
    Conflicted,
}

/// What is in a changed file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Lines; none where only its name or mode changed.
    Text(Vec<Hunk>),
    /// Not text.
    Binary,
    /// Its lines were not read: there is too much, or it can't be read.
    NotRead,
}

/// One changed file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDiff {
    /// Its path from the worktree's top. Hostile until cleaned.
    pub path: String,
    /// Where it was before, if that was elsewhere.
    pub old_path: Option<String>,
    /// What happened to it.
    pub change: Change,
    /// Its mode before and now, where git reports one.
    pub modes: (Option<String>, Option<String>),
    /// Lines added and removed; none for what isn't text or wasn't counted.
    pub counts: Option<(usize, usize)>,
    /// What is in it.
    pub content: Content,
    /// Whether there are more lines than were read.
    pub is_cut: bool,
}

impl FileDiff {
    /// A file of which nothing but its name is known.
    pub fn named(path: String, change: Change) -> Self {
        let content = Content::NotRead;
        Self { path, old_path: None, change, modes: (None, None), counts: None, content, is_cut: false }
    }

    /// What there is to say about it beside its lines.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        match (&self.old_path, self.change) {
            (Some(old), Change::Copied) => notes.push(format!("copied from {old}")),
            (Some(old), _) => notes.push(format!("renamed from {old}")),
            (None, Change::Untracked) => notes.push("untracked".to_owned()),
            (None, Change::Conflicted) => notes.push("in conflict".to_owned()),
            _ => {}
        }
        match (self.modes.0.as_deref(), self.modes.1.as_deref()) {
            (Some(SUBMODULE), _) | (_, Some(SUBMODULE)) => notes.push("submodule".to_owned()),
            (Some(old), Some(new)) if old != new => {
                notes.push(format!("{} → {}", kind_of(old), kind_of(new)));
            }
            (None, Some(mode)) if mode != FILE => notes.push(kind_of(mode).to_owned()),
            _ => {}
        }
        match &self.content {
            Content::Binary => notes.push("binary".to_owned()),
            Content::NotRead if self.path.ends_with('/') => {
                notes.push("a repository of its own".to_owned());
            }
            Content::NotRead => notes.push("not read".to_owned()),
            Content::Text(_) => {}
        }
        notes
    }
}

const FILE: &str = "100644";
const SUBMODULE: &str = "160000";

/// What a mode means.
fn kind_of(mode: &str) -> &str {
    match mode {
        FILE => "file",
        "100755" => "executable",
        "120000" => "link",
        SUBMODULE => "submodule",
        other => other,
    }
}

/// Lines that changed together, with some around them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Hunk {
    /// Its first line and number of lines before.
    pub old: (u32, u32),
    /// The same now.
    pub new: (u32, u32),
    /// What git found above it, for example a function. Hostile until cleaned.
    pub section: String,
    /// Its lines.
    pub lines: Vec<DiffLine>,
}

/// What happened to a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// Nothing.
    Same,
    /// It is new.
    Added,
    /// It is gone.
    Removed,
}

/// A line of a hunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffLine {
    /// What happened to it.
    pub sign: Sign,
    /// Its number before.
    pub old: Option<u32>,
    /// Its number now.
    pub new: Option<u32>,
    /// Its text, without the end of the line. Hostile until cleaned.
    pub text: String,
    /// Whether a line feed ends it: the last one of a file may have none.
    pub ends: bool,
}
