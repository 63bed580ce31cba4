//! What a removal has done so far, on disk: a run that was killed is continued by the next one.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::FinishWish;
use crate::domain::id::SessionId;
use crate::domain::repository::Repository;
use crate::ops::worktree::PlaceError;
use crate::ops::{Cx, OpResult};

/// One step of a removal, in the order in which they are done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    Begun,
    TornDown,
    Merged,
    Pushed,
    Stopped,
    /// Its commits are kept: from here on it is removed, whatever becomes of this deck.
    Kept,
    Removed,
    BranchDeleted,
}

impl Step {
    /// Its name for tests that kill deck there.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Begun => "finish-begun",
            Self::TornDown => "finish-torn-down",
            Self::Merged => "finish-merged",
            Self::Pushed => "finish-pushed",
            Self::Stopped => "finish-stopped",
            Self::Kept => "finish-kept",
            Self::Removed => "finish-removed",
            Self::BranchDeleted => "finish-branch",
        }
    }
}

/// A removal that is under way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Journal {
    pub path: PathBuf,
    pub repository: Repository,
    #[serde(default)]
    pub branch: Option<String>,
    /// The commit that it had when it was begun.
    pub head: String,
    /// The branch that this one ends in.
    #[serde(default)]
    pub base: Option<String>,
    /// What its kept refs are named after: a UUIDv7, so that their age is known.
    pub id: String,
    pub wish: FinishWish,
    pub sessions: Vec<SessionId>,
    pub done: Step,
}

impl Journal {
    /// Whether a step is done.
    pub fn has(&self, step: Step) -> bool {
        self.done >= step
    }

    /// Notes that a step is done.
    pub fn note(&mut self, cx: &Cx, step: Step) -> OpResult<()> {
        self.done = self.done.max(step);
        self.write(cx)?;
        cx.host.reached(step.name());
        Ok(())
    }

    pub fn write(&self, cx: &Cx) -> OpResult<()> {
        let file = file_of(cx, &self.path);
        let text = serde_json::to_string(self).unwrap_or_default();
        let failed =
            |error: std::io::Error| PlaceError::NotCopied { path: file.clone(), why: error.to_string() };
        Ok(cx.host.put(&file, &text).map_err(failed)?)
    }

    /// The removal of the worktree at a path that is under way.
    pub fn read(cx: &Cx, path: &Path) -> Option<Self> {
        serde_json::from_str(&cx.host.read(&file_of(cx, path)).ok()?).ok()
    }

    /// All removals that are under way.
    pub fn all(cx: &Cx) -> Vec<Self> {
        let pattern = cx.installation.state.join("worktrees/removal-*.json");
        let files = cx.host.all_files(&pattern.to_string_lossy());
        files.iter().filter_map(|file| serde_json::from_str(&cx.host.read(file).ok()?).ok()).collect()
    }

    /// It is over.
    pub fn end(&self, cx: &Cx) {
        let file = file_of(cx, &self.path);
        if let Err(error) = cx.host.remove_own(&file) {
            tracing::warn!(%error, file = %file.display(), "can't remove the record of a removal");
        }
    }
}

fn file_of(cx: &Cx, path: &Path) -> PathBuf {
    let digest = Sha256::digest(path.as_os_str().as_encoded_bytes());
    let name: String = digest.iter().take(8).map(|b| format!("{b:02x}")).collect();
    cx.installation.state.join("worktrees").join(format!("removal-{name}.json"))
}
