//! Captures of the pane that somebody looks at, at the pace at which it changes, and at the size at which they do.
//!
//! Invariants: a pane that nobody looks at is neither captured nor resized, and one that is only passed by is not resized;
//! a capture is handed on only if it differs from the last one; what is typed goes to the pane in its order, and its echo
//! is captured at once.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use super::pace::Pace;
use crate::domain::id::SessionId;
use crate::domain::worker::WorkerId;
use crate::ops::{Cx, OpResult, PaneInput, fit as fit_to, fit_terminal, type_into};
use crate::ports::MuxError;
use crate::ports::mux::{PaneRef, PaneRow, ScreenCapture};

/// Messages to the thread for captures.
#[derive(Debug)]
pub enum PreviewRequest {
    /// Show this session's pane, N lines back; none to show none.
    Pane(Option<Target>),
    /// Give the session that is shown this size, once it has been shown for a moment.
    Fit(Box<Fit>),
    /// Type into a pane, and show soon what came of it.
    Type(PaneRef, PaneInput),
}

/// The size at which a session is to be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fit {
    pub id: SessionId,
    /// What was last known of its agent's pane; none of a session that has only terminals.
    pub row: Option<PaneRow>,
    /// The pane of the terminal that is shown instead.
    pub terminal: Option<PaneRef>,
    /// Columns and rows.
    pub size: (u16, u16),
    /// Whether that can't wait: the user types into it.
    pub at_once: bool,
}

impl Fit {
    /// Whether it is about what is shown.
    fn is_of(&self, target: &Target) -> bool {
        self.id == target.session
            && match &self.terminal {
                Some(pane) => *pane == target.pane,
                None => target.terminal.is_none(),
            }
    }

    fn now(&self, cx: &Cx) -> OpResult<()> {
        match (&self.terminal, &self.row) {
            (Some(pane), _) => fit_terminal(cx, pane, self.size),
            (None, Some(row)) => fit_to(cx, row, self.size),
            (None, None) => Ok(()),
        }
    }
}

/// How long a session is shown before it gets the size at which it is: whoever only passes by changes nothing.
const REST: Duration = Duration::from_millis(300);

/// A session's pane, or that of a terminal beside its agent, and how many lines back it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    pub session: SessionId,
    pub terminal: Option<WorkerId>,
    pub pane: PaneRef,
    pub back: u32,
}

/// What the thread has to show.
#[derive(Debug)]
pub enum Shown {
    /// A pane as it is now.
    Capture(SessionId, Option<WorkerId>, Box<ScreenCapture>),
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
    let mut due: Option<(Instant, Box<Fit>)> = None;
    loop {
        let now = Instant::now();
        if let Some((_, fit)) = due.take_if(|(at, _)| *at <= now) {
            if target.as_ref().is_some_and(|target| fit.is_of(target))
                && let Err(error) = fit.now(cx)
            {
                // What is shown says the rest: it keeps its size.
                tracing::debug!(%error, "can't fit a session to its preview");
            }
            pace.typed(now);
        }
        let fits = due.as_ref().map(|(at, _)| at.duration_since(now));
        let message = match (&target, fits) {
            // Nothing to capture: nothing to wake up for.
            (None, None) => requests.recv().map_err(|_| RecvTimeoutError::Disconnected),
            (None, Some(wait)) => requests.recv_timeout(wait),
            (Some(_), wait) => {
                let capture = pace.wait(now);
                requests.recv_timeout(wait.map_or(capture, |wait| wait.min(capture)))
            }
        };
        match message {
            Ok(PreviewRequest::Pane(new)) => {
                if new != target {
                    (target, last, pace) = (new, 0, Pace::new(Instant::now()));
                }
            }
            Ok(PreviewRequest::Fit(fit)) => {
                let rest = if fit.at_once { Duration::ZERO } else { REST };
                due = Some((Instant::now() + rest, fit));
                continue;
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
        let Some(Target { session: id, terminal, pane, back }) = &target else { continue };
        // A server that is gone is the poll's to report.
        let Ok(Some(capture)) = cx.mux.capture(pane, *back) else { continue };
        if capture.lines.is_empty() {
            continue;
        }
        let mut hasher = DefaultHasher::new();
        (&capture.lines, capture.size, capture.cursor, capture.history, capture.back).hash(&mut hasher);
        let hash = hasher.finish();
        if hash != last {
            match show(Shown::Capture(id.clone(), terminal.clone(), Box::new(capture))) {
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
