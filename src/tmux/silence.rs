//! Waiting for a tmux server that may never answer.
//!
//! Invariants: a server that is stopped, or that accepts no connection, is given up after [`FIRST`]; one that
//! is only slow has the whole time, since a busy machine makes every server slow; looking never waits for
//! the server.

use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use super::server::{Knock, knock};
use crate::ports::mux::MuxError;
use crate::sys::process;

/// How long a server may take before deck looks whether it can answer at all, in seconds.
const FIRST: u64 = 2;

/// What comes from a server.
///
/// # Errors
/// None if the other end is gone, else why nothing came: [`MuxError::Stopped`] or [`MuxError::TimedOut`].
pub(super) fn answer<T>(
    receiver: &Receiver<T>,
    socket: &Path,
    timeout: Duration,
) -> Result<T, Option<MuxError>> {
    let until = Instant::now() + timeout;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        match receiver.recv_timeout(left.min(Duration::from_secs(FIRST))) {
            Ok(what) => return Ok(what),
            Err(RecvTimeoutError::Disconnected) => return Err(None),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Some(error) = cause(socket) {
            return Err(Some(error));
        }
        if Instant::now() >= until {
            return Err(Some(MuxError::TimedOut(timeout.as_secs())));
        }
    }
}

/// Why a server can't answer, where that can be seen.
fn cause(socket: &Path) -> Option<MuxError> {
    match knock(socket) {
        Knock::Full => Some(MuxError::TimedOut(FIRST)),
        Knock::NobodyListens => None,
        Knock::Connected(stream) => {
            let pid = peer(&stream)?;
            process::stat(pid).filter(|s| s.stopped).map(|_| MuxError::Stopped(pid))
        }
    }
}

/// The process that listens on a socket, if it is stopped.
pub(super) fn stopped(socket: &Path) -> Option<i32> {
    server(socket).filter(|pid| process::stat(*pid).is_some_and(|s| s.stopped))
}

/// The process that listens on a socket.
pub(super) fn server(socket: &Path) -> Option<i32> {
    match knock(socket) {
        Knock::Connected(stream) => peer(&stream),
        Knock::Full | Knock::NobodyListens => None,
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
    fn a_server_that_accepts_nobody_is_given_up_without_waiting_for_it() {
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
        let error = answer(&receiver, &path, Duration::from_secs(3600));
        assert!(matches!(error, Err(Some(MuxError::TimedOut(FIRST)))), "{error:?}");
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
