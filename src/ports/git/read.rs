//! What git is asked.

use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::{GitResult, Lines, Stop};
use crate::domain::diff::{Against, Diff};
use crate::domain::worktree::{WorktreeEntry, WorktreeState};

/// A repository, as seen from a folder in it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RepositoryFacts {
    /// The folder that all its worktrees share, without links.
    pub common_dir: PathBuf,
    /// The top of the worktree that the folder is in; none in a bare repository.
    pub top: Option<PathBuf>,
}

/// Where a branch is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BranchFacts {
    /// Whether the repository has it itself.
    pub is_local: bool,
    /// The remotes that had it when they were last fetched.
    pub remotes: Vec<String>,
}

/// A file of a commit.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Blob {
    /// What it holds; of a link, where it leads.
    pub bytes: Vec<u8>,
    pub is_link: bool,
}

/// A commit.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CommitFacts {
    pub id: String,
    /// When it was committed.
    pub at: Timestamp,
    /// The first line of its message.
    pub subject: String,
}

/// What git knows of a worktree that is to be removed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RemovalFacts {
    /// Why it is no linked worktree of its repository; none if it surely is one.
    pub not_linked: Option<String>,
    /// What is under way in it, by git's words.
    pub under_way: Vec<&'static str>,
    /// Its state, with each untracked file and with what is in submodules.
    pub state: WorktreeState,
    /// Tracked files that differ, or whose changes git was told to overlook, from its top.
    pub changed: Vec<PathBuf>,
    /// How many of those git was told to overlook.
    pub overlooked: usize,
    /// What git ignores, from its top: a folder that holds nothing else stands for its files, and ends in a slash.
    pub ignored: Vec<PathBuf>,
    /// Whether there is more than was read.
    pub is_cut: bool,
    /// Folders with tracked files that are repositories of their own as well.
    pub repositories: Vec<PathBuf>,
    /// Whether git keeps anything of submodules with it: then git removes it only by force.
    pub has_modules: bool,
    /// Its submodules that are checked out, or whose commits are kept with it: each with the reason why it can't go.
    pub submodules: Vec<(PathBuf, Option<String>)>,
}

/// A ref that keeps a commit of a worktree that was removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptRef {
    /// The whole name.
    pub name: String,
    pub commit: String,
}

