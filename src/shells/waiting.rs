//! Waiting for a job's end: in the kernel, on a lock that its supervisor holds until then. Nothing polls while it runs.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use super::folder::JobFolder;
use super::liveness;
use crate::domain::shell::JobStatus;
use crate::ports::shells::Until;
use crate::ports::{Clock, ShellsError};
use crate::sys::clock::SystemClock;
use crate::sys::files;

/// Between two looks at a supervisor that has just begun.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// Waits until a job has ended. Returns whether it has.
pub fn wait(folder: &JobFolder, until: Until, limit: Option<Duration>) -> Result<bool, ShellsError> {
    let begun = Instant::now();
    let left = || limit.map(|l| l.saturating_sub(begun.elapsed()));
    loop {
        if has_ended(folder, until)? {
            return Ok(true);
        }
        let path = match until {
            Until::Leader => folder.leader(),
            Until::All => folder.code(),
        };
        let io = |source| ShellsError::Io { action: "lock", path: path.clone(), source };
        match files::open(&path) {
            Ok(file) => {
                if !shared(file, left()).map_err(io)? {
                    return has_ended(folder, until);
                }
                if has_ended(folder, until)? {
                    return Ok(true);
                }
            }
            Err(e) if e.kind() == ErrorKind::NotFound => {}
            Err(e) => return Err(io(e)),
        }
        // Its supervisor has not taken the lock yet, or is about to end.
        if left().is_some_and(|l| l.is_zero()) {
            return Ok(false);
        }
        SystemClock.pause(POLL_INTERVAL);
    }
}

fn has_ended(folder: &JobFolder, until: Until) -> Result<bool, ShellsError> {
    let Some(job) = liveness::read(folder)? else { return Ok(true) };
    Ok(job.status.is_final() || (until == Until::Leader && job.status == JobStatus::Draining))
}

/// Takes a shared lock, and gives it back. Returns whether that was possible in time.
fn shared(file: File, limit: Option<Duration>) -> io::Result<bool> {
    let take = move || loop {
        match file.lock_shared() {
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            other => return other,
        }
    };
    let Some(limit) = limit else { return take().map(|()| true) };
    let (sender, receiver) = channel();
    std::thread::Builder::new().name("wait".to_owned()).spawn(move || {
        // Nobody may wait any more.
        let _ = sender.send(take());
    })?;
    match receiver.recv_timeout(limit) {
        Ok(result) => result.map(|()| true),
        Err(RecvTimeoutError::Timeout) => Ok(false),
        Err(RecvTimeoutError::Disconnected) => Err(io::Error::other("the thread that waits for it ended")),
    }
}
