//! A server of the user's on which sessions were adopted, as the batched list asks it.
//!
//! Invariants: one that doesn't answer in time holds up nobody else; it is not asked again before it has
//! answered or failed, so that no processes pile up.

use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::tmux_mux::TmuxMux;
use crate::ports::mux::{Mux as _, MuxError, PaneList, Silence};

/// How long it may take to list its panes.
const TIMEOUT: Duration = Duration::from_millis(1500);

type Answer = Receiver<Result<PaneList, MuxError>>;

/// One such server.
pub(super) struct Visited {
    pub mux: Arc<TmuxMux>,
    /// The answer that is still to come, and from when on it counts as late.
    asked: Mutex<Option<(Answer, Instant)>>,
}

impl Visited {
    pub fn new(mux: TmuxMux) -> Self {
        Self { mux: Arc::new(mux), asked: Mutex::default() }
    }

    /// Asks for the panes, unless it still owes an answer.
    pub fn ask(&self, since: Option<i64>) -> Result<(), MuxError> {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((answer, _)) = asked.as_ref()
            && matches!(answer.try_recv(), Err(TryRecvError::Empty))
        {
            return Ok(());
        }
        // An answer that was late is old by now.
        let (sender, answer) = sync_channel(1);
        let mux = self.mux.clone();
        std::thread::Builder::new()
            .name("tmux-visit".to_owned())
            .spawn(move || {
                // Nobody waits for it any more if deck is leaving.
                let _ = sender.send(mux.panes(since));
            })
            .map_err(MuxError::Start)?;
        *asked = Some((answer, Instant::now() + TIMEOUT));
        Ok(())
    }

    /// The answer to what was asked, or why there is none.
    pub fn answer(&self) -> Result<PaneList, Silence> {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((answer, until)) = asked.as_ref() else { return Ok(PaneList::default()) };
        let result = match answer.recv_timeout(until.saturating_duration_since(Instant::now())) {
            // It is waited for no longer, and not asked again until it has answered.
            Err(RecvTimeoutError::Timeout) => return Err(self.silence()),
            Err(RecvTimeoutError::Disconnected) => Err(MuxError::Closed("it could not be asked".to_owned())),
            Ok(result) => result,
        };
        *asked = None;
        match result {
            // What is on a server that is gone is gone.
            Err(MuxError::NoServer(_)) => Ok(PaneList::default()),
            other => other.map_err(|error| Silence::of(&error)),
        }
    }

    fn silence(&self) -> Silence {
        match self.mux.stopped() {
            Some(pid) => Silence::Stopped(pid),
            None => Silence::Failed("it doesn't respond".to_owned()),
        }
    }
}
