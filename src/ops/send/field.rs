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
/// How often a key that clears may change nothing before it is given up: empty lines don't show.
const STUCK: u32 = 20;
/// How often the end of what is typed is looked for.
const ENDS: u32 = 8;
/// How many lines at most are passed at once.
const LINES: usize = 100;
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
        typed_on(self.entry, screen)
    }

    /// Whether the input field of this tool is on this screen.
    pub fn is_on(entry: Option<&Arc<ToolEntry>>, screen: &Option<String>) -> bool {
        typed_on(entry, screen).is_some()
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

    /// Whether something is in it that was typed on the screen `before`, after a moment at most, which `cancel` ends.
    /// Of a field that could not be read before, nothing is known; one that a text has hidden counts if there is
    /// anything on the screen at all.
    pub fn shows_text(&self, before: &Option<String>, cancel: &Cancel) -> OpResult<bool> {
        let could_be_read = self.typed_on(before).is_some();
        let mut hidden = false;
        for _ in 0..self.checks {
            let now = screen(self.cx, self.pane)?;
            hidden = match self.typed_on(&now) {
                None if !could_be_read => return Ok(true),
                Some(text) if !text.is_empty() => return Ok(true),
                Some(_) => false,
                None => now.is_some_and(|s| !s.trim().is_empty()),
            };
            if cancel.is_cancelled() {
                break;
            }
            self.cx.pause(POLL_INTERVAL)?;
        }
        Ok(hidden && !cancel.is_cancelled())
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
        if !self.is_readable() {
            return Ok(());
        }
        let mut typed = self.typed()?;
        for _ in 0..self.checks {
            if typed.is_some() {
                break;
            }
            self.caller.pause(POLL_INTERVAL)?;
            typed = self.typed()?;
        }
        // Without a field, the dots would go somewhere else.
        let Some(typed) = typed else { return Err(OpError::NotReady(session.name())) };
        if !typed.is_empty() {
            return Ok(());
        }
        self.caller.check_cancelled()?;
        let _whole = self.caller.cancel.hold_off();
        for _ in 0..PROBES {
            let before = screen(self.cx, self.pane)?;
            self.cx.mux.type_text(self.pane, PROBE)?;
            let mut is_seen = self.shows_text(&before, &self.caller.cancel)?;
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
        let mut is_hidden = false;
        for _ in 0..self.checks {
            let typed = self.typed()?;
            is_hidden = typed.is_none();
            match typed.as_deref() {
                Some("") => return Ok(true),
                // Late ones, too.
                Some(text) if text.chars().all(|c| c == '.') => {
                    let before = screen(self.cx, self.pane)?;
                    self.cx.mux.keys(self.pane, &["BSpace"])?;
                    drawn(self.cx, self.pane, &before)?;
                }
                // Somebody types.
                Some(_) => return Err(OpError::NotReady(session.name())),
                // It is drawn anew, or something is over it.
                None => self.cx.pause(POLL_INTERVAL)?,
            }
        }
        if is_hidden { Err(OpError::NotReady(session.name())) } else { Ok(false) }
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
            (Some(text), Unsent::Append) if !text.is_empty() => self.go_to_end(),
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

    /// Moves the cursor behind everything that is in it, with keys that change nothing: an arrow down at the last line
    /// would show another message.
    fn go_to_end(&self) -> OpResult<()> {
        let Some(text) = self.typed()? else { return Ok(()) };
        let press = |keys: &[&str]| {
            let before = screen(self.cx, self.pane)?;
            self.cx.mux.keys(self.pane, keys)?;
            drawn(self.cx, self.pane, &before)
        };
        press(&["C-e"])?;
        if self.typed()?.is_some_and(|now| now.len() > text.len() && now.starts_with(&text)) {
            // A program that reads lines takes it for text; the cursor is always at its end.
            press(&["BSpace"])?;
            return Ok(());
        }
        for _ in 0..ENDS {
            let Some(text) = self.typed()? else { return Ok(()) };
            let below = text.lines().count().clamp(1, LINES) - 1;
            if below == 0 {
                return Ok(());
            }
            press(&["Right", "C-e"].repeat(below))?;
            // A long one is scrolled, and has more lines than can be seen.
            if self.typed()? == Some(text) {
                break;
            }
        }
        Ok(())
    }

    /// Clears it line by line, until it is seen to be empty.
    fn clear(&self, session: &Session) -> OpResult<()> {
        let (mut pressed, mut hidden, mut stuck) = (0, 0, 0);
        if self.typed()?.is_some_and(|text| text.contains('\n')) {
            self.go_to_end()?;
        }
        while pressed < CLEAR && hidden < LEAVES && stuck < STUCK {
            match self.typed()? {
                Some(text) if text.is_empty() => return Ok(()),
                Some(text) => {
                    let before = screen(self.cx, self.pane)?;
                    // To the end, up to the start of the line, and the line break before it.
                    self.cx.mux.keys(self.pane, &["C-e", "C-u", "BSpace"])?;
                    drawn(self.cx, self.pane, &before)?;
                    pressed += 1;
                    if self.typed()? == Some(text) {
                        self.cx.pause(POLL_INTERVAL)?;
                        stuck += 1;
                        // More came below, or was not seen.
                        if stuck == STUCK / 2 {
                            self.go_to_end()?;
                        }
                    } else {
                        stuck = 0;
                    }
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

/// What is typed into the field of this tool on this screen; none where it can't be read.
fn typed_on(entry: Option<&Arc<ToolEntry>>, screen: &Option<String>) -> Option<String> {
    let entry = entry.filter(|e| e.rules().has_composer())?;
    entry.rules().typed(&Lines::of(screen.as_deref()?))
}
