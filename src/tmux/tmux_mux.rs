//! One tmux server, and how it is asked: by a process for each of a few requests, or over one connection.

use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::connection::{Connection, Event, Target, text_of};
use super::oneshot::{self, Failed};
use super::protocol::Reply;
use super::quote::line;
use super::server_lock::ServerLock;
use super::{guard, server, silence, stuck_server};
use crate::ports::mux::{MuxError, ServerId};
use crate::ports::{Cancel, Clock};
use crate::sys::clock::SystemClock;

/// Whether reading may start a server, and how the server is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Open {
    /// Reading answers "no server" when none runs; only making a session starts one. The first few
    /// requests are a process each, since most commands are done with them; then a connection is opened.
    IfRunning,
    /// A connection is opened at once if a server runs: for a command that watches.
    AtOnce,
    /// A connection is opened at once, and starts the server: for a deck that stays.
    Always,
}

/// How many requests are a process each before a connection is opened: one costs about as much as
/// opening a connection does.
const ONE_SHOTS: u32 = 8;

/// How often connecting is tried while the server goes down. A server that ends takes nobody in and
/// waits for its clients to leave, which takes seconds on a busy machine: the pauses double, 6 s in all.
const ATTEMPTS: u32 = 8;
/// After so many attempts the server has had its time to end.
const ENDING: u32 = 3;
/// How long the first pause between two attempts is.
const BETWEEN: Duration = Duration::from_millis(50);

type SharedListener = Arc<dyn Fn(Event) + Send + Sync>;

/// One tmux server, reached by a process for each of a few requests, over a connection for more: it is
/// opened again after it broke.
pub struct TmuxMux {
    target: Target,
    tmpdir: Option<String>,
    pub(super) own_server: bool,
    pub(super) visited: bool,
    open: Open,
    listener: Option<SharedListener>,
    connection: Mutex<Option<Arc<Connection>>>,
    /// How many requests were a process each.
    asked: AtomicU32,
    lock: ServerLock,
}

impl std::fmt::Debug for TmuxMux {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TmuxMux")
            .field("target", &self.target)
            .field("open", &self.open)
            .finish_non_exhaustive()
    }
}

impl TmuxMux {
    /// A server whose files deck keeps in `run`. On a server that isn't deck's own it
    /// brings no configuration and sets options on its own sessions only.
    pub fn new(tmux: &str, server: &ServerId, run: &Path, own_server: bool, open: Open) -> Self {
        let config = own_server.then(|| run.join("tmux.conf"));
        let tmpdir = std::env::var("TMUX_TMPDIR").ok();
        Self {
            own_server,
            visited: false,
            asked: AtomicU32::new(0),
            lock: ServerLock::new(run, server, Cancel::default()),
            target: Target {
                server: server.clone(),
                path: server::socket_path(server, tmpdir.as_deref()),
                config,
                program: tmux.to_owned(),
                run: run.to_owned(),
                deck: guard::program(),
            },
            tmpdir,
            open,
            listener: None,
            connection: Mutex::new(None),
        }
    }

    /// A server that is its user's own and on which sessions were adopted: it is asked by a process
    /// each time, and never started.
    pub fn visit(tmux: &str, server: &ServerId, run: &Path) -> Self {
        let mut mux = Self::new(tmux, server, run, false, Open::IfRunning);
        mux.visited = true;
        mux
    }

    pub(super) fn id(&self) -> &ServerId {
        &self.target.server
    }

    /// The server's process, if it is stopped.
    pub(super) fn stopped(&self) -> Option<i32> {
        silence::stopped(&self.target.path)
    }

    /// The server for a caller who may stop waiting for its lock.
    #[must_use]
    pub fn until(mut self, cancel: Cancel) -> Self {
        self.lock = ServerLock::new(&self.target.run, &self.target.server, cancel);
        self
    }

    /// Tells `listener` of events on the server, from the connection's own thread.
    #[must_use]
    pub fn listen(mut self, listener: impl Fn(Event) + Send + Sync + 'static) -> Self {
        self.listener = Some(Arc::new(listener));
        self
    }

