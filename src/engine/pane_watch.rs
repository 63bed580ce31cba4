//! One stream of bytes for each pane that is watched, for however many viewers.
//!
//! Invariants: a pane that nobody watches is not captured; viewers share one capture; no viewer is waited for, and none has
//! a queue: each pulls what it lacks from what the stream keeps. What a stream keeps stays for a minute after its last
//! viewer left.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::pace::Pace;
use crate::domain::frame::{Capture, Facts, Keyframe, Painter, Position, Pull, Step, Stream};
use crate::ports::Clock;
use crate::ports::mux::{Mux, PaneRef, ServerId};

/// How many lines of the history a keyframe has.
const LINES: u32 = 1000;
/// How long a stream stays without viewers.
const KEPT: Duration = Duration::from_secs(60);
/// A flood is over when nothing changed for so long.
const SETTLED: Duration = Duration::from_millis(300);
/// What scrolled away in a flood is shown after this time at the latest.
const BEHIND: Duration = Duration::from_secs(5);
/// Between two captures of a pane on a server that is the user's own: each is a process.
const FOREIGN: Duration = Duration::from_secs(1);
/// How many captures one step may take.
const TRIES: u32 = 3;

/// The watched panes of a process.
#[derive(Clone)]
pub struct PaneWatches(Arc<Inner>);

struct Inner {
    mux: Arc<dyn Mux>,
    clock: Arc<dyn Clock>,
    /// deck's own server.
    own: ServerId,
    panes: Mutex<HashMap<PaneRef, Arc<Watched>>>,
}

/// What the thread of a pane and its viewers share.
struct Watched {
    pane: PaneRef,
    state: Mutex<State>,
    /// Grows with each change.
    changed: watch::Sender<u64>,
    requests: Sender<Request>,
}

#[derive(Default)]
struct State {
    stream: Stream,
    viewers: usize,
    /// Whether one of them needs a keyframe.
    wanted: bool,
    /// Whether what scrolled away is missing.
    behind: bool,
    /// Whether nobody watched it since its end was made.
    stale: bool,
    gone: bool,
}

enum Request {
    /// Something was typed: look soon.
    Typed,
    /// A viewer came, left or needs a keyframe.
    Look,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl std::fmt::Debug for PaneWatches {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PaneWatches").field("panes", &lock(&self.0.panes).len()).finish_non_exhaustive()
    }
}

impl PaneWatches {
    pub fn new(mux: Arc<dyn Mux>, clock: Arc<dyn Clock>, own: ServerId) -> Self {
        Self(Arc::new(Inner { mux, clock, own, panes: Mutex::default() }))
    }

    /// Watches a pane, from a position on or from the beginning.
    ///
    /// # Errors
    /// The system's error when there is no thread to be had.
    pub fn watch(&self, pane: &PaneRef, from: Option<Position>) -> std::io::Result<Viewer> {
        let watched = match lock(&self.0.panes).entry(pane.clone()) {
            Entry::Occupied(entry) => {
                let watched = entry.get().clone();
                lock(&watched.state).viewers += 1;
                watched
            }
            Entry::Vacant(entry) => {
                let (sender, requests) = channel();
                let state = State { viewers: 1, stale: true, ..State::default() };
                let watched = Arc::new(Watched {
                    pane: pane.clone(),
                    state: Mutex::new(state),
                    changed: watch::channel(0).0,
                    requests: sender,
                });
                let watch =
                    PaneWatch::new(Arc::downgrade(&self.0), watched.clone(), self.0.mux.clone(), &self.0);
                std::thread::Builder::new().name("pane".to_owned()).spawn(move || watch.run(&requests))?;
                entry.insert(watched.clone());
                watched
            }
        };
        let changed = watched.changed.subscribe();
        // One that has ended is looked at again by the next poll.
        let _ = watched.requests.send(Request::Look);
        Ok(Viewer { watched, changed, at: from })
    }
}

/// What a viewer has to be given next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Update {
    /// Reset the terminal, and write this.
    Whole(Arc<Keyframe>, Position),
    /// Write this. It is true while what scrolled away is missing.
    Output(String, Position, bool),
    /// The pane no longer exists.
    Gone,
}

/// One viewer of a pane. It leaves when this is dropped.
pub struct Viewer {
    watched: Arc<Watched>,
    changed: watch::Receiver<u64>,
    at: Option<Position>,
}

