//! Waiting for a file's lock.
//!
//! The waiting is the kernel's: first come, first served, and nobody looks again and again. A lock
//! that is asked for by trying starves its asker where many try at once on a busy machine.

use std::fs::{File, TryLockError};
use std::io;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

/// Locks the file for this process alone. `None` when others held it all the time for `patience`.
///
/// The lock lasts as long as the returned file is open; it ends with its process in any case.
///
/// # Errors
/// The system's, when the file can't be locked at all.
pub fn exclusive(file: File, patience: Duration) -> io::Result<Option<File>> {
    match file.try_lock() {
        Ok(()) => return Ok(Some(file)),
        Err(TryLockError::WouldBlock) => {}
        Err(TryLockError::Error(error)) => return Err(error),
    }
    let (sender, receiver) = sync_channel(1);
    let take = move || {
        let locked = wait(&file).map(|()| file);
        // Who gave up waiting doesn't take it: then the file closes here, and the lock with it.
        let _ = sender.send(locked);
    };
    std::thread::Builder::new().name("lock".to_owned()).spawn(take)?;
    match receiver.recv_timeout(patience) {
        Ok(locked) => locked.map(Some),
        Err(RecvTimeoutError::Timeout) => Ok(None),
        Err(RecvTimeoutError::Disconnected) => Err(io::Error::other("the thread that waits for it ended")),
    }
}

/// Locks the file for this process alone, however long that takes.
///
/// # Errors
/// The system's, when the file can't be locked at all.
pub fn wait(file: &File) -> io::Result<()> {
    loop {
        match file.lock() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_at_a_time_and_not_for_ever() {
        let path = tempfile::NamedTempFile::new().unwrap();
        let open = || File::open(path.path()).unwrap();
        let held = exclusive(open(), Duration::ZERO).unwrap().unwrap();
        assert!(exclusive(open(), Duration::from_millis(5)).unwrap().is_none());
        let waiting = std::thread::spawn({
            let file = open();
            move || exclusive(file, Duration::from_secs(20)).unwrap().is_some()
        });
        drop(held);
        assert!(waiting.join().unwrap());
    }
}