    /// The open connection; none while a process for each request is enough.
    pub(super) fn connection(&self) -> Result<Option<Arc<Connection>>, MuxError> {
        if self.visited {
            return Ok(None);
        }
        let mut slot = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(open) = slot.as_ref().filter(|c| !c.has_ended()) {
            return Ok(Some(open.clone()));
        }
        let stays = self.open == Open::Always;
        if self.open == Open::IfRunning && self.asked.load(Ordering::Relaxed) < ONE_SHOTS {
            return Ok(None);
        }
        let connection = Arc::new(self.with_server(stays, || self.connect())?);
        *slot = Some(connection.clone());
        Ok(Some(connection))
    }

    /// Does something that needs a server, and again while one is just ending or beginning. On one that is stopped
    /// nothing is begun: a client would keep the lock until the server is continued.
    fn with_server<T>(
        &self,
        may_start: bool,
        mut act: impl FnMut() -> Result<T, Failed>,
    ) -> Result<T, MuxError> {
        let is_live = || server::socket_is_live(&self.target.server, self.tmpdir.as_deref());
        let (mut pause, mut attempt) = (BETWEEN, 0);
        loop {
            attempt += 1;
            if let Some(pid) = self.stopped() {
                return Err(MuxError::Stopped(pid));
            }
            let started = match (is_live(), may_start) {
                (true, _) => Ok(()),
                (false, true) => self
                    .write_config()
                    .map_err(Failed::from)
                    .and_then(|()| oneshot::start_server(&self.target)),
                (false, false) => return Err(MuxError::NoServer(self.target.server.clone())),
            };
            match started.and_then(|()| act()) {
                Err(Failed { again: true, .. }) if attempt < ATTEMPTS => {
                    if self.own_server && attempt > ENDING {
                        stuck_server::end(&self.target.path);
                    }
                    SystemClock.pause(pause);
                    pause *= 2;
                }
                other => return other.map_err(|f| f.error),
            }
        }
    }

    fn connect(&self) -> Result<Connection, Failed> {
        let lock = self.lock.take()?;
        let listener = self.listener.clone().map(|l| Box::new(move |e| l(e)) as super::connection::Listener);
        let (mut connection, lock) = Connection::open(&self.target, lock, listener)?;
        let mut lines = vec![line(&["display-message", "-p", "#{version}"])];
        lines.extend(self.settings());
        let replies = connection.request(&lines);
        drop(lock);
        let found = replies?.first().map(text_of).unwrap_or_default();
        if !server::is_new_enough(&found) {
            return Err(MuxError::TooOld { found, needed: server::MINIMUM }.into());
        }
        if self.own_server
            && self.open != Open::IfRunning
            && let Some(listener) = self.listener.clone()
        {
            connection.wake(&self.target, move || listener(Event::Activity));
        }
        Ok(connection)
    }

    /// The commands that set what deck needs on its own server. That a version does not have one of the
    /// options is no reason not to work.
    fn settings(&self) -> Vec<String> {
        let own = self.own_server.then_some(server::OPTIONS);
        own.into_iter().flatten().map(|words| line(words)).collect()
    }

    /// Writes the configuration for a server that is to be started.
    fn write_config(&self) -> Result<(), MuxError> {
        let Some(config) = &self.target.config else { return Ok(()) };
        if crate::sys::files::read_text(config, crate::sys::files::MAX_BYTES)
            .is_ok_and(|t| t == server::CONFIG)
        {
            return Ok(());
        }
        let folder = config.parent().map_or(Ok(()), crate::sys::files::make_dir);
        folder
            .and_then(|()| crate::sys::files::replace(config, server::CONFIG.as_bytes(), || Ok(())))
            .map_err(MuxError::Start)
    }

    /// Asks a server that may be anything once, and waits for `limit` at most.
    pub(super) fn ask_within(&self, lines: &[String], limit: Duration) -> Result<Vec<Reply>, MuxError> {
        oneshot::request(&self.target, lines, limit).map_err(|f| f.error)
    }

