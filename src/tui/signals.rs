//! Signals that end deck, and suspending it.

use std::io;

use nix::sys::signal::{Signal, raise};
use tokio::signal::unix::{Signal as Stream, SignalKind, signal};

/// The signals that end deck.
pub(super) struct Ending {
    term: Stream,
    hup: Stream,
    int: Stream,
}

impl Ending {
    /// Listens for them.
    pub fn listen() -> io::Result<Self> {
        Ok(Self {
            term: signal(SignalKind::terminate())?,
            hup: signal(SignalKind::hangup())?,
            int: signal(SignalKind::interrupt())?,
        })
    }

    /// Waits for one of them.
    pub async fn wait(&mut self) {
        tokio::select! {
            _ = self.term.recv() => {}
            _ = self.hup.recv() => {}
            _ = self.int.recv() => {}
        }
    }
}

/// Stops this process until the shell continues it.
pub(super) fn suspend() -> io::Result<()> {
    raise(Signal::SIGTSTP).map_err(Into::into)
}
