//! WebSockets: how one is opened, kept and ended.

mod dashboard;
mod image;
mod message;
mod size;
mod worker;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket};
use serde_json::{Value, json};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::app::App;
use super::error::ApiError;
use super::login::{self, Viewer};

pub(super) use dashboard::dashboard;
pub use message::MESSAGES;
pub(super) use worker::{Tab, worker};

/// How many sockets there may be, and how many of one viewer.
const MAX: usize = 64;
const MAX_OF_ONE: usize = 20;
/// The most that a client sends in one message, in bytes: an image is the largest.
pub(super) const MAX_MESSAGE: usize = 14 * 1024 * 1024;
/// Between two pings; two that are missed end a socket.
const PING: Duration = Duration::from_secs(20);
/// Between two messages that say nothing but that the line is there. A page sees no pings.
const ALIVE: Duration = Duration::from_secs(4);
/// How often it is looked whether a viewer is still known.
const KNOWN: Duration = Duration::from_millis(500);
/// How long a message may take to be sent.
const SEND: Duration = Duration::from_secs(30);

/// Why a socket ends, as its page is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Close {
    Login,
    ReadOnly,
    Gone,
    TooMany,
    Restart,
    /// It is lost: nothing can be said.
    Lost,
}

impl Close {
    const fn code(self) -> u16 {
        match self {
            Self::Login => 4401,
            Self::ReadOnly => 4403,
            Self::Gone => 4404,
            Self::TooMany => 4429,
            Self::Restart => 1012,
            Self::Lost => 1001,
        }
    }
}

/// The sockets that are open.
#[derive(Debug)]
pub struct Sockets {
    of_viewers: Arc<Mutex<HashMap<String, usize>>>,
    room: Arc<Semaphore>,
}

/// One that is.
pub struct Open {
    of_viewers: Arc<Mutex<HashMap<String, usize>>>,
    key: String,
    _room: OwnedSemaphorePermit,
}

impl Default for Sockets {
    fn default() -> Self {
        Self { of_viewers: Arc::default(), room: Arc::new(Semaphore::new(MAX)) }
    }
}

impl Sockets {
    /// Room for one more; none if there are too many.
    pub fn open(&self, viewer: &Viewer) -> Option<Open> {
        let room = self.room.clone().try_acquire_owned().ok()?;
        let mut all = self.of_viewers.lock().unwrap_or_else(PoisonError::into_inner);
        let key = viewer.key().to_owned();
        let of_one = all.entry(key.clone()).or_default();
        if *of_one >= MAX_OF_ONE {
            return None;
        }
        *of_one += 1;
        Some(Open { of_viewers: self.of_viewers.clone(), key, _room: room })
    }

    /// Waits until none is open.
    pub async fn closed(&self) {
        // It is never closed itself.
        let _ = self.room.acquire_many(u32::try_from(MAX).unwrap_or(u32::MAX)).await;
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        let mut all = self.of_viewers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = all.get_mut(&self.key) {
            *count -= 1;
            if *count == 0 {
                all.remove(&self.key);
            }
        }
    }
}

/// Who is at the other end.
pub struct Peer {
    pub viewer: Viewer,
    /// The token, if it is a script's.
    pub token: Option<String>,
}

/// One socket.
pub struct Socket {
    inner: WebSocket,
    app: App,
    peer: Peer,
    unanswered: u8,
    ping: tokio::time::Interval,
    alive: tokio::time::Interval,
    known: tokio::time::Interval,
}

/// What a client did.
pub enum Got {
    Text(String),
    /// Nothing that anybody has to look at.
    Nothing,
}

impl Socket {
    pub fn new(inner: WebSocket, app: App, peer: Peer) -> Self {
        let every = |period| {
            let mut interval = tokio::time::interval(period);
            interval.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
            interval
        };
        Self { inner, app, peer, unanswered: 0, ping: every(PING), alive: every(ALIVE), known: every(KNOWN) }
    }

    pub const fn read_only(&self) -> bool {
        self.peer.viewer.read_only
    }

    /// Sends a message.
    ///
    /// # Errors
    /// That the other end is gone, or doesn't take it.
    pub async fn send(&mut self, value: &Value) -> Result<(), Close> {
        let text = Utf8Bytes::from(value.to_string());
        match tokio::time::timeout(SEND, self.inner.send(Message::Text(text))).await {
            Ok(Ok(())) => Ok(()),
            _ => Err(Close::Lost),
        }
    }

    /// The same for an error.
    ///
    /// # Errors
    /// As above.
    pub async fn send_error(&mut self, error: &ApiError, id: Option<&Value>) -> Result<(), Close> {
        let mut value = error.value().get_mut("error").map(Value::take).unwrap_or_default();
        if let Some(value) = value.as_object_mut() {
            value.insert("type".to_owned(), "error".into());
            value.extend(id.map(|id| ("id".to_owned(), id.clone())));
        }
        self.send(&value).await
    }

    /// What comes next from the client. It may be dropped at any time, and nothing is lost.
    ///
    /// # Errors
    /// Why the socket ends.
    pub async fn next(&mut self) -> Result<Got, Close> {
        let mut ends = self.app.ends.clone();
        tokio::select! {
            message = self.inner.recv() => match message {
                Some(Ok(Message::Text(text))) => Ok(Got::Text(text.to_string())),
                Some(Ok(Message::Pong(_))) => {
                    self.unanswered = 0;
                    Ok(Got::Nothing)
                }
                Some(Ok(Message::Ping(_) | Message::Binary(_))) => Ok(Got::Nothing),
                Some(Ok(Message::Close(_)) | Err(_)) | None => Err(Close::Lost),
            },
            _ = self.ping.tick() => {
                if self.unanswered >= 2 {
                    return Err(Close::Lost);
                }
                self.unanswered += 1;
                match tokio::time::timeout(SEND, self.inner.send(Message::Ping(Vec::new().into()))).await {
                    Ok(Ok(())) => Ok(Got::Nothing),
                    _ => Err(Close::Lost),
                }
            }
            _ = self.alive.tick() => {
                self.send(&json!({ "type": "alive" })).await?;
                Ok(Got::Nothing)
            }
            _ = self.known.tick() => {
                let is_known = login::is_known(&self.app, &self.peer.viewer, self.peer.token.as_deref());
                if is_known { Ok(Got::Nothing) } else { Err(Close::Login) }
            }
            () = async { drop(ends.wait_for(|ends| *ends).await) } => Err(Close::Restart),
        }
    }

    /// Waits for something without taking messages.
    ///
    /// # Errors
    /// Why the socket ends.
    pub async fn hold<T, E>(&mut self, what: impl Future<Output = Result<T, E>>) -> Result<T, Close> {
        let mut ends = self.app.ends.clone();
        tokio::select! {
            done = what => done.map_err(|_| Close::Restart),
            () = async { drop(ends.wait_for(|ends| *ends).await) } => Err(Close::Restart),
        }
    }

    /// Ends it.
    pub async fn close(mut self, why: Close) {
        if why == Close::Lost {
            return;
        }
        let frame = CloseFrame { code: why.code(), reason: Utf8Bytes::from_static("") };
        // One that is gone needs no farewell.
        let _ = tokio::time::timeout(SEND, self.inner.send(Message::Close(Some(frame)))).await;
    }
}
