//! What a subscriber sees of the engine: always the last poll, never a queue of old ones.
//!
//! A task awaits [`Subscription::next`]; a plain thread uses [`Blocking`].

use std::io;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch::Receiver;

use super::Poll;

/// The polls of an engine. Those that come while a subscriber is busy are left out but for the last.
#[derive(Debug, Clone)]
pub struct Subscription(pub(super) Receiver<Option<Poll>>);

impl Subscription {
    /// The next poll that this subscriber has not seen; none once the engine has ended.
    pub async fn next(&mut self) -> Option<Poll> {
        loop {
            self.0.changed().await.ok()?;
            if let Some(poll) = self.0.borrow_and_update().clone() {
                return Some(poll);
            }
        }
    }

    /// The same for a plain thread.
    ///
    /// # Errors
    /// The system's error when there is no room for a timer.
    pub fn blocking(self) -> io::Result<Blocking> {
        Ok(Blocking { polls: self, runtime: Builder::new_current_thread().enable_time().build()? })
    }
}

/// What a limited wait for a poll came to.
#[derive(Debug)]
pub enum Next {
    Poll(Poll),
    /// None came in time.
    Nothing,
    /// The engine has ended.
    Ended,
}

/// A [`Subscription`] for a plain thread.
#[derive(Debug)]
pub struct Blocking {
    polls: Subscription,
    runtime: Runtime,
}

/// Ends when the engine has ended.
impl Iterator for Blocking {
    type Item = Poll;

    fn next(&mut self) -> Option<Poll> {
        self.runtime.block_on(self.polls.next())
    }
}

impl Blocking {
    /// The next poll, if it comes within this time.
    pub fn next_within(&mut self, time: Duration) -> Next {
        let next = self.polls.next();
        match self.runtime.block_on(async { tokio::time::timeout(time, next).await }) {
            Ok(Some(poll)) => Next::Poll(poll),
            Ok(None) => Next::Ended,
            Err(_) => Next::Nothing,
        }
    }
}
