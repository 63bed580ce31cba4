//! A git in memory.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::domain::diff::{Against, Diff};
use crate::domain::worktree::{Checkout, WorktreeEntry, WorktreeState};
use crate::ports::git::{
    Blob, BranchFacts, CommitFacts, GitError, GitRead, GitResult, GitWrite, KeptRef, Lines, Merge,
    RemovalFacts, RepositoryFacts, Stop,
};
use jiff::Timestamp;

/// What folders hold; there is no repository anywhere else.
#[derive(Debug, Default)]
pub struct FakeGit {
    pub diffs: Mutex<BTreeMap<PathBuf, Diff>>,
    /// The worktrees of the one repository, the main one first.
    pub worktrees: Mutex<Vec<WorktreeEntry>>,
    /// Its branches.
    pub branches: Mutex<Vec<String>>,
    /// What its commits hold.
    pub files: Mutex<BTreeMap<String, Vec<u8>>>,
}

/// The folder that its worktrees share.
pub const COMMON: &str = "/repository";
/// The commit that all branches are at.
pub const COMMIT: &str = "3f2c1aa000000000000000000000000000000000";

impl FakeGit {
    /// A repository with the branch `main`, checked out at `main`.
    pub fn at(main: &str) -> Self {
        let entry = WorktreeEntry {
            path: main.into(),
            head: Some(COMMIT.into()),
            branch: Some("main".into()),
            ..WorktreeEntry::default()
        };
        Self { worktrees: vec![entry].into(), branches: vec!["main".to_owned()].into(), ..Self::default() }
    }

    fn worktree_of(&self, folder: &Path) -> Option<PathBuf> {
        let all = self.worktrees.lock().unwrap();
        all.iter()
            .map(|w| w.path.clone())
            .filter(|path| folder.starts_with(path))
            .max_by_key(|p| p.as_os_str().len())
    }
}

impl GitRead for FakeGit {
    fn state(&self, folder: &Path, stop: Stop<'_>) -> GitResult<WorktreeState> {
        self.diff(folder, &Against::Head, &Lines::None, stop).map(|diff| diff.state)
    }

    fn diff(&self, folder: &Path, _: &Against, _: &Lines, stop: Stop<'_>) -> GitResult<Diff> {
        if stop() {
            return Err(GitError::Stopped);
        }
        let diff = self.diffs.lock().unwrap().get(folder).cloned();
        diff.ok_or_else(|| GitError::NoRepository(folder.to_owned()))
    }

    fn ahead_behind(&self, folder: &Path, stop: Stop<'_>) -> GitResult<Option<(u32, u32)>> {
        Ok(self.state(folder, stop)?.upstream.and_then(|u| u.ahead_behind))
    }

    fn common_folder(&self, folder: &Path) -> Option<PathBuf> {
        let is_known = self.diffs.lock().unwrap().contains_key(folder);
        (is_known || self.worktree_of(folder).is_some()).then(|| COMMON.into())
    }

    fn stamp(&self, folder: &Path) -> Option<u64> {
        self.diffs.lock().unwrap().get(folder).map(|_| 1)
    }

    fn repository(&self, folder: &Path, _: Stop<'_>) -> GitResult<RepositoryFacts> {
        let top = self.worktree_of(folder).ok_or_else(|| GitError::NoRepository(folder.to_owned()))?;
        Ok(RepositoryFacts { common_dir: COMMON.into(), top: Some(top) })
    }

    fn worktrees(&self, _: &Path, _: Stop<'_>) -> GitResult<Vec<WorktreeEntry>> {
        Ok(self.worktrees.lock().unwrap().clone())
    }

    fn tracked(&self, _: &Path, _: Stop<'_>) -> GitResult<Vec<String>> {
        Ok(Vec::new())
    }

    fn recent(&self, _: &Path, _: usize, _: Stop<'_>) -> GitResult<Vec<String>> {
        Ok(Vec::new())
    }

    fn branch(&self, _: &Path, name: &str, _: Stop<'_>) -> GitResult<BranchFacts> {
        if name.contains("..") || name.starts_with('-') {
            return Err(GitError::BadBranch(name.to_owned()));
        }
        let is_local = self.branches.lock().unwrap().iter().any(|branch| branch == name);
        Ok(BranchFacts { is_local, remotes: Vec::new() })
    }

    fn commit(&self, _: &Path, name: &str, _: Stop<'_>) -> GitResult<CommitFacts> {
        let known = name == COMMIT || self.branches.lock().unwrap().iter().any(|branch| branch == name);
        if !known {
            return Err(GitError::NoCommit(name.to_owned()));
        }
        Ok(CommitFacts { id: COMMIT.into(), at: Timestamp::UNIX_EPOCH, subject: "first".into() })
    }

    fn default_branch(&self, _: &Path, _: Stop<'_>) -> GitResult<String> {
        Ok("main".to_owned())
    }

    fn file(&self, _: &Path, _: &str, path: &str, _: usize, _: Stop<'_>) -> GitResult<Option<Blob>> {
        Ok(self.files.lock().unwrap().get(path).map(|bytes| Blob { bytes: bytes.clone(), is_link: false }))
    }

