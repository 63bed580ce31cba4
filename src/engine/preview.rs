//! Captures of the pane that somebody looks at, at the pace at which it changes.
//!
//! Invariants: a pane that nobody looks at is not captured; a capture is handed on only if it differs from the
//! last one; what is typed goes to the pane in its order, and its echo is captured at once.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Instant;

use super::pace::Pace;
use crate::domain::id::SessionId;
use crate::ops::{Cx, PaneInput, type_into};
use crate::ports::MuxError;
use crate::ports::mux::{PaneRef, ScreenCapture};

/// Messages to the thread for captures.
#[derive(Debug)]
pub enum PreviewRequest {
    /// Show this session's pane, N lines back; none to show none.
    Pane(Option<Target>),
    /// Type into a pane, and show soon what came of it.
    Type(PaneRef, PaneInput),
}

/// A session's pane, and how many lines back it is shown.
pub type Target = (SessionId, PaneRef, u32);

/// What the thread has to show.
#[derive(Debug)]
pub enum Shown {
    /// A pane as it is now.
    Capture(SessionId, Box<ScreenCapture>),
    /// Keys did not arrive.
    NotTyped(MuxError),
}

/// What became of something that was to be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// It is shown.
    Yes,
    /// There is no room now.
    Busy,
    /// Nobody shows anything any more.
    Gone,
}

/// Captures what is asked for until nobody asks any more.
pub fn run_preview(cx: &Cx, requests: &Receiver<PreviewRequest>, show: impl Fn(Shown) -> Taken) {
    let mut target: Option<Target> = None;
    let mut last = 0;
    let mut pace = Pace::new(Instant::now());
    loop {
        let message = match &target {
            // Nothing to capture: nothing to wake up for.
            None => requests.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(_) => requests.recv_timeout(pace.wait(Instant::now())),
        };
        match message {
            Ok(PreviewRequest::Pane(new)) => {
                if new != target {
                    (target, last, pace) = (new, 0, Pace::new(Instant::now()));
                }
            }
            Ok(PreviewRequest::Type(pane, input)) => {
                if let Err(error) = type_into(&*cx.mux, &pane, &input) {
                    let words = error.to_string();
                    if show(Shown::NotTyped(error)) != Taken::Yes {
                        tracing::warn!(error = words, "typed keys were lost");
                    }
                }
                pace.typed(Instant::now());
                // What was typed since goes first.
                continue;
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        let Some((id, pane, back)) = &target else { continue };
        // A server that is gone is the poll's to report.
        let Ok(Some(capture)) = cx.mux.capture(pane, *back) else { continue };
        if capture.lines.is_empty() {
            continue;
        }
        let mut hasher = DefaultHasher::new();
        (&capture.lines, capture.size, capture.cursor, capture.history, capture.back).hash(&mut hasher);
        let hash = hasher.finish();
        if hash != last {
            match show(Shown::Capture(id.clone(), Box::new(capture))) {
                Taken::Yes => {
                    last = hash;
                    pace.changed(Instant::now());
                }
                Taken::Busy => {}
                Taken::Gone => return,
            }
        }
    }
}
