//! The file in which the messages of a profile's agents are counted, and who waits for whom. It is changed under a lock: two
//! agents may send at the same time.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::domain::guard::Talk;
use crate::domain::id::SessionId;
use crate::domain::session::StartedProcess;
use crate::ops::{Cx, OpError, OpResult};

/// How long another process that changes the file is waited for.
const LIMIT: Duration = Duration::from_secs(10);
/// After how long without a message a tree is forgotten.
const FORGOTTEN: SignedDuration = SignedDuration::from_hours(24 * 7);

/// One agent that waits for others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wait {
    pub who: SessionId,
    pub on: Vec<SessionId>,
    /// The process that waits: when it is gone, so is this.
    pub process: StartedProcess,
    /// What tells two waits of one process apart.
    pub number: u64,
}

/// What the file holds.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TalkFile {
    /// Each tree by its top.
    #[serde(default)]
    pub trees: BTreeMap<SessionId, Talk>,
    #[serde(default)]
    pub waits: Vec<Wait>,
}

impl TalkFile {
    /// The messages of one tree.
    pub fn tree(&mut self, root: &SessionId) -> &mut Talk {
        self.trees.entry(root.clone()).or_default()
    }

    fn forget(&mut self, now: Timestamp) {
        self.trees.retain(|_, talk| {
            let last = talk.said.last().map(|said| said.at).max(talk.since).max(talk.acted_at);
            last.is_some_and(|at| now.duration_since(at) < FORGOTTEN)
        });
    }
}

fn path(cx: &Cx) -> PathBuf {
    cx.installation.files.join(format!("messages-{}.json", cx.profile.name))
}

/// What is in the file; nothing where there is none. One that can't be read counts as none: a budget that begins again is
/// better than agents that can never talk.
pub fn read(cx: &Cx) -> TalkFile {
    cx.host.read(&path(cx)).ok().and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}

/// Changes the file.
///
/// # Errors
/// [`OpError::TalkFile`]; nothing is changed then.
pub fn change<T>(cx: &Cx, change: impl FnOnce(&mut TalkFile) -> T) -> OpResult<T> {
    let path = path(cx);
    let failed = |source| OpError::TalkFile { file: path.clone(), source };
    let lock = path.with_extension("lock");
    let held = cx.host.hold(&lock, LIMIT, &cx.cancel).map_err(failed)?;
    if held.is_none() {
        cx.check_cancelled()?;
    }
    let held = held.ok_or_else(|| failed(std::io::ErrorKind::TimedOut.into()))?;
    let before = read(cx);
    let mut file = before.clone();
    let result = change(&mut file);
    file.forget(cx.clock.now());
    let text = serde_json::to_string(&file).unwrap_or_default();
    let written = if file == before { Ok(()) } else { cx.host.put(&path, &text) };
    cx.host.release(&lock, held);
    written.map_err(failed)?;
    Ok(result)
}