impl std::fmt::Debug for Viewer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Viewer")
            .field("pane", &self.watched.pane)
            .field("at", &self.at)
            .finish_non_exhaustive()
    }
}

impl Viewer {
    /// The next update, once there is one; never twice the same bytes.
    pub async fn next(&mut self) -> Update {
        loop {
            self.changed.mark_unchanged();
            if let Some(update) = self.pull() {
                return update;
            }
            if self.changed.changed().await.is_err() {
                return Update::Gone;
            }
        }
    }

    fn pull(&mut self) -> Option<Update> {
        let mut state = lock(&self.watched.state);
        if state.gone {
            return Some(Update::Gone);
        }
        if state.stale {
            return None;
        }
        match state.stream.pull(self.at) {
            Pull::Nothing => None,
            Pull::Output(data, position) => {
                self.at = Some(position);
                Some(Update::Output(data, position, state.behind))
            }
            Pull::Whole(keyframe, position) => {
                self.at = Some(position);
                Some(Update::Whole(keyframe, position))
            }
            Pull::Missing => {
                state.wanted = true;
                drop(state);
                let _ = self.watched.requests.send(Request::Look);
                None
            }
        }
    }

    /// Something was typed into the pane: its echo is looked for at once.
    pub fn typed(&self) {
        let _ = self.watched.requests.send(Request::Typed);
    }

    /// The number of the line that scrolls away next.
    pub fn line(&self) -> u64 {
        lock(&self.watched.state).stream.line()
    }
}

impl Drop for Viewer {
    fn drop(&mut self) {
        lock(&self.watched.state).viewers -= 1;
        let _ = self.watched.requests.send(Request::Look);
    }
}

/// The thread of one pane.
struct PaneWatch {
    inner: Weak<Inner>,
    watched: Arc<Watched>,
    mux: Arc<dyn Mux>,
    clock: Arc<dyn Clock>,
    foreign: bool,
    painter: Painter,
    pace: Pace,
    /// Since when what scrolled away is missing, and when the screen changed last.
    behind: Option<(Instant, Instant)>,
}

impl PaneWatch {
    fn new(inner: Weak<Inner>, watched: Arc<Watched>, mux: Arc<dyn Mux>, of: &Inner) -> Self {
        Self {
            foreign: watched.pane.server != of.own,
            clock: of.clock.clone(),
            inner,
            watched,
            mux,
            painter: Painter::default(),
            pace: Pace::new(Instant::now()),
            behind: None,
        }
    }

    fn run(mut self, requests: &Receiver<Request>) {
        loop {
            if lock(&self.watched.state).viewers == 0 {
                lock(&self.watched.state).stale = true;
                match requests.recv_timeout(KEPT) {
                    Err(RecvTimeoutError::Timeout) if self.leave() => return,
                    Err(RecvTimeoutError::Disconnected) => return,
                    _ => self.pace = Pace::new(Instant::now()),
                }
                continue;
            }
            match self.look() {
                Seen::Yes => {
                    if std::mem::take(&mut lock(&self.watched.state).stale) {
                        self.tell();
                    }
                }
                Seen::Nothing => {}
                Seen::Gone => {
                    self.remove();
                    lock(&self.watched.state).gone = true;
                    return self.tell();
                }
            }
            let now = Instant::now();
            let mut until = now + if self.foreign { FOREIGN } else { self.pace.wait(now) };
            loop {
                match requests.recv_timeout(until.saturating_duration_since(Instant::now())) {
                    Ok(Request::Typed) if self.foreign => break,
                    Ok(Request::Typed) => {
                        let now = Instant::now();
                        self.pace.typed(now);
                        until = now + self.pace.wait(now);
                    }
                    Ok(Request::Look) | Err(RecvTimeoutError::Timeout) => break,
                    Err(RecvTimeoutError::Disconnected) => return,
                }
            }
        }
    }

    /// Ends, unless a viewer came meanwhile. Returns whether it does.
    fn leave(&self) -> bool {
        let Some(inner) = self.inner.upgrade() else { return true };
        let mut panes = lock(&inner.panes);
        let is_left = lock(&self.watched.state).viewers == 0;
        if is_left {
            panes.remove(&self.watched.pane);
        }
        is_left
    }

