//! Waiting for a tmux server that may never answer.
//!
//! Invariants: a server that is stopped is given up after [`FIRST`]; one that is only slow has the whole time, which
//! is long, since a busy machine makes every server slow; looking never waits for the server.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::server::{Knock, knock};
use crate::ports::mux::MuxError;
use crate::sys::process;

/// How long a server may take before deck looks whether it can answer at all; then again after as long.
const FIRST: Duration = Duration::from_secs(2);
/// How often it looks at the least.
const OFTEN: Duration = Duration::from_secs(10);
/// How long a server that isn't stopped may take to answer.
pub(super) const PATIENCE: Duration = Duration::from_secs(120);

/// What comes from a server.
///
/// # Errors
/// None if the other end is gone, else why nothing came: [`MuxError::Stopped`] or [`MuxError::TimedOut`].
pub(super) fn answer<T>(
    receiver: &Receiver<T>,
    socket: &Path,
    timeout: Duration,
) -> Result<T, Option<MuxError>> {
    let begun = Instant::now();
    let mut next = FIRST.min(timeout);
    loop {
        match receiver.recv_timeout(next) {
            Ok(what) => return Ok(what),
            Err(RecvTimeoutError::Disconnected) => return Err(None),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Some(pid) = stopped(socket) {
            return Err(Some(MuxError::Stopped(pid)));
        }
        let waited = begun.elapsed();
        if waited >= timeout {
            return Err(Some(MuxError::TimedOut(timeout.as_secs())));
        }
        next = waited.min(OFTEN).min(timeout.saturating_sub(waited));
    }
}

/// The process that listens on a socket, if it is stopped.
pub(super) fn stopped(socket: &Path) -> Option<i32> {
    let is_stopped = |pid: &i32| process::stat(*pid).is_some_and(|s| s.stopped);
    // Of each that knocks one place in its queue is taken until it is continued.
    let known = FOUND.lock().unwrap_or_else(PoisonError::into_inner).get(socket).copied();
    let known = known.filter(|pid| is_stopped(pid) && is_tmux(*pid));
    known.or_else(|| server(socket).filter(is_stopped))
}

/// Whether a process is a tmux; another one may have its id by now.
pub(super) fn is_tmux(pid: i32) -> bool {
    process::name(pid).is_some_and(|name| name.starts_with("tmux"))
}

/// The servers that were found, by their sockets.
static FOUND: Mutex<BTreeMap<PathBuf, i32>> = Mutex::new(BTreeMap::new());

/// The process that listens on a socket. Of one that accepts nobody any more, the one that was found last.
pub(super) fn server(socket: &Path) -> Option<i32> {
    let mut found = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
    match knock(socket) {
        Knock::Connected(stream) => {
            let pid = peer(&stream)?;
            found.insert(socket.to_owned(), pid);
            Some(pid)
        }
        Knock::Full => found.get(socket).copied(),
        Knock::NobodyListens => None,
    }
}

#[cfg(target_os = "linux")]
fn peer(stream: &std::os::fd::OwnedFd) -> Option<i32> {
    use nix::sys::socket::{getsockopt, sockopt};
    let pid = getsockopt(stream, sockopt::PeerCredentials).ok()?.pid();
    (pid > 1).then_some(pid)
}

/// Elsewhere than on Linux it is not known.
#[cfg(not(target_os = "linux"))]
fn peer(_: &std::os::fd::OwnedFd) -> Option<i32> {
    None
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::{UnixListener, UnixStream};
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn a_server_that_accepts_nobody_is_not_waited_for() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s");
        let _listener = UnixListener::bind(&path).unwrap();
        // As many as wait in its queue, each without blocking.
        let mut waiting: Vec<_> = Vec::new();
        while let Knock::Connected(stream) = knock(&path) {
            waiting.push(stream);
        }
        assert!(matches!(knock(&path), Knock::Full));
        let (_sender, receiver) = channel::<()>();
        let error = answer(&receiver, &path, Duration::from_secs(1));
        // Which process listens was never seen.
        assert!(matches!(error, Err(Some(MuxError::TimedOut(1)))), "{error:?}");
    }

    #[test]
    fn nobody_listens_on_a_socket_that_is_left_over() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s");
        drop(UnixListener::bind(&path).unwrap());
        assert!(UnixStream::connect(&path).is_err());
        assert!(matches!(knock(&path), Knock::NobodyListens));
        assert_eq!(server(&path), None);
    }
}
