//! Time and randomness.

use std::time::Duration;

use jiff::Timestamp;

use crate::domain::id::SessionId;

/// Time and fresh ids, so that tests can fix both.
pub trait Clock: Send + Sync {
    /// The present time.
    fn now(&self) -> Timestamp;

    /// Waits between two polls of something that sends no notification.
    fn pause(&self, time: Duration);

    /// A new session's id: a UUIDv7.
    fn new_session_id(&self) -> SessionId;

    /// A conversation's id: a random UUID. All its digits are random, since some agents
    /// name files by the first eight.
    fn new_conversation_id(&self) -> String;
}
