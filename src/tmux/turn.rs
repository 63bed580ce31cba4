//! One deck at a time tells the server of what it tells all its control clients.
//!
//! tmux up to 3.3a crashes, and takes every session along, when it has something to announce
//! (a session that came or went, a client that left) while another control client is halfway through
//! connecting: the announcement is written to a client that has no output yet. Seen with forty
//! clients at once: the server died in nine runs of ten. So connecting, making, ending and leaving
//! take turns, across all processes of one home. The kernel gives the turn back when its holder dies.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::ports::MuxError;
use crate::sys::lock;

/// How long a turn is waited for.
const PATIENCE: Duration = Duration::from_secs(30);

/// Where turns are taken.
#[derive(Debug, Clone)]
pub(super) struct Turns(PathBuf);

/// A turn; over when it is dropped.
#[derive(Debug)]
pub(super) struct Turn(#[expect(dead_code, reason = "the lock lasts as long as the file is open")] File);

impl Turns {
    /// The turns on one socket, by a lock in `folder`.
    pub fn new(folder: &Path, socket: &str) -> Self {
        Self(folder.join(format!("{socket}.turn")))
    }

    /// Waits for a turn.
    pub fn take(&self) -> Result<Turn, MuxError> {
        if let Some(folder) = self.0.parent() {
            crate::sys::files::make_dir(folder).map_err(MuxError::Start)?;
        }
        let mut options = OpenOptions::new();
        let file = options.write(true).create(true).truncate(false).mode(0o600).open(&self.0);
        let file = file.map_err(MuxError::Start)?;
        // A deck that was suspended in its turn holds up the others, but not for ever.
        let locked = lock::exclusive(file, PATIENCE).map_err(MuxError::Start)?;
        locked.map(Turn).ok_or(MuxError::TimedOut(PATIENCE.as_secs()))
    }
}
