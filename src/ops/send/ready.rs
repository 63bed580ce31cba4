//! When an agent that was just started takes a message: not before its screen shows where it would be typed.
//!
//! Invariant: an agent whose input field deck can read is sent nothing as long as that field was never seen.

use super::field::Field;
use super::{POLL_INTERVAL, asks, look, screen};
use crate::domain::session::Session;
use crate::domain::status::{Evidence, Observation, Source, Status};
use crate::ops::watch::{SessionState, Watcher};
use crate::ops::{Cx, OpError, OpResult, foreground_agent};

/// How long after its start an agent is new, in milliseconds.
const NEW: i64 = 300_000;
/// How long an agent may take until it shows its input field, in polls: a loaded machine takes half a minute.
const SHOWN: u32 = 900;
/// How long a screen without an input field may stay the same before it counts as something else than a start, in polls.
const STILL: u32 = 100;
/// How long the blank screen of an agent whose input field can't be read is waited for, in polls.
const BLANK: u32 = 50;

/// Whether it lives and was started a moment ago. What one shows that has been up for long is its own affair.
pub(super) fn is_new(cx: &Cx, look: &SessionState) -> bool {
    let now = cx.clock.now().as_millisecond();
    look.row
        .as_ref()
        .is_some_and(|r| r.facts.dead.is_none() && r.tags.started.is_some_and(|ms| now - ms < NEW))
}

/// Waits until a new agent takes what it is sent, whatever its other sources report: a service is up long before its
/// program draws anything. One that is not new, that asks something or that has ended is not waited for.
///
/// # Errors
/// [`OpError::NotReady`] if its input field doesn't come.
pub(super) fn await_ready(
    cx: &Cx,
    session: &Session,
    watcher: &mut Watcher,
    force: bool,
) -> OpResult<SessionState> {
    let (mut last, mut still) = (None, 0);
    for n in 0..SHOWN {
        let now = look(cx, watcher, &session.id)?;
        let row = now.row.as_ref().filter(|_| is_new(cx, &now) && !asks(&now));
        let Some(row) = row else { return Ok(now) };
        let entry = foreground_agent::tool_of(cx, session, row).filter(|e| e.rules().has_composer());
        let shown = screen(cx, &row.pane)?.filter(|s| !s.trim().is_empty());
        let is_starting = now.verdict.status == Status::Starting;
        let is_ready = match &entry {
            Some(_) => Field::is_on(entry.as_ref(), &shown) || is_seen_busy(&now),
            None => shown.is_some() || n >= BLANK,
        };
        if is_ready && !is_starting {
            return Ok(now);
        }
        still = if shown.is_some() && shown == last && !is_starting { still + 1 } else { 0 };
        if still == STILL {
            break;
        }
        last = shown;
        cx.pause(POLL_INTERVAL)?;
    }
    if force { look(cx, watcher, &session.id) } else { Err(OpError::NotReady(session.name())) }
}

/// Whether its screen shows that it works: it has a prompt already, and may hide its field.
fn is_seen_busy(look: &SessionState) -> bool {
    let shows = |e: &Evidence| e.source == Source::Screen && matches!(e.what, Observation::Busy(_));
    look.evidence.iter().any(shows)
}