    fn ignored_that_fit(&self, _: &Path, _: &Path, _: Stop<'_>) -> GitResult<Vec<PathBuf>> {
        Ok(Vec::new())
    }

    fn removal(&self, _: &Path, _: &Path, _: Stop<'_>) -> GitResult<RemovalFacts> {
        Ok(RemovalFacts::default())
    }

    fn own_commits(&self, _: &Path, _: Option<&str>, _: Stop<'_>) -> GitResult<Vec<String>> {
        Ok(vec![COMMIT.to_owned()])
    }

    fn entry_commits(&self, _: &Path, _: &Path, _: Stop<'_>) -> GitResult<Vec<String>> {
        Ok(vec![COMMIT.to_owned()])
    }

    fn under_way(&self, _: &Path, _: Stop<'_>) -> GitResult<Vec<&'static str>> {
        Ok(Vec::new())
    }

    fn user_of(&self, _: &Path, _: &str, _: Stop<'_>) -> GitResult<Option<PathBuf>> {
        Ok(None)
    }

    fn in_the_way(&self, _: &Path, _: &str, _: Stop<'_>) -> GitResult<Vec<PathBuf>> {
        Ok(Vec::new())
    }

    fn missing_in(&self, _: &Path, _: &str, _: &str, _: Stop<'_>) -> GitResult<u32> {
        Ok(0)
    }

    fn adds_nothing(&self, _: &Path, _: &str, _: &str, _: Stop<'_>) -> GitResult<bool> {
        Ok(true)
    }

    fn kept(&self, _: &Path, _: Stop<'_>) -> GitResult<Vec<KeptRef>> {
        Ok(Vec::new())
    }

    fn remote_of(&self, _: &Path, _: &str, _: Stop<'_>) -> GitResult<Option<(String, String)>> {
        Ok(None)
    }

    fn fetched_at(&self, _: &Path) -> Option<Timestamp> {
        None
    }
}

impl GitWrite for FakeGit {
    fn complete_worktree(&self, _: &Path, _: Option<&File>, _: Stop<'_>) -> GitResult<()> {
        Ok(())
    }

    fn forget_worktree(&self, _: &Path, path: &Path, _: Stop<'_>) -> GitResult<()> {
        self.worktrees.lock().unwrap().retain(|w| w.path != path);
        Ok(())
    }

    fn fetch(&self, _: &Path, _: Stop<'_>) -> GitResult<()> {
        Ok(())
    }

    fn remove_worktree(
        &self,
        _: &Path,
        path: &Path,
        _: bool,
        _: Option<&File>,
        _: Stop<'_>,
    ) -> GitResult<()> {
        self.worktrees.lock().unwrap().retain(|w| w.path != path);
        Ok(())
    }

    fn keep(&self, _: &Path, _: &[KeptRef], _: Stop<'_>) -> GitResult<()> {
        Ok(())
    }

    fn delete_ref(&self, _: &Path, name: &str, _: &str, _: Stop<'_>) -> GitResult<()> {
        self.branches.lock().unwrap().retain(|branch| format!("refs/heads/{branch}") != name);
        Ok(())
    }

    fn merge(&self, _: &Path, _: &Merge, _: Option<&File>, _: Stop<'_>) -> GitResult<()> {
        Ok(())
    }

    fn rebase(&self, _: &Path, _: &str, _: Option<&File>, _: Stop<'_>) -> GitResult<()> {
        Ok(())
    }

    fn fast_forward(&self, _: &Path, _: &str, _: &str, _: Stop<'_>) -> GitResult<()> {
        Ok(())
    }

    fn push(&self, _: &Path, _: &str, _: &str, _: Stop<'_>) -> GitResult<()> {
        Ok(())
    }

    fn add_worktree(
        &self,
        _: &Path,
        path: &Path,
        checkout: &Checkout,
        _: Option<&File>,
        _: Stop<'_>,
    ) -> GitResult<()> {
        let branch = checkout.branch().map(str::to_owned);
        self.branches.lock().unwrap().extend(branch.clone());
        let entry = WorktreeEntry {
            path: path.to_owned(),
            head: Some(COMMIT.into()),
            branch,
            ..WorktreeEntry::default()
        };
        self.worktrees.lock().unwrap().push(entry);
        Ok(())
    }

    fn lock_worktree(&self, _: &Path, path: &Path, reason: &str, _: Stop<'_>) -> GitResult<()> {
        let mut all = self.worktrees.lock().unwrap();
        all.iter_mut().filter(|w| w.path == path).for_each(|w| w.locked = Some(reason.to_owned()));
        Ok(())
    }

    fn unlock_worktree(&self, _: &Path, path: &Path, _: Stop<'_>) -> GitResult<()> {
        let mut all = self.worktrees.lock().unwrap();
        all.iter_mut().filter(|w| w.path == path).for_each(|w| w.locked = None);
        Ok(())
    }
}
