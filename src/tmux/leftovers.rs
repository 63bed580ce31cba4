//! Clients whose deck was killed.
//!
//! A control client normally ends when its pipe closes. One whose deck was killed while the server
//! was writing to it never does (seen on 3.3a): its output can't be drained any more, it stays
//! attached for good, and `kill-server` waits for it. So each deck notes its client in a file that it
//! keeps locked for as long as it lives; the next one to connect ends the clients whose note is
//! unlocked. The process's start time is in the note: a process id that was given to another is left alone.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::sys::process;

/// The note of one living client; gone when it is dropped.
#[derive(Debug)]
pub(super) struct Note {
    path: PathBuf,
    _locked: File,
}

impl Note {
    /// Notes that this process has the client `pid`. Without a note the client works all the same.
    pub fn write(folder: &Path, pid: u32) -> Option<Self> {
        let pid = i32::try_from(pid).ok()?;
        let start = process::stat(pid)?.start;
        let path = folder.join(format!("{pid}.client"));
        let mut options = OpenOptions::new();
        let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(&path).ok()?;
        file.try_lock().ok()?;
        file.write_all(start.to_string().as_bytes()).ok()?;
        Some(Self { path, _locked: file })
    }
}

impl Drop for Note {
    fn drop(&mut self) {
        // A note that stays is unlocked, and names a process that is gone.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Ends the clients in `folder` whose deck is gone.
pub(super) fn end(folder: &Path) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for path in entries.map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "client")) {
        let pid = path.file_stem().and_then(|s| s.to_str()).and_then(|s| s.parse::<i32>().ok());
        let Ok(mut file) = OpenOptions::new().read(true).write(true).open(&path) else { continue };
        // A lock that is held says that its deck lives.
        if file.try_lock().is_err() {
            continue;
        }
        let mut start = String::new();
        let known = file.read_to_string(&mut start).is_ok();
        if let Some(pid) = pid.filter(|p| *p > 1 && known)
            && process::stat(pid).is_some_and(|s| s.start.to_string() == start)
        {
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
        let note = Note::write(dir.path(), own).unwrap();
        end(dir.path());
        assert!(note.path.exists(), "its lock is held");
        drop(note);
        // An unlocked note whose start time is another's: the process is not touched.
        let path = dir.path().join(format!("{own}.client"));
        crate::sys::files::create_new(&path, b"1", 0o600).unwrap();
        end(dir.path());
        assert!(!path.exists());
    }

    #[test]
    fn the_client_of_a_killed_deck_is_ended() {
        let dir = tempfile::tempdir().unwrap();
        let mut child = crate::sys::spawn::command("sleep").arg("1000").spawn().unwrap();
        let note = Note::write(dir.path(), child.id()).unwrap();
        // What a kill leaves behind: the note, unlocked.
        let (path, text) = (note.path.clone(), std::fs::read(&note.path).unwrap());
        drop(note);
        crate::sys::files::create_new(&path, &text, 0o600).unwrap();
        end(dir.path());
        use std::os::unix::process::ExitStatusExt;
        assert_eq!(child.wait().unwrap().signal(), Some(9));
    }
}
