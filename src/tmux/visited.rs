//! A server of the user's on which sessions were adopted, as the batched list asks it.
//!
//! Invariants: one that doesn't answer in time holds up nobody else; it is not asked again before it has
//! answered or failed, so that no processes pile up; who asks gets the answer to their own question.

use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::tmux_mux::TmuxMux;
use crate::ports::mux::{MuxError, PaneList, Silence};

/// How long it may take to list its panes.
const TIMEOUT: Duration = Duration::from_millis(1500);

type Answer = Receiver<Result<PaneList, MuxError>>;

/// One such server.
pub(super) struct Visited {
    pub mux: Arc<TmuxMux>,
    /// The answer that is still to come.
    owed: Mutex<Option<Answer>>,
}

/// A question to it. Whoever asks next waits until this one is answered or given up.
pub(super) struct Question<'a> {
    mux: &'a TmuxMux,
    owed: MutexGuard<'a, Option<Answer>>,
    /// From when on the answer counts as late; none if it still owes an older one.
    until: Option<Instant>,
}

impl Visited {
    pub fn new(mux: TmuxMux) -> Self {
        Self { mux: Arc::new(mux), owed: Mutex::default() }
    }

    /// Asks for the panes, unless it still owes an answer.
    pub fn ask(&self, since: Option<i64>) -> Result<Question<'_>, MuxError> {
        let mut owed = self.owed.lock().unwrap_or_else(PoisonError::into_inner);
        let owes = owed.as_ref().is_some_and(|a| matches!(a.try_recv(), Err(TryRecvError::Empty)));
        if owes {
            return Ok(Question { mux: &self.mux, owed, until: None });
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
        *owed = Some(answer);
        Ok(Question { mux: &self.mux, owed, until: Some(Instant::now() + TIMEOUT) })
    }
}

impl Question<'_> {
    /// The answer, or why there is none.
    pub fn answer(mut self) -> Result<PaneList, Silence> {
        let (Some(until), Some(answer)) = (self.until, self.owed.as_ref()) else {
            return Err(self.silence());
        };
        let result = match answer.recv_timeout(until.saturating_duration_since(Instant::now())) {
            // It is waited for no longer, and not asked again until it has answered.
            Err(RecvTimeoutError::Timeout) => return Err(self.silence()),
            Err(RecvTimeoutError::Disconnected) => Err(MuxError::Closed("it could not be asked".to_owned())),
            Ok(result) => result,
        };
        *self.owed = None;
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
