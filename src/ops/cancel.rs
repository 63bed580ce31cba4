//! Ending early what a caller waits for: by ctrl-c in a shell, by a client that left.
//!
//! Invariants: every pause of a use case, and every wait for a lock, ends soon after it was cancelled, with
//! [`super::OpError::Cancelled`]; a step that would leave something half done holds the end off until it is complete.

use std::time::Duration;

use super::{Cx, OpError, OpResult};
use crate::ports::Cancel;

/// The longest that a pause takes to notice that it was cancelled.
const SLICE: Duration = Duration::from_millis(50);

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
