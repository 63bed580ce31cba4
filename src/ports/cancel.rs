//! Whether whoever asked for something still waits for it.
//!
//! Invariant: a step that would leave something half done holds the end off until it is complete.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

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

    /// Whether it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::SeqCst)
    }

    /// Whether some step must not be cut off now.
    pub fn is_held_off(&self) -> bool {
        self.0.holders.load(Ordering::SeqCst) > 0
    }

    /// Whether to stop waiting for something before it has begun, such as a lock.
    pub fn ends_waits(&self) -> bool {
        self.is_cancelled() && !self.is_held_off()
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
