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
/// How long input that was never seen is still waited for once its sender has left, in polls.
const LATE: u32 = 50;

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
        Ok(if self.is_readable() { self.typed_on(&screen(self.cx, self.pane)?) } else { None })
    }

    /// What is typed in it on this screen.
    fn typed_on(&self, screen: &Option<String>) -> Option<String> {
        let entry = self.entry.filter(|e| e.rules().has_composer())?;
        entry.rules().typed(&Lines::of(screen.as_deref()?))
    }

    /// Whether it certainly is empty on this screen.
    pub fn is_empty_on(&self, screen: &Option<String>) -> bool {
        self.typed_on(screen).is_some_and(|text| text.is_empty())
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

    /// Whether something comes into it that was typed before, though its sender has left.
    fn shows_late(&self) -> OpResult<bool> {
        for _ in 0..LATE.min(self.checks) {
            if self.holds_text()? {
                return Ok(true);
            }
            self.cx.pause(POLL_INTERVAL)?;
        }
        Ok(false)
    }

    /// Makes sure that an agent that was just started takes what is typed: some show their field before
    /// they read it, and what comes then is lost. A dot is typed until one is seen, and all are deleted.
    pub fn probe(&self, session: &Session) -> OpResult<()> {
        if self.typed()?.is_none_or(|text| !text.is_empty()) {
            return Ok(());
        }
        self.caller.check_cancelled()?;
        let _whole = self.caller.cancel.hold_off();
        for _ in 0..PROBES {
            self.cx.mux.type_text(self.pane, PROBE)?;
            let mut is_seen = self.shows_text(&self.caller.cancel)?;
            if !is_seen && self.caller.cancel.is_cancelled() {
                is_seen = self.shows_late()?;
            }
            let is_deleted = is_seen && self.delete_dots(session)?;
            if self.caller.cancel.is_cancelled() {
                let is_empty = self.typed()?.is_some_and(|text| text.is_empty());
                let left = || OpError::CancelledProbe(session.name());
                return Err(if is_deleted && is_empty { OpError::Cancelled } else { left() });
            }
            if is_deleted {
                return Ok(());
            }
        }
        Err(OpError::NotReady(session.name()))
    }

    /// Deletes the dots in it. Whether none is left, as far as that can be seen.
    fn delete_dots(&self, session: &Session) -> OpResult<bool> {
        for _ in 0..self.checks {
            match self.typed()?.as_deref() {
                None | Some("") => return Ok(true),
                // Late ones, too.
                Some(text) if text.chars().all(|c| c == '.') => {
                    let before = screen(self.cx, self.pane)?;
                    self.cx.mux.keys(self.pane, &["BSpace"])?;
                    drawn(self.cx, self.pane, &before)?;
                }
                // Somebody types.
                Some(_) => return Err(OpError::NotReady(session.name())),
            }
        }
        Ok(false)
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

    /// Deletes a message that is not sent after all, because of this error, and returns the error. If the message
    /// may be left there, the error says so.
    ///
    /// Only what came into an empty field is certainly the message alone.
    pub fn take_back(&self, session: &Session, was_empty: bool, is_seen: bool, error: OpError) -> OpError {
        let delete = || -> OpResult<bool> {
            let is_there = is_seen || self.shows_late()?;
            Ok(is_there && self.clear(session).is_ok())
        };
        // A dialog would take the keys that clear it, wherever the message is.
        let may_clear = was_empty && !matches!(error, OpError::Blocked { .. });
        if may_clear && delete().unwrap_or(false) {
            return error;
        }
        match error {
            OpError::Cancelled => OpError::CancelledTyped(session.name()),
            error => OpError::TypedOnly { session: session.name(), error: Box::new(error) },
        }
    }

    /// Clears it line by line, until it is seen to be empty.
    fn clear(&self, session: &Session) -> OpResult<()> {
        let (mut pressed, mut hidden) = (0, 0);
        while pressed < CLEAR && hidden < LEAVES {
            match self.typed()? {
                Some(text) if text.is_empty() => return Ok(()),
                Some(_) => {
                    let before = screen(self.cx, self.pane)?;
                    // To the end, up to the start of the line, and the line break before it.
                    self.cx.mux.keys(self.pane, &["C-e", "C-u", "BSpace"])?;
                    drawn(self.cx, self.pane, &before)?;
                    pressed += 1;
                }
                // It is being drawn, or something is over it that would take the keys.
                None => {
                    self.cx.pause(POLL_INTERVAL)?;
                    hidden += 1;
                }
            }
        }
        let text = self.typed()?.unwrap_or_default();
        Err(OpError::Unsent { session: session.name(), text })
    }
}