    /// Runs lines of which one announces something to all control clients, and returns what each of
    /// them answered. Always a process of its own, since that keeps the lock if this one is killed.
    pub(super) fn announce(&self, lines: &[String]) -> Result<Vec<Reply>, MuxError> {
        self.announce_in(lines, None)
    }

    /// The same; programs that the lines start are looked for in `path`.
    pub(super) fn announce_in(&self, lines: &[String], path: Option<&str>) -> Result<Vec<Reply>, MuxError> {
        self.with_server(false, || oneshot::request_locked(&self.target, lines, self.lock.take()?, path))
    }

    /// Makes a session by a command line, and starts the server if there is none. Its programs are
    /// looked for in `path`.
    pub(super) fn make(&self, words: &str, path: Option<&str>) -> Result<Option<Reply>, MuxError> {
        let mut lines = self.settings();
        lines.push(words.to_owned());
        let make = || oneshot::request_locked(&self.target, &lines, self.lock.take()?, path);
        Ok(self.with_server(true, make)?.pop())
    }

    /// Asks something that may be asked twice: a server that went down under the first question is
    /// no longer there for the second, and that is the answer.
    pub(super) fn ask(&self, lines: &[String]) -> Result<Vec<Reply>, MuxError> {
        match self.request(lines) {
            Err(MuxError::Closed(_)) => self.request(lines),
            Ok(replies) if replies.iter().any(has_no_session) => {
                self.abandon();
                self.request(lines)
            }
            other => other,
        }
    }

    /// Gives up the connection: the next request opens another one.
    fn abandon(&self) {
        if let Some(open) = self.connection.lock().unwrap_or_else(PoisonError::into_inner).as_ref() {
            open.abandon();
        }
    }

    /// Runs lines, and returns what each answered.
    pub(super) fn request(&self, lines: &[String]) -> Result<Vec<Reply>, MuxError> {
        if lines.is_empty() {
            return Ok(Vec::new());
        }
        if let Some(connection) = self.connection()? {
            return connection.request(lines);
        }
        self.asked.fetch_add(1, Ordering::Relaxed);
        self.with_server(false, || oneshot::request(&self.target, lines, silence::PATIENCE))
    }

    pub(super) fn one(&self, words: &[&str]) -> Result<Reply, MuxError> {
        let replies = self.ask(&[line(words)])?;
        let reply = replies.into_iter().next().ok_or_else(|| MuxError::Closed("no reply".to_owned()))?;
        checked(reply, words.first().copied().unwrap_or_default())
    }

    /// Runs lines that must all succeed; the first refusal is the error.
    pub(super) fn all(&self, lines: &[String], what: &str) -> Result<Vec<Reply>, MuxError> {
        let replies = self.request(lines)?;
        replies.into_iter().map(|r| checked(r, what)).collect()
    }
}

/// Whether a server answers that has no session at all: one that is ending and still has clients, or
/// one that was just started.
pub(super) fn has_no_session(reply: &Reply) -> bool {
    !reply.ok && text_of(reply) == "no current target"
}

pub(super) fn checked(reply: Reply, command: &str) -> Result<Reply, MuxError> {
    if reply.ok {
        Ok(reply)
    } else {
        Err(MuxError::Refused { command: command.to_owned(), message: text_of(&reply) })
    }
}

/// The lines of a reply as text.
pub(super) fn joined(reply: &Reply) -> String {
    let lines: Vec<_> = reply.lines.iter().map(|l| String::from_utf8_lossy(l)).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_without_sessions_is_distinguished_from_one_that_refuses() {
        let reply = |ok, text: &str| Reply { time: 0, own: true, ok, lines: vec![text.into()] };
        assert!(has_no_session(&reply(false, "no current target")));
        assert!(!has_no_session(&reply(false, "can't find pane: %7")));
        assert!(!has_no_session(&reply(true, "no current target")), "a pane's title may say so");
    }
}
