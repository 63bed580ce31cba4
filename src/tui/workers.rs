//! The threads beside the loop: one looks at all sessions, one at the selected session's picture.
//!
//! Invariants: each sends only when something changed, and never waits for the loop; while
//! something else has the terminal they rest.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::Sender;
use tokio::sync::mpsc::error::TrySendError;

use crate::app::Msg;
use crate::domain::id::SessionId;
use crate::ops::{Deck, Snapshot, Watcher};
use crate::ports::mux::Pane;

/// Between two looks while something moves.
const BUSY: Duration = Duration::from_millis(500);
/// Between two looks while nothing does.
const QUIET: Duration = Duration::from_millis(1000);
/// How long something counts as having moved lately.
const LATELY: Duration = Duration::from_secs(10);
/// Between two pictures while they change.
const FAST: Duration = Duration::from_millis(50);
/// Between two pictures while they don't.
const SLOW: Duration = Duration::from_millis(200);
/// How long pictures are asked for fast after a change.
const AFTERGLOW: Duration = Duration::from_secs(1);

/// What the thread that looks is told.
pub(super) enum Look {
    /// Look now.
    Now,
    /// Rest until told otherwise.
    Rest,
    /// End.
    Stop,
}

/// What the thread for pictures is told.
pub(super) enum Paint {
    /// Show this session's pane; none to show none.
    Pane(Option<(SessionId, Pane)>),
}

/// Both threads. They end, and are waited for, when this is dropped.
pub(super) struct Workers {
    look: Option<SyncSender<Look>>,
    paint: Option<SyncSender<Paint>>,
    threads: Vec<JoinHandle<()>>,
}

impl Workers {
    /// Starts both.
    pub fn start(deck: &Deck, loop_: &Sender<Msg>) -> std::io::Result<Self> {
        let (look, looks) = sync_channel(64);
        let (paint, paints) = sync_channel(64);
        let (first, second) = (deck.clone(), deck.clone());
        let (to_loop, also_to_loop) = (loop_.clone(), loop_.clone());
        let named = |name: &str| std::thread::Builder::new().name(name.to_owned());
        let threads = vec![
            named("watch").spawn(move || look_on(first, &to_loop, &looks))?,
            named("paint").spawn(move || paint_on(second, &also_to_loop, &paints))?,
        ];
        Ok(Self { look: Some(look), paint: Some(paint), threads })
    }

    /// A way to wake the thread that looks.
    pub fn waker(&self) -> Option<SyncSender<Look>> {
        self.look.clone()
    }

    /// Tells the thread that looks. A full queue means that a look is due anyway.
    pub fn look(&self, what: Look) {
        if let Some(sender) = &self.look {
            let _ = sender.try_send(what);
        }
    }

