//! One deck at a time tells the server of what it tells all its control clients.
//!
//! tmux up to 3.3a crashes, and takes every session along, when it has something to announce
//! (a session that came or went, a client that left) while another control client is halfway through
//! connecting: the announcement is written to a client that has no output yet. Seen with forty
//! clients at once: the server died in nine runs of ten. So connecting, making, ending and leaving
//! take turns, across all processes of one home. The kernel gives the turn back when its holder dies.

use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::ports::{Clock, MuxError};
use crate::sys::clock::SystemClock;

/// How long a turn is waited for.
const PATIENCE: Duration = Duration::from_secs(30);
/// How often to look whether it is free.
const LOOK: Duration = Duration::from_millis(2);

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
        let begun = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Turn(file)),
                // A deck that was suspended in its turn holds up the others, but not for ever.
                Err(TryLockError::WouldBlock) if begun.elapsed() > PATIENCE => {
                    return Err(MuxError::TimedOut(PATIENCE.as_secs()));
                }
                Err(TryLockError::WouldBlock) => SystemClock.pause(LOOK),
                Err(TryLockError::Error(error)) => return Err(MuxError::Start(error)),
            }
        }
    }
}
