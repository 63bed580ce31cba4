//! Time in memory.

use std::sync::Mutex;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use crate::domain::id::SessionId;
use crate::ports::Clock;

/// Time that advances when it is waited for, and ids in order.
#[derive(Debug)]
pub struct FakeClock(Mutex<(Timestamp, u32)>);

impl Default for FakeClock {
    fn default() -> Self {
        Self(Mutex::new((Timestamp::from_second(1_000_000).unwrap(), 0)))
    }
}

impl FakeClock {
    pub fn pass(&self, seconds: i64) {
        self.0.lock().unwrap().0 += SignedDuration::from_secs(seconds);
    }

    fn next(&self) -> u32 {
        let mut state = self.0.lock().unwrap();
        state.1 += 1;
        state.1
    }
}

impl Clock for FakeClock {
    fn now(&self) -> Timestamp {
        self.0.lock().unwrap().0
    }

    fn pause(&self, time: Duration) {
        self.0.lock().unwrap().0 += SignedDuration::try_from(time).unwrap();
    }

    fn new_session_id(&self) -> SessionId {
        SessionId::new(format!("0197c0de-0000-7000-8000-{:012}", self.next()))
    }

    fn new_conversation_id(&self) -> String {
        format!("conversation-{}", self.next())
    }
}