/// Reading, for the worktree that a folder is in. Everything here may block.
pub trait GitRead: Send + Sync {
    /// The state of the worktree.
    ///
    /// # Errors
    /// [`GitError`] when there is none.
    fn state(&self, folder: &Path, stop: Stop<'_>) -> GitResult<WorktreeState>;

    /// What differs in the worktree, with files that git doesn't know.
    ///
    /// # Errors
    /// [`GitError`] when it can't be compared.
    fn diff(&self, folder: &Path, against: &Against, lines: &Lines, stop: Stop<'_>) -> GitResult<Diff>;

    /// The folder that all worktrees of the repository share, by git's own files: no program is started. None where there is
    /// no repository.
    fn common_folder(&self, folder: &Path) -> Option<PathBuf>;

    /// How many commits only the branch has, and how many only the one that it follows; none where it follows none. It
    /// looks at no file of the worktree.
    ///
    /// # Errors
    /// [`GitError`] when git can't be asked.
    fn ahead_behind(&self, folder: &Path, stop: Stop<'_>) -> GitResult<Option<(u32, u32)>>;

    /// A number that is another one when the branch, the commit or the index has moved; none where there is
    /// no repository. It starts no program. Changes of files alone don't show in it.
    fn stamp(&self, folder: &Path) -> Option<u64>;

    /// The repository that a folder is in.
    ///
    /// # Errors
    /// [`GitError`] when it is in none, or git is missing or too old.
    fn repository(&self, folder: &Path, stop: Stop<'_>) -> GitResult<RepositoryFacts>;

    /// All worktrees of the repository that a folder is in, or that has this common folder: first the main one, or the bare
    /// repository.
    ///
    /// # Errors
    /// [`GitError`] when it is in none.
    fn worktrees(&self, folder: &Path, stop: Stop<'_>) -> GitResult<Vec<WorktreeEntry>>;

    /// The files that git knows below a folder, as paths from it.
    ///
    /// # Errors
    /// [`GitError`](super::GitError) when it is in no repository.
    fn tracked(&self, folder: &Path, stop: Stop<'_>) -> GitResult<Vec<String>>;

    /// The last commits, newest first, as `ID - SUBJECT` with the short id; none before the first one.
    ///
    /// # Errors
    /// [`GitError`](super::GitError) when it is in no repository.
    fn recent(&self, folder: &Path, most: usize, stop: Stop<'_>) -> GitResult<Vec<String>>;

    /// Where a branch of this name is.
    ///
    /// # Errors
    /// [`GitError::BadBranch`] when no branch can have this name.
    fn branch(&self, folder: &Path, name: &str, stop: Stop<'_>) -> GitResult<BranchFacts>;

    /// The commit that a name means: a branch, a tag, an abbreviated id.
    ///
    /// # Errors
    /// [`GitError::NoCommit`] when it means none.
    fn commit(&self, folder: &Path, name: &str, stop: Stop<'_>) -> GitResult<CommitFacts>;

    /// The branch that others begin at, by git's own knowledge: that of `origin/HEAD`, else the main worktree's.
    ///
    /// # Errors
    /// [`GitError::NoCommitYet`] when there is none.
    fn default_branch(&self, folder: &Path, stop: Stop<'_>) -> GitResult<String>;

    /// What a file holds in a commit; none where it has no such file.
    ///
    /// # Errors
    /// [`GitError::TooLarge`](super::GitError::TooLarge), and others when git can't be asked.
    fn file(
        &self,
        folder: &Path,
        commit: &str,
        path: &str,
        most: usize,
        stop: Stop<'_>,
    ) -> GitResult<Option<Blob>>;

    /// The files of a worktree that git ignores and that fit the patterns of a file, from its top; each a path, never a folder.
    ///
    /// # Errors
    /// [`GitError`](super::GitError), also when there are too many to list.
    fn ignored_that_fit(&self, top: &Path, patterns: &Path, stop: Stop<'_>) -> GitResult<Vec<PathBuf>>;

    /// What git knows of a worktree that is to be removed. `common` is the folder that all worktrees share.
    ///
    /// # Errors
    /// [`GitError`](super::GitError).
    fn removal(&self, common: &Path, path: &Path, stop: Stop<'_>) -> GitResult<RemovalFacts>;

    /// The commits that only this worktree leads to: what its own record of commits holds, and its own refs, as far as no
    /// branch, tag or remote branch has them; with `branch` also what the record of that branch holds. The one that is checked
    /// out comes first, whoever has it.
    ///
    /// # Errors
    /// [`GitError`](super::GitError).
    fn own_commits(&self, path: &Path, branch: Option<&str>, stop: Stop<'_>) -> GitResult<Vec<String>>;

    /// The same of a worktree whose folder is gone, by git's entry of it.
    ///
    /// # Errors
    /// [`GitError`](super::GitError), also where submodules are kept with it.
    fn entry_commits(&self, common: &Path, path: &Path, stop: Stop<'_>) -> GitResult<Vec<String>>;

    /// What is under way in a worktree, by git's words.
    ///
    /// # Errors
    /// [`GitError`](super::GitError).
    fn under_way(&self, path: &Path, stop: Stop<'_>) -> GitResult<Vec<&'static str>>;

    /// The worktree that uses a branch: has it checked out, rebases it, or bisects it.
    ///
    /// # Errors
    /// [`GitError`](super::GitError).
    fn user_of(&self, common: &Path, branch: &str, stop: Stop<'_>) -> GitResult<Option<PathBuf>>;

    /// The files that a branch adds and that a worktree has without git knowing them: a merge there would overwrite ignored
    /// ones.
    ///
    /// # Errors
    /// [`GitError`](super::GitError).
    fn in_the_way(&self, worktree: &Path, branch: &str, stop: Stop<'_>) -> GitResult<Vec<PathBuf>>;

    /// How many commits a branch has that another one lacks.
    ///
    /// # Errors
    /// [`GitError`](super::GitError).
    fn missing_in(&self, common: &Path, branch: &str, other: &str, stop: Stop<'_>) -> GitResult<u32>;

    /// Whether merging a branch into another one would change nothing there.
    ///
    /// # Errors
    /// [`GitError`](super::GitError).
    fn adds_nothing(&self, common: &Path, branch: &str, other: &str, stop: Stop<'_>) -> GitResult<bool>;

    /// The refs below `refs/deck/kept`.
    ///
    /// # Errors
    /// [`GitError`](super::GitError).
    fn kept(&self, common: &Path, stop: Stop<'_>) -> GitResult<Vec<KeptRef>>;

    /// The remote that a branch is pushed to, with its address; none if there is none, or several and none is set.
    ///
    /// # Errors
    /// [`GitError`](super::GitError).
    fn remote_of(&self, common: &Path, branch: &str, stop: Stop<'_>) -> GitResult<Option<(String, String)>>;

    /// When anything was last fetched; none if that is unknown. It starts no program.
    fn fetched_at(&self, common_dir: &Path) -> Option<Timestamp>;
}
