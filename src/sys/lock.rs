//! Waiting for a file's lock.
//!
//! The waiting is the kernel's: first come, first served, without polling. On a busy machine a process
//! that polled for a lock might never get it while many others do. A lock whose holder is stopped is not waited
//! for: while the wait lasts, the holder is looked up in `/proc`. Any other holder is waited for patiently: each
//! gives the lock back within limits of its own, and on a busy machine a single write to the disk, or a
//! single answer of tmux, may take a minute.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use super::process;
use crate::domain::text;
use crate::ports::{Busy, Cancel, Holder, NotTaken};

/// How long a lock is waited for whose holder is stopped.
const STOPPED: Duration = Duration::from_secs(2);
/// How often it is looked for a stopped holder at the least.
const OFTEN: Duration = Duration::from_secs(10);
/// How long a lock is waited for whose holder is at work.
pub const PATIENCE: Duration = Duration::from_secs(300);
/// The longest that a wait takes to notice that it was cancelled.
const SLICE: Duration = Duration::from_millis(50);
/// The most cells of a holder's command line.
const COMMAND: usize = 80;
/// The most that is read of a file of `/proc`, in bytes.
const MAX_BYTES: u64 = 64 * 1024;

/// A private file to lock; created if missing.
///
/// # Errors
/// The system's.
pub fn file(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(path)
}

/// Locks the file for this process alone. [`Busy`] when one other held it all the time for `patience`, or
/// when its holder is stopped. Behind many of which each holds it for a moment it is waited for longer. Once
/// `cancel` says so it is no longer waited for.
///
/// The lock lasts as long as the returned file is open; it ends with its process in any case.
///
/// # Errors
/// The system's, when the file can't be locked at all.
pub fn exclusive(file: File, patience: Duration, cancel: &Cancel) -> io::Result<Result<File, NotTaken>> {
    match file.try_lock() {
        Ok(()) => return Ok(Ok(file)),
        Err(TryLockError::WouldBlock) => {}
        Err(TryLockError::Error(error)) => return Err(error),
    }
    let place = std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).ok();
    let (mut begun, mut next) = (Instant::now(), Instant::now() + STOPPED.min(patience));
    let mut last: Option<i32> = None;
    let (sender, receiver) = sync_channel(1);
    let take = move || {
        let locked = wait(&file).map(|()| file);
        // Who gave up waiting doesn't take it: then the file closes here, and the lock with it.
        let _ = sender.send(locked);
    };
    std::thread::Builder::new().name("lock".to_owned()).spawn(take)?;
    loop {
        if cancel.ends_waits() {
            return Ok(Err(NotTaken::Cancelled));
        }
        match receiver.recv_timeout(next.saturating_duration_since(Instant::now()).min(SLICE)) {
            Ok(locked) => return locked.map(Ok),
            Err(RecvTimeoutError::Timeout) if Instant::now() < next => continue,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(io::Error::other("the thread that waits for it ended"));
            }
        }
        let holder = place.as_deref().and_then(holder);
        let now = holder.as_ref().map(|h| h.pid);
        if last.is_some() && now != last {
            begun = Instant::now();
        }
        last = now;
        let waited = begun.elapsed();
        if waited >= patience || holder.as_ref().is_some_and(|h| h.stopped) {
            return Ok(Err(NotTaken::Busy(Busy { waited, holder })));
        }
        // Looking it up reads all of `/proc`: many that wait must not keep the machine busy with it.
        next = Instant::now() + until_next_look(waited, patience);
    }
}

/// How long to wait before the holder is looked up again.
fn until_next_look(waited: Duration, patience: Duration) -> Duration {
    waited.clamp(STOPPED, OFTEN).min(patience.saturating_sub(waited))
}

/// The process that has the lock on a file, a stopped one before others: several may share one open file.
/// `None` where there is no `/proc`.
///
/// The kernel lists a lock with each open file that has it; `/proc/locks` names only the process that took
/// it, which may have ended and left it to its child.
fn holder(place: &Path) -> Option<Holder> {
    let numbers = |folder: PathBuf| {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        entries.filter_map(|e| e.file_name().to_str()?.parse::<i32>().ok())
    };
    let has_lock = |pid: i32| {
        numbers(format!("/proc/{pid}/fd").into()).any(|fd| {
            let info = || super::files::read_text(Path::new(&format!("/proc/{pid}/fdinfo/{fd}")), MAX_BYTES);
            std::fs::read_link(format!("/proc/{pid}/fd/{fd}")).is_ok_and(|to| to == place)
                && info()
                    .is_ok_and(|text| text.lines().any(|l| l.starts_with("lock:") && l.contains("FLOCK")))
        })
    };
    let of = |pid: i32| Holder {
        pid,
        command: text::fit(&text::clean(&process::argv(pid).join(" ")), COMMAND),
        stopped: process::stat(pid).is_some_and(|s| s.stopped),
    };
    let all: Vec<Holder> = numbers("/proc".into()).filter(|pid| has_lock(*pid)).map(of).collect();
    all.iter().find(|h| h.stopped).or(all.first()).cloned()
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
    fn a_holder_that_is_stopped_after_a_while_is_noticed_soon() {
        let (s, patience) = (Duration::from_secs, Duration::from_secs(300));
        assert_eq!(until_next_look(Duration::from_millis(10), patience), STOPPED);
        assert_eq!(until_next_look(s(4), patience), s(4));
        assert_eq!(until_next_look(s(100), patience), OFTEN);
        assert_eq!(until_next_look(s(297), patience), s(3));
    }

    #[test]
    fn one_at_a_time_and_not_for_ever() {
        let path = tempfile::NamedTempFile::new().unwrap();
        let open = || super::super::files::open(path.path()).unwrap();
        let exclusive = |file, patience| exclusive(file, patience, &Cancel::default());
        let held = exclusive(open(), Duration::ZERO).unwrap().unwrap();
        let NotTaken::Busy(busy) = exclusive(open(), Duration::from_millis(5)).unwrap().unwrap_err() else {
            panic!("nobody cancelled it");
        };
        // Processes that other tests start have a copy of the file for a moment.
        assert!(cfg!(not(target_os = "linux")) || busy.holder.is_some(), "{busy}");
        let waiting = std::thread::spawn({
            let file = open();
            move || exclusive(file, PATIENCE).unwrap().is_ok()
        });
        drop(held);
        assert!(waiting.join().unwrap());
    }

    #[test]
    fn one_whose_caller_has_left_is_not_waited_for() {
        let path = tempfile::NamedTempFile::new().unwrap();
        let open = || super::super::files::open(path.path()).unwrap();
        let cancel = Cancel::default();
        let held = exclusive(open(), Duration::ZERO, &cancel).unwrap().unwrap();
        let wait = || {
            let (file, cancel) = (open(), cancel.clone());
            std::thread::spawn(move || exclusive(file, PATIENCE, &cancel).unwrap())
        };
        let waiting = wait();
        cancel.cancel();
        assert_eq!(waiting.join().unwrap().unwrap_err(), NotTaken::Cancelled);
        // A step that must be completed waits for it nevertheless.
        let step = cancel.hold_off();
        let waiting = wait();
        drop(held);
        assert!(waiting.join().unwrap().is_ok());
        drop(step);
    }
}
