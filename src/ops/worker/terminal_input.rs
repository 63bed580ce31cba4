//! What a terminal shows, and what is typed into it.

use super::find::record;
use super::terminal::panes_of;
use super::{WorkerError, WorkerName};
use std::time::Duration;

use jiff::Timestamp;

use crate::domain::guard::Act;
use crate::domain::key_name::key_name;
use crate::domain::status::Exit;
use crate::ops::{Cx, OpError, OpResult, guard};
use crate::ports::mux::{ScreenCapture, TerminalRow};

/// The pane of a terminal, dead or alive.
fn row(cx: &Cx, name: &WorkerName, act: Option<Act>) -> OpResult<TerminalRow> {
    let (session, worker) = record(cx, name)?;
    if let Some(act) = act {
        guard::check(cx, act, &session)?;
    }
    if !worker.is_terminal() {
        return Err(WorkerError::NoTerminal { name: worker.name, kind: worker.kind.word().to_owned() }.into());
    }
    let row = panes_of(cx, &session)?.into_iter().find(|row| row.worker == worker.id);
    row.ok_or_else(|| WorkerError::NotRunning { session: session.name(), name: worker.name }.into())
}

/// The same, if something runs in it.
fn live(cx: &Cx, name: &WorkerName, act: Act) -> OpResult<TerminalRow> {
    let row = row(cx, name, Some(act))?;
    if row.facts.dead.is_none() {
        return Ok(row);
    }
    let (session, worker) = record(cx, name)?;
    Err(WorkerError::NotRunning { session: session.name(), name: worker.name }.into())
}

/// The pane of a terminal, dead or alive, to be attached to.
///
/// # Errors
/// [`WorkerError::NoTerminal`], [`WorkerError::NotRunning`].
pub fn terminal_row(cx: &Cx, name: &WorkerName) -> OpResult<TerminalRow> {
    row(cx, name, None)
}

/// How often a terminal that is waited for is looked at.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// How often the server is told to collect a child.
const TELL: u32 = 5;

/// Waits until what runs in it has ended, and returns how; none if that isn't so by then.
///
/// # Errors
/// As for [`terminal_capture`]; also when the terminal is removed meanwhile.
pub fn await_end(cx: &Cx, name: &WorkerName, until: Option<Timestamp>) -> OpResult<Option<Exit>> {
    let mut told = 0;
    loop {
        match row(cx, name, None)?.facts.dead {
            // It is dead before tmux knows how.
            Some(Exit::NotYetKnown) if told < TELL => {
                cx.mux.reap()?;
                told += 1;
            }
            // It never will.
            Some(Exit::NotYetKnown) => return Ok(Some(Exit::Unknown)),
            Some(exit) => return Ok(Some(exit)),
            None => {}
        }
        if until.is_some_and(|at| cx.clock.now() >= at) {
            return Ok(None);
        }
        cx.pause(POLL_INTERVAL)?;
    }
}

/// What it shows, with its colours.
///
/// # Errors
/// [`WorkerError::NoTerminal`], [`WorkerError::NotRunning`].
pub fn terminal_capture(cx: &Cx, name: &WorkerName) -> OpResult<ScreenCapture> {
    let row = row(cx, name, None)?;
    Ok(cx.mux.capture(&row.pane, 0)?.unwrap_or_default())
}

/// The last `lines` lines of it with what has scrolled away, as text.
///
/// # Errors
/// [`WorkerError::NoTerminal`], [`WorkerError::NotRunning`].
pub fn terminal_history(cx: &Cx, name: &WorkerName, lines: u32) -> OpResult<String> {
    let row = row(cx, name, None)?;
    let text = cx.mux.history(&row.pane, lines)?.unwrap_or_default();
    let all: Vec<&str> = text.trim_end().lines().collect();
    let wanted = usize::try_from(lines).unwrap_or(usize::MAX);
    Ok(all.iter().skip(all.len().saturating_sub(wanted)).map(|l| format!("{l}\n")).collect())
}

/// Presses keys in it, by their names.
///
/// # Errors
/// [`OpError::NoKey`] before any is pressed, and as for [`terminal_capture`].
pub fn terminal_press(cx: &Cx, name: &WorkerName, keys: &[String]) -> OpResult<()> {
    let named = |k: &String| key_name(k).ok_or_else(|| OpError::NoKey(k.clone()));
    let names = keys.iter().map(named).collect::<OpResult<Vec<String>>>()?;
    let row = live(cx, name, Act::Press)?;
    Ok(cx.mux.keys(&row.pane, &names.iter().map(String::as_str).collect::<Vec<_>>())?)
}

/// Pastes a text into it, and presses Enter with `enter`. Whether anything takes it can't be known of a terminal.
///
/// # Errors
/// As for [`terminal_capture`].
pub fn terminal_send(cx: &Cx, name: &WorkerName, text: &str, enter: bool) -> OpResult<()> {
    let row = live(cx, name, Act::Press)?;
    let _whole = cx.cancel.hold_off();
    cx.mux.paste(&row.pane, text)?;
    if enter {
        cx.mux.keys(&row.pane, &["Enter"])?;
    }
    Ok(())
}
