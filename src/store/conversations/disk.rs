//! Writing the files of conversations. Each function is one step that a crash may end half way.

use std::io::{self, Write as _};
use std::path::Path;

use crate::sys::{files, step};

/// Adds to a file and waits until it is on the disk. If that fails, the file is as it was.
pub(super) fn append(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = files::open_to_append(path)?;
    let before = file.metadata()?.len();
    fault::before(|most| {
        let half = bytes.get(..bytes.len() / 2).filter(|_| most).unwrap_or_default();
        let _ = file.write_all(half);
    })?;
    let written = file.write_all(bytes).and_then(|()| file.sync_data());
    if written.is_err() {
        // What can't be shortened either is a torn line, which the next one cuts.
        let _ = file.set_len(before);
    }
    written
}

/// Shortens a file to what is whole of it.
pub(super) fn cut(path: &Path, len: u64) -> io::Result<()> {
    fault::before(|_| {})?;
    let file = files::open_to_append(path)?;
    file.set_len(len)?;
    file.sync_data()
}

/// Replaces a file; it is on the disk then.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    fault::before(|_| {})?;
    files::replace(path, bytes, || Ok(()))
}

/// Replaces a file that can be made again from others, without waiting for the disk.
pub(super) fn replace_derived(path: &Path, bytes: &[u8]) -> io::Result<()> {
    fault::before(|_| {})?;
    files::replace_unsynced(path, bytes)
}

/// Moves a file within its folder tree; one that is missing is none.
pub(super) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    fault::before(|_| {})?;
    match std::fs::rename(from, to) {
        Err(error) if error.kind() == io::ErrorKind::NotFound && !from.exists() => Ok(()),
        other => other,
    }
}

/// Removes a file; one that is missing is none.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    fault::before(|_| {})?;
    match std::fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Where tests stop the process, to kill it there.
pub(super) fn reached(name: &str) {
    step::reached(name);
}

#[cfg(not(test))]
mod fault {
    #[expect(clippy::unnecessary_wraps, reason = "tests have another one")]
    pub(super) fn before(_: impl FnOnce(bool)) -> std::io::Result<()> {
        Ok(())
    }
}

/// A process that is killed at one of its writes: from then on no write of the thread happens.
#[cfg(test)]
pub(super) mod fault {
    use std::cell::Cell;
    use std::io;

    thread_local! {
        /// How many writes there are until then, and whether half of that one happens; none: it lives.
        static LEFT: Cell<Option<(u32, bool)>> = const { Cell::new(None) };
        static WRITES: Cell<u32> = const { Cell::new(0) };
    }

    /// Kills the thread's process at its write of this number, counted from 0.
    pub fn kill_at(write: u32, half: bool) {
        LEFT.set(Some((write, half)));
    }

    /// Another process begins.
    pub fn revive() {
        LEFT.set(None);
    }

    /// How many writes there were since this was asked last.
    pub fn writes() -> u32 {
        WRITES.replace(0)
    }

    pub(super) fn before(half_of_it: impl FnOnce(bool)) -> io::Result<()> {
        WRITES.set(WRITES.get() + 1);
        match LEFT.get() {
            None => Ok(()),
            Some((0, half)) => {
                if half {
                    half_of_it(true);
                }
                LEFT.set(Some((0, false)));
                Err(io::Error::other("killed"))
            }
            Some((left, half)) => {
                LEFT.set(Some((left - 1, half)));
                Ok(())
            }
        }
    }
}
