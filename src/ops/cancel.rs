//! Ending early what a caller waits for: by ctrl-c in a shell, by a client that left.
//!
//! Invariants: every pause of a use case ends soon after it was cancelled, with [`super::OpError::Cancelled`]; a
//! step that would leave something half done holds the end off until it is complete.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use super::{Cx, OpError, OpResult};

/// The longest that a pause takes to notice that it was cancelled.
const SLICE: Duration = Duration::from_millis(50);

/// Whether whoever asked for something still waits for it. Clones share it; the default is never cancelled.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<State>);

#[derive(Debug, Default)]
struct State {
    cancelled: AtomicBool,
    holders: AtomicUsize,
}

/// Holds the end of the process off while it exists.
#[derive(Debug)]
pub struct HeldOff(Cancel);

impl Cancel {
    /// Ends what is waited for.
    pub fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::SeqCst);
    }

    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::SeqCst)
    }

    /// Whether some step must not be cut off now.
    pub fn is_held_off(&self) -> bool {
        self.0.holders.load(Ordering::SeqCst) > 0
    }

    /// Marks a step that must be completed once it is begun. It has to be short.
    #[must_use]
    pub fn hold_off(&self) -> HeldOff {
        self.0.holders.fetch_add(1, Ordering::SeqCst);
        HeldOff(self.clone())
    }
}

impl Drop for HeldOff {
    fn drop(&mut self) {
        self.0.0.holders.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Cx {
    /// Waits between two polls.
    ///
    /// # Errors
    /// [`OpError::Cancelled`] if the caller no longer waits.
    pub fn pause(&self, time: Duration) -> OpResult<()> {
        let mut left = time;
        loop {
            self.check_cancelled()?;
            if left.is_zero() {
                return Ok(());
            }
            let slice = left.min(SLICE);
            self.clock.pause(slice);
            left -= slice;
        }
    }

    /// Nothing, as long as the caller waits.
    ///
    /// # Errors
    /// [`OpError::Cancelled`] if it no longer does.
    pub fn check_cancelled(&self) -> OpResult<()> {
        if self.cancel.is_cancelled() { Err(OpError::Cancelled) } else { Ok(()) }
    }

    /// The same for a step that must be completed once it is begun: nothing in it is cancelled.
    #[must_use]
    pub fn uncancelled(&self) -> Self {
        Self { cancel: Cancel::default(), ..self.clone() }
    }
}
