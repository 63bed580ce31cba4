//! One call of a tool: what it was given, how long it may take, and whom it reports to.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::error::ToolError;
use crate::api::Code;
use crate::engine::Engine;
use crate::ops::Cx;

/// How long a call may take: Codex gives up after 60 s.
const USUAL: Duration = Duration::from_secs(45);
/// The same for a client that asked to be told of progress.
const LONG: Duration = Duration::from_secs(600);
/// Between two reports of progress.
const EVERY: Duration = Duration::from_secs(1);

/// Reports progress: how far it is, and words.
pub type Progress = Arc<dyn Fn(u64, String) + Send + Sync>;

/// What watches the sessions of the profile, for as long as it is kept.
pub type Watching = Arc<dyn Fn() -> std::io::Result<Engine> + Send + Sync>;

/// One call.
pub struct Call {
    /// Cancelled when the client no longer waits.
    pub cx: Cx,
    pub arguments: Map<String, Value>,
    /// None if the client wants none.
    pub progress: Option<Progress>,
    /// For a call that waits for a status.
    pub watching: Watching,
}

impl Call {
    /// What it was given.
    ///
    /// # Errors
    /// The field that is wrong.
    pub fn input<T: DeserializeOwned>(&self) -> Result<T, ToolError> {
        serde_json::from_value(Value::Object(self.arguments.clone()))
            .map_err(|error| ToolError::new(Code::Usage, error.to_string()))
    }

    /// How long it may take, if its caller asked for `wanted`.
    pub fn limit(&self, wanted: Option<Duration>) -> Duration {
        let most = if self.progress.is_some() { LONG } else { USUAL };
        wanted.unwrap_or(USUAL).min(most)
    }
}

/// Progress at most once in a while, and only if there is something new.
pub struct Reporter<'a> {
    call: &'a Call,
    last: (Instant, u64),
}

impl<'a> Reporter<'a> {
    pub fn new(call: &'a Call) -> Self {
        Self { call, last: (Instant::now(), 0) }
    }

    /// Reports so many bytes, if it is time; `words` are made only then.
    pub fn tell(&mut self, look: impl FnOnce() -> (u64, String)) {
        let Some(progress) = self.call.progress.as_ref().filter(|_| self.last.0.elapsed() >= EVERY) else {
            return;
        };
        let (bytes, words) = look();
        if bytes > self.last.1 {
            progress(bytes, words);
        }
        self.last = (Instant::now(), bytes.max(self.last.1));
    }
}