    fn remove(&self) {
        if let Some(inner) = self.inner.upgrade() {
            lock(&inner.panes).remove(&self.watched.pane);
        }
    }

    fn tell(&self) {
        self.watched.changed.send_modify(|n| *n += 1);
    }

    /// Captures, and adds to the stream what changed.
    fn look(&mut self) -> Seen {
        let is_over =
            |(since, moved): (Instant, Instant)| moved.elapsed() >= SETTLED || since.elapsed() >= BEHIND;
        if self.behind.is_some_and(is_over) {
            return self.restart();
        }
        if lock(&self.watched.state).wanted {
            return self.keyframe();
        }
        let mut back = self.painter.wants();
        for tries in 1..=TRIES {
            let capture = match self.capture(back) {
                Ok(capture) => capture,
                Err(seen) => return seen,
            };
            let step = match self.painter.step(&capture) {
                Step::More(lines) if tries < TRIES => {
                    back = lines;
                    continue;
                }
                // It prints faster than it can be followed.
                Step::More(_) => self.painter.skip(&capture),
                step => step,
            };
            match step {
                Step::Same => {}
                Step::Paint(bytes, scrolled) => self.push(bytes, scrolled),
                Step::Jump(bytes) => self.jump(bytes),
                Step::More(_) | Step::Restart => return self.restart(),
            }
            return Seen::Yes;
        }
        Seen::Nothing
    }

    fn jump(&mut self, bytes: String) {
        let now = Instant::now();
        self.behind = Some((now, now));
        lock(&self.watched.state).behind = true;
        self.push(bytes, 0);
    }

    fn push(&mut self, bytes: String, scrolled: u32) {
        let now = Instant::now();
        self.pace.changed(now);
        if let Some((_, moved)) = &mut self.behind {
            *moved = now;
        }
        lock(&self.watched.state).stream.push(bytes, scrolled);
        self.tell();
    }

    /// Begins a new epoch.
    fn restart(&mut self) -> Seen {
        let capture = match self.capture(LINES) {
            Ok(capture) => capture,
            Err(seen) => return seen,
        };
        let (data, lines) = self.painter.whole(&capture);
        self.behind = None;
        self.pace.changed(Instant::now());
        let mut state = lock(&self.watched.state);
        (state.wanted, state.behind) = (false, false);
        let Facts { size, history, .. } = capture.facts;
        state.stream.restart(new_epoch(&*self.clock), data, size, lines, history);
        drop(state);
        self.tell();
        Seen::Yes
    }

    /// Makes a keyframe in the middle of the stream, which goes on.
    fn keyframe(&mut self) -> Seen {
        let capture = match self.capture(LINES) {
            Ok(capture) => capture,
            Err(seen) => return seen,
        };
        // First what the other viewers lack: then the keyframe is of the end of the stream.
        match self.painter.step(&capture) {
            Step::Same => {}
            Step::Paint(bytes, scrolled) => self.push(bytes, scrolled),
            Step::Jump(bytes) => self.jump(bytes),
            Step::More(_) | Step::Restart => return self.restart(),
        }
        let (data, lines) = Painter::default().whole(&capture);
        let mut state = lock(&self.watched.state);
        state.wanted = false;
        state.stream.put_keyframe(data, capture.facts.size, lines);
        drop(state);
        self.tell();
        Seen::Yes
    }

    /// A capture with so many lines of history.
    fn capture(&self, back: u32) -> Result<Capture, Seen> {
        match self.mux.instant(&self.watched.pane, back) {
            Ok(Some(capture)) if capture.rows.is_empty() => Err(Seen::Nothing),
            Ok(Some(capture)) => Ok(capture),
            Ok(None) => Err(Seen::Gone),
            // A server that is gone is the poll's to report.
            Err(error) => {
                tracing::debug!(%error, "can't capture a watched pane");
                Err(Seen::Nothing)
            }
        }
    }
}

/// What came of a look at a pane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Seen {
    Yes,
    /// Nothing now.
    Nothing,
    /// The pane no longer exists.
    Gone,
}

/// A random number that JSON numbers can hold.
fn new_epoch(clock: &dyn Clock) -> u64 {
    let digits =
        clock.new_conversation_id().chars().filter(char::is_ascii_hexdigit).take(13).collect::<String>();
    u64::from_str_radix(&digits, 16).unwrap_or(1)
}
