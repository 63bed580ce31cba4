//! A git in memory.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::domain::diff::{Against, Diff};
use crate::domain::worktree::WorktreeState;
use crate::ports::Git;
use crate::ports::git::{GitError, GitResult, Lines, Stop};

/// What folders hold; there is no repository anywhere else.
#[derive(Debug, Default)]
pub struct FakeGit {
    pub diffs: Mutex<BTreeMap<PathBuf, Diff>>,
}

impl Git for FakeGit {
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
        self.diffs.lock().unwrap().contains_key(folder).then(|| "/repository".into())
    }

    fn stamp(&self, folder: &Path) -> Option<u64> {
        self.diffs.lock().unwrap().get(folder).map(|_| 1)
    }
}
