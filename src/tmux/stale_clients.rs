//! Clients whose deck was killed together with the process that disconnects them (`guard.rs`).
//!
//! Such a client normally ends when its pipe closes. One that the server was writing to never does
//! (seen on 3.3a): its output can't be drained any more, it stays attached for good, and `kill-server`
//! waits for it. So each deck notes its client in a file that it keeps locked for as long as it lives;
//! the next one to connect ends the clients whose note is unlocked. It does so under the server's lock: no
//! client is halfway connected then, which tmux would not survive. The process's start time is in the
//! note: a process id that was given to another is left alone.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::ports::Clock;
use crate::sys::clock::SystemClock;
use crate::sys::{files, process};

/// The most that is read of a note, in bytes.
const MAX_BYTES: u64 = 1024;

/// The note of one living client. The file stays: who sees the client out removes it.
#[derive(Debug)]
pub(super) struct Note {
    pub path: PathBuf,
    locked: File,
}

impl Note {
    /// A note of a client that is yet to be started.
    pub fn new(folder: &Path) -> io::Result<Self> {
        let path = folder.join(format!("{}.client", SystemClock.new_conversation_id()));
        let mut options = OpenOptions::new();
        let locked = options.write(true).create_new(true).mode(0o600).open(&path)?;
        locked.try_lock()?;
        Ok(Self { path, locked })
    }

    /// Notes which process the client is. One that can't be noted is only not ended by others.
    pub fn set(&mut self, pid: u32) {
        let start = i32::try_from(pid).ok().and_then(process::stat).map(|s| s.start);
        if let Some(start) = start {
            let _ = self.locked.write_all(format!("{pid} {start}").as_bytes());
        }
    }
}

impl Note {
    /// Notes which process waits for this deck to be woken (`wake.rs`). One that can't be noted ends by itself, but
    /// late.
    pub fn set_waiting(&self, pid: u32) {
        let start = i32::try_from(pid).ok().and_then(process::stat).map(|s| s.start);
        if let Some(start) = start {
            let noted = files::replace(&waiting(&self.path), format!("{pid} {start}").as_bytes(), || Ok(()));
            if let Err(error) = noted {
                tracing::debug!(%error, "can't note a client that waits");
            }
        }
    }
}

/// Where it is noted who waits for the deck of a client.
fn waiting(note: &Path) -> PathBuf {
    note.with_extension("waiting")
}

/// Ends the process that waits for a deck that is gone. It is no control client: that is announced to nobody.
pub(super) fn end_waiting(note: &Path) {
    let path = waiting(note);
    let text = files::read_text(&path, MAX_BYTES).unwrap_or_default();
    if let Some(pid) = running(&text) {
        // One that is gone by now is what was wanted.
        let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
    }
    // There is none if nobody waited.
    let _ = std::fs::remove_file(path);
}

/// The process that a note names, if it still is that one.
fn running(text: &str) -> Option<i32> {
    let (pid, start) = text.split_once(' ')?;
    let pid = pid.parse::<i32>().ok().filter(|pid| *pid > 1)?;
    process::stat(pid).is_some_and(|s| s.start.to_string() == start).then_some(pid)
}

/// Ends the clients in `folder` whose deck is gone, and nobody sees out. Needs the server's lock.
pub(super) fn end(folder: &Path) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for path in entries.map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "client")) {
        let Ok(mut file) = OpenOptions::new().read(true).write(true).open(&path) else { continue };
        // A lock that is held says that its deck lives, or who sees the client out.
        if file.try_lock().is_err() {
            continue;
        }
        let mut text = String::new();
        // What can't be read names nobody.
        let _ = file.read_to_string(&mut text);
        end_waiting(&path);
        if let Some(pid) = running(&text) {
            tracing::info!(pid, "ended a client whose deck was killed");
            // One that is gone by now is what was wanted.
            let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
        }
        let _ = std::fs::remove_file(&path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_living_decks_client_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let own = std::process::id();
        let mut note = Note::new(dir.path()).unwrap();
        note.set(own);
        end(dir.path());
        assert!(note.path.exists(), "its lock is held");
        drop(note);
        // An unlocked note whose start time is another's: the process is not touched.
        let path = dir.path().join("a.client");
        crate::sys::files::create_new(&path, format!("{own} 1").as_bytes(), 0o600).unwrap();
        // The first one's is this process's own.
        for entry in std::fs::read_dir(dir.path()).unwrap().flatten().filter(|e| e.path() != path) {
            std::fs::remove_file(entry.path()).unwrap();
        }
        end(dir.path());
        assert!(!path.exists());
    }

    #[test]
    fn the_client_of_a_killed_deck_is_ended() {
        let dir = tempfile::tempdir().unwrap();
        let mut child = crate::sys::spawn::command("sleep").arg("1000").spawn().unwrap();
        let mut note = Note::new(dir.path()).unwrap();
        note.set(child.id());
        // What a kill leaves behind: the note, unlocked. Not at once: a process that another test starts
        // has a copy of the locked file until it begins.
        let path = note.path.clone();
        drop(note);
        let limit = std::time::Duration::from_secs(30);
        let unlocked =
            crate::sys::lock::exclusive(File::open(&path).unwrap(), limit, &crate::ports::Cancel::default())
                .unwrap();
        drop(unlocked.expect("nobody holds it"));
        let begun = std::time::Instant::now();
        while path.exists() && begun.elapsed() < limit {
            end(dir.path());
            std::thread::yield_now();
        }
        use std::os::unix::process::ExitStatusExt;
        assert_eq!(child.wait().unwrap().signal(), Some(9));
    }
}
