//! The system's clock and random ids.

use std::time::Duration;

use jiff::Timestamp;
use uuid::Uuid;

use crate::domain::id::SessionId;
use crate::ports::Clock;

/// Real time, real randomness.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }

    #[expect(clippy::disallowed_methods, reason = "the one place that a poll interval ends in")]
    fn pause(&self, time: Duration) {
        std::thread::sleep(time);
    }

    fn new_session_id(&self) -> SessionId {
        SessionId::new(Uuid::now_v7().to_string())
    }

    fn new_conversation_id(&self) -> String {
        Uuid::new_v4().to_string()
    }
}
