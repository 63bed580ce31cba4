//! The lock on a tmux server, across all processes of one home.
//!
//! tmux up to 3.3a crashes, and takes every session along, when it announces something (a session that
//! came or went, a client that left) while a control client is halfway through connecting: the
//! announcement is written to a client whose output does not exist yet. So everything that announces
//! something, and connecting itself, happens under this lock.
//!
//! Invariant: the lock outlives the process that took it for as long as what it started is under way.
//! The tmux client that does the work has the lock's file as its stderr. A `flock` belongs to the open
//! file, not to the process, so a deck that is killed halfway leaves the lock to its client, and the
//! kernel gives it back when that client is gone.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::ports::mux::ServerId;
use crate::ports::{Cancel, MuxError, NotTaken};
use crate::sys::lock;

/// How much of a client's complaint is read, in bytes.
const MAX_BYTES: u64 = 16 * 1024;

/// Where the lock on one server is.
#[derive(Debug, Clone)]
pub(super) struct ServerLock {
    path: PathBuf,
    cancel: Cancel,
}

/// The lock while it is held; given back when it is dropped.
#[derive(Debug)]
pub(super) struct Held {
    file: File,
    handed_over: bool,
}

impl ServerLock {
    /// The lock on a server, a file in `folder`. Once `cancel` says so it is no longer waited for.
    pub fn new(folder: &Path, server: &ServerId, cancel: Cancel) -> Self {
        Self { path: folder.join(format!("{server}.turn")), cancel }
    }

    /// Waits for the lock.
    pub fn take(&self) -> Result<Held, MuxError> {
        if let Some(folder) = self.path.parent() {
            crate::sys::files::make_dir(folder).map_err(MuxError::Start)?;
        }
        let file = lock::file(&self.path).map_err(MuxError::Start)?;
        // A process that is stopped while it has the lock delays the others, but not for long.
        let locked = lock::exclusive(file, lock::PATIENCE, &self.cancel).map_err(MuxError::Start)?;
        let file = locked.map_err(|why| match why {
            NotTaken::Busy(busy) => MuxError::Busy(busy),
            NotTaken::Cancelled => MuxError::Cancelled,
        })?;
        file.set_len(0).map_err(MuxError::Start)?;
        Ok(Held { file, handed_over: false })
    }
}

impl Held {
    /// The stderr of a client that works under this lock: it keeps the lock if this process ends first.
    pub fn stderr(&self) -> Result<Stdio, MuxError> {
        self.file.try_clone().map(Stdio::from).map_err(MuxError::Start)
    }

    /// What the clients under this lock complained about.
    pub fn words(&self) -> String {
        let mut bytes = Vec::new();
        let mut file = &self.file;
        // What can't be read can't be shown either.
        let _ = file.seek(SeekFrom::Start(0)).and_then(|_| file.take(MAX_BYTES).read_to_end(&mut bytes));
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Leaves the lock to the processes that have it as their stderr: it ends with the last of them.
    pub fn hand_over(mut self) {
        self.handed_over = true;
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if !self.handed_over {
            // Explicitly: clients that live on have the same open file. A failure leaves the lock to them.
            let _ = self.file.unlock();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::spawn;

    #[test]
    fn a_client_keeps_the_lock_that_was_handed_over_for_as_long_as_it_lives() {
        let dir = tempfile::tempdir().unwrap();
        let lock = ServerLock::new(dir.path(), &"s".into(), Cancel::default());
        let held = lock.take().unwrap();
        let mut command = spawn::command("sh");
        command.args(["-c", "read line"]).stdin(Stdio::piped()).stderr(held.stderr().unwrap());
        let mut client = command.spawn().unwrap();
        drop(command);
        held.hand_over();
        let other = File::open(dir.path().join("s.turn")).unwrap();
        assert!(other.try_lock().is_err(), "it is the client's now");
        drop(client.stdin.take());
        client.wait().unwrap();
        // Waited for: a process that another test starts has a copy of the file until it begins.
        assert!(lock::exclusive(other, lock::PATIENCE, &Cancel::default()).unwrap().is_ok());
    }

    #[test]
    fn the_lock_is_given_back_though_a_client_lives_on() {
        let dir = tempfile::tempdir().unwrap();
        let lock = ServerLock::new(dir.path(), &"s".into(), Cancel::default());
        let held = lock.take().unwrap();
        let mut client = spawn::command("sh");
        client.args(["-c", "echo no >&2; echo; read line"]);
        client.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(held.stderr().unwrap());
        let mut client = client.spawn().unwrap();
        let mut byte = [0];
        client.stdout.take().unwrap().read_exact(&mut byte).unwrap();
        assert_eq!(held.words(), "no\n");
        drop(held);
        let held = lock.take().unwrap();
        assert_eq!(held.words(), "", "the next one starts without the last one's words");
        drop(client.stdin.take());
        client.wait().unwrap();
    }
}
