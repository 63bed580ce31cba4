//! What a server works with that serves all profiles from one process, for as long as it lives.

use std::sync::{Arc, Mutex, PoisonError};

use super::{Shared, Wiring, wake};
use crate::domain::id::ProfileName;
use crate::engine::{Engine, Pace, Waker};
use crate::ops::Cx;
use crate::tmux::{Event, Open};

/// One connection and one set of caches for all profiles.
#[derive(Clone)]
pub struct Served {
    pub wiring: Wiring,
    shared: Shared,
    /// The engines that are woken by what happens on the server.
    engines: Arc<Mutex<Vec<Waker>>>,
}

impl std::fmt::Debug for Served {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.wiring.fmt(f)
    }
}

impl Wiring {
    /// The parts of a server for all profiles. No tmux server is started.
    pub fn served(&self) -> Served {
        let engines: Arc<Mutex<Vec<Waker>>> = Arc::default();
        let woken = engines.clone();
        let shared = self.adapters(Open::AtOnce, move |event: Event| {
            for engine in &*woken.lock().unwrap_or_else(PoisonError::into_inner) {
                wake(engine, &event);
            }
        });
        Served { wiring: self.clone(), shared, engines }
    }
}

impl Served {
    /// What a request works with.
    pub fn cx(&self, profile: &ProfileName) -> Cx {
        self.wiring.cx_with(profile, &self.shared)
    }

    /// An engine that watches a profile. It lives as long as the process.
    ///
    /// # Errors
    /// The system's error when there is no thread to be had.
    pub fn engine(&self, profile: &ProfileName) -> std::io::Result<Engine> {
        let engine = Engine::start(self.cx(profile), Pace::Adaptive)?;
        self.engines.lock().unwrap_or_else(PoisonError::into_inner).push(engine.waker());
        Ok(engine)
    }
}
