//! The input field of an agent: what is typed in it, and making it ready for a message.
//!
//! Invariants: of a field that can't be read nothing is known; what someone typed is deleted only if that was asked for.

use std::sync::Arc;

use super::{POLL_INTERVAL, Unsent, drawn, screen};
use crate::domain::screen::Lines;
use crate::domain::session::Session;
use crate::ops::{Cancel, Cx, OpError, OpResult};
use crate::ports::ToolEntry;
use crate::ports::mux::PaneRef;

/// What is typed to see whether an agent takes it: no sign of a command, a menu or a mode.
const PROBE: &str = ".";
/// How often it is typed; each is waited for as long as an effect is.
const PROBES: u32 = 4;
/// How long input may take to leave the field: of a message that was just sent.
const LEAVES: u32 = 10;
/// How often a key that clears is pressed at most: a long input takes one or two for each line.
const CLEAR: u32 = 200;

/// The input field of one agent.
pub(super) struct Field<'a> {
    /// For what is typed and deleted again: nothing of that is cancelled halfway.
    pub cx: &'a Cx,
    /// For what may be cancelled.
    pub caller: &'a Cx,
    pub pane: &'a PaneRef,
    pub entry: Option<&'a Arc<ToolEntry>>,
    /// How often it is looked at for an effect.
    pub checks: u32,
}

impl Field<'_> {
    /// What is typed in it; `None` where that can't be read.
    pub fn typed(&self) -> OpResult<Option<String>> {
        let Some(entry) = self.entry.filter(|e| e.rules().has_composer()) else { return Ok(None) };
        Ok(screen(self.cx, self.pane)?.and_then(|s| entry.rules().typed(&Lines::of(&s))))
    }

    /// Whether it can be read at all.
    pub fn is_readable(&self) -> bool {
        self.entry.is_some_and(|e| e.rules().has_composer())
    }

    /// Whether it certainly holds something.
    pub fn holds_text(&self) -> OpResult<bool> {
        Ok(self.typed()?.is_some_and(|text| !text.is_empty()))
    }

    /// Whether something is in it, after a moment at most, which `cancel` ends; of a field that can't be read nothing
    /// is known.
    pub fn shows_text(&self, cancel: &Cancel) -> OpResult<bool> {
        for _ in 0..self.checks {
            if self.typed()?.is_none_or(|text| !text.is_empty()) {
                return Ok(true);
            }
            if cancel.is_cancelled() {
                break;
            }
            self.cx.pause(POLL_INTERVAL)?;
        }
        Ok(false)
    }

    /// Makes sure that an agent that was just started takes what is typed: some show their field before
    /// they read it, and what comes then is lost. A dot is typed until one is seen, and all are deleted.
    pub fn probe(&self, session: &Session) -> OpResult<()> {
        let not_ready = || OpError::NotReady(session.name());
        if self.typed()?.is_none_or(|text| !text.is_empty()) {
            return Ok(());
        }
        let _whole = self.caller.cancel.hold_off();
        for _ in 0..PROBES {
            self.caller.check_cancelled()?;
            self.cx.mux.type_text(self.pane, PROBE)?;
            if !self.shows_text(&self.cx.cancel)? {
                continue;
            }
            for _ in 0..self.checks {
                match self.typed()?.as_deref() {
                    None | Some("") => return Ok(()),
                    // Late ones, too.
                    Some(text) if text.chars().all(|c| c == '.') => {
                        let before = screen(self.cx, self.pane)?;
                        self.cx.mux.keys(self.pane, &["BSpace"])?;
                        drawn(self.cx, self.pane, &before)?;
                    }
                    // Somebody types.
                    Some(_) => return Err(not_ready()),
                }
            }
        }
        Err(not_ready())
    }

    /// Makes it ready for a message.
    pub fn prepare(&self, session: &Session, unsent: Unsent) -> OpResult<()> {
        let mut typed = self.typed()?;
        for _ in 0..LEAVES {
            if unsent != Unsent::Refuse || typed.as_ref().is_none_or(String::is_empty) {
                break;
            }
            self.caller.pause(POLL_INTERVAL)?;
            typed = self.typed()?;
        }
        match (typed, unsent) {
            (Some(text), Unsent::Refuse) if !text.is_empty() => {
                Err(OpError::Unsent { session: session.name(), text })
            }
            (None, Unsent::Replace) => Ok(self.cx.mux.keys(self.pane, &["C-u"])?),
            (Some(text), Unsent::Replace) if !text.is_empty() => self.clear(session),
            _ => Ok(()),
        }
    }

    /// Deletes a message that its sender no longer waits for, and reports what was achieved.
    pub fn take_back(&self, session: &Session) -> OpError {
        let left = || OpError::CancelledTyped(session.name());
        // One that can't be read may hold more than the message.
        match self.typed() {
            Ok(Some(text)) if text.is_empty() => OpError::Cancelled,
            Ok(Some(_)) => self.clear(session).map_or_else(|_| left(), |()| OpError::Cancelled),
            Ok(None) | Err(_) => left(),
        }
    }

    /// Clears it line by line, until it is seen to be empty.
    fn clear(&self, session: &Session) -> OpResult<()> {
        for _ in 0..CLEAR {
            let before = screen(self.cx, self.pane)?;
            // To the end, up to the start of the line, and the line break before it.
            self.cx.mux.keys(self.pane, &["C-e", "C-u", "BSpace"])?;
            drawn(self.cx, self.pane, &before)?;
            if !self.holds_text()? {
                return Ok(());
            }
        }
        let text = self.typed()?.unwrap_or_default();
        Err(OpError::Unsent { session: session.name(), text })
    }
}