    /// Tells the thread for pictures. Returns whether it was told.
    pub fn paint(&self, what: Paint) -> bool {
        self.paint.as_ref().is_some_and(|sender| sender.try_send(what).is_ok())
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Workers {
    /// Ends both threads and waits for them.
    pub fn stop(&mut self) {
        if let Some(look) = self.look.take() {
            // The server's listener has a sender too: the thread must be told. One that is gone
            // already needs no telling.
            let _ = look.send(Look::Stop);
        }
        self.paint = None;
        for thread in self.threads.drain(..) {
            // One that panicked has said so in the log.
            let _ = thread.join();
        }
    }
}

fn look_on(deck: Deck, loop_: &Sender<Msg>, told: &Receiver<Look>) {
    let mut watcher = Watcher::new();
    let mut sent: Option<Snapshot> = None;
    let mut trouble = false;
    let mut moved = Instant::now();
    loop {
        let begun = Instant::now();
        match watcher.tick(&deck) {
            Ok(snapshot) => {
                let same = !trouble && sent.as_ref().is_some_and(|s| is_same(s, &snapshot));
                if !same {
                    moved = begun;
                    match loop_.try_send(Msg::Snapshot(Box::new(snapshot.clone()))) {
                        Ok(()) => (sent, trouble) = (Some(snapshot), false),
                        // The loop is busy or away: the next look is sent.
                        Err(TrySendError::Full(_)) => {}
                        Err(TrySendError::Closed(_)) => return,
                    }
                }
            }
            Err(error) => {
                trouble = true;
                if let Err(TrySendError::Closed(_)) = loop_.try_send(Msg::WatchFailed(error.to_string())) {
                    return;
                }
            }
        }
        let lively = sent.as_ref().is_some_and(|s| s.looks.values().any(|l| l.verdict.status.is_live()));
        let pace = if lively || moved.elapsed() < LATELY { BUSY } else { QUIET };
        match wait(told, pace.saturating_sub(begun.elapsed())) {
            Wake::Time => {}
            // Something came, went or was done: all of it is looked at.
            Wake::Look => watcher.forget(),
            Wake::Gone => return,
        }
    }
}

enum Wake {
    Time,
    Look,
    Gone,
}

/// Waits for the next look. Several reasons to look at once make one look.
fn wait(told: &Receiver<Look>, pace: Duration) -> Wake {
    match told.recv_timeout(pace) {
        Err(RecvTimeoutError::Timeout) => Wake::Time,
        Err(RecvTimeoutError::Disconnected) => Wake::Gone,
        Ok(Look::Stop) => Wake::Gone,
        Ok(Look::Now) => {
            while let Ok(more) = told.try_recv() {
                match more {
                    Look::Rest => return rest(told),
                    Look::Stop => return Wake::Gone,
                    Look::Now => {}
                }
            }
            Wake::Look
        }
        Ok(Look::Rest) => rest(told),
    }
}

fn rest(told: &Receiver<Look>) -> Wake {
    loop {
        match told.recv() {
            Ok(Look::Rest) => {}
            Ok(Look::Now) => return Wake::Look,
            Ok(Look::Stop) | Err(_) => return Wake::Gone,
        }
    }
}

/// Whether two looks show the same.
fn is_same(a: &Snapshot, b: &Snapshot) -> bool {
    let same_profile = std::sync::Arc::ptr_eq(&a.profile, &b.profile) || a.profile == b.profile;
    let shown = |s: &Snapshot| {
        let of = |(id, l): (&SessionId, &crate::ops::Look)| {
            let row = l.row.as_ref().map(|r| (r.pane.clone(), r.pid, r.attached > 0, r.note.clone()));
            let v = &l.verdict;
            (id.clone(), v.status, v.reason.clone(), v.since, v.asks.clone(), v.unsure, row)
        };
        s.looks.iter().map(of).collect::<Vec<_>>()
    };
    same_profile && a.recovered == b.recovered && shown(a) == shown(b)
}

fn paint_on(deck: Deck, loop_: &Sender<Msg>, told: &Receiver<Paint>) {
    let mut target: Option<(SessionId, Pane)> = None;
    let mut last = 0;
    let mut changed = Instant::now();
    loop {
        let pace = if changed.elapsed() < AFTERGLOW { FAST } else { SLOW };
        let message = match &target {
            // Nothing to paint: nothing to wake up for.
            None => told.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(_) => told.recv_timeout(pace),
        };
        match message {
            Ok(Paint::Pane(new)) => {
                if new != target {
                    (target, last, changed) = (new, 0, Instant::now());
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        let Some((id, pane)) = &target else { continue };
        // A server that is gone is the other thread's to tell.
        let Ok(Some(picture)) = deck.mux.picture(pane) else { continue };
        if picture.lines.is_empty() {
            continue;
        }
        let mut hasher = DefaultHasher::new();
        (&picture.lines, picture.size, picture.cursor).hash(&mut hasher);
        let hash = hasher.finish();
        if hash != last {
            match loop_.try_send(Msg::Picture(id.clone(), Box::new(picture))) {
                Ok(()) => (last, changed) = (hash, Instant::now()),
                Err(TrySendError::Full(_)) => {}
                Err(TrySendError::Closed(_)) => return,
            }
        }
    }
}
