//! Sending a message: pasted as one piece, Enter as a key of its own, then looked at.
//!
//! Invariant: a receipt says what was seen, never what is hoped.

use std::time::Duration;

use super::launch::find_row;
use super::watch::{Look, Watcher};
use super::{Deck, OpError, OpResult};
use crate::domain::id::SessionId;
use crate::domain::status::{Observation, Reason, Status};
use crate::domain::tool::Send;

/// How the message was received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Receipt {
    /// The agent works on it.
    Delivered,
    /// The agent was busy: it takes the message when it is done.
    Queued,
    /// It is on the agent's prompt, and nothing more was seen.
    NotConfirmed,
}

impl Receipt {
    /// The words for it.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Delivered => "delivered",
            Self::Queued => "queued",
            Self::NotConfirmed => "not confirmed",
        }
    }
}

/// How to send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SendOptions {
    /// Whether Enter follows.
    pub enter: bool,
    /// Whether an agent that asks something is sent to all the same.
    pub force: bool,
    /// Whether a half-typed line is cleared first.
    pub clear: bool,
}

impl Default for SendOptions {
    fn default() -> Self {
        Self { enter: true, force: false, clear: false }
    }
}

/// How often to look for an effect.
const LOOK: Duration = Duration::from_millis(100);
/// After how many looks Enter is pressed once more: some agents take the first for part of the paste.
const AGAIN: u32 = 15;
/// After how many looks to give up.
const GIVE_UP: u32 = 50;

/// Sends a message to a running session.
///
/// # Errors
/// [`OpError::NotRunning`], [`OpError::Blocked`] unless forced.
pub fn send(deck: &Deck, id: &SessionId, text: &str, options: SendOptions) -> OpResult<Receipt> {
    let session = deck.session(id)?;
    let mut watcher = Watcher::new();
    let before = look(deck, &mut watcher, id)?;
    let row = find_row(deck, &session)?.filter(|r| r.dead.is_none());
    let Some(row) = row else { return Err(OpError::NotRunning(session.title)) };
    if let (Status::Waiting, Some(Reason::Blocked(_)), false) =
        (before.verdict.status, &before.verdict.reason, options.force)
    {
        let reason = before.verdict.reason.as_ref().map(ToString::to_string).unwrap_or_default();
        let asks = before.verdict.asks.clone().unwrap_or(reason);
        return Err(OpError::Blocked { title: session.title, asks });
    }
    let busy = before.verdict.status == Status::Running;
    let delay = deck.tools.tool(&session.tool).map_or_else(Send::default, |e| e.tool.send.clone()).delay_ms;
    if options.clear {
        deck.mux.keys(&row.pane, &["C-u"])?;
    }
    deck.mux.paste(&row.pane, text)?;
    if !options.enter {
        return Ok(Receipt::NotConfirmed);
    }
    deck.clock.pause(Duration::from_millis(delay));
    // What the screen holds with the message on the prompt: from then on every change is an effect.
    let typed = screen(deck, &row.pane)?;
    let sent_at = deck.clock.now();
    // Who sends knows what was there before; what comes of it is news to him.
    super::acknowledge(deck, id)?;
    deck.mux.keys(&row.pane, &["Enter"])?;
    for n in 1..=GIVE_UP {
        deck.clock.pause(LOOK);
        let now = look(deck, &mut watcher, id)?;
        let new_turn = now.verdict.since >= sent_at && now.verdict.status != Status::Idle;
        let left_prompt = busy && screen(deck, &row.pane)? != typed;
        if !busy && (is_busy(&now) || new_turn) {
            return Ok(Receipt::Delivered);
        }
        if left_prompt {
            return Ok(Receipt::Queued);
        }
        let untouched = n == AGAIN && screen(deck, &row.pane)? == typed;
        if untouched {
            deck.mux.keys(&row.pane, &["Enter"])?;
        }
        // An agent that answers faster than it can be looked at: its screen moved on and is ready.
        let settled = n >= AGAIN && !busy && is_ready(&now) && screen(deck, &row.pane)? != typed;
        if settled {
            return Ok(Receipt::Delivered);
        }
    }
    Ok(Receipt::NotConfirmed)
}

/// How long an agent may take to be ready for its first message.
const FIRST: u32 = 300;

/// Sends a first message as soon as a session that was just started is ready for it.
///
/// # Errors
/// [`OpError`] when the session ends or asks something before.
pub fn paste_when_ready(deck: &Deck, id: &SessionId, text: &str, options: SendOptions) -> OpResult<Receipt> {
    let mut watcher = Watcher::new();
    for _ in 0..FIRST {
        let now = look(deck, &mut watcher, id)?;
        if is_ready(&now) || matches!(now.verdict.status, Status::Waiting | Status::Error | Status::Stopped) {
            break;
        }
        deck.clock.pause(LOOK);
    }
    send(deck, id, text, options)
}

fn look(deck: &Deck, watcher: &mut Watcher, id: &SessionId) -> OpResult<Look> {
    watcher.tick(deck)?.looks.remove(id).ok_or_else(|| OpError::Missing(id.clone()))
}

fn screen(deck: &Deck, pane: &crate::ports::mux::Pane) -> OpResult<Option<String>> {
    Ok(deck.mux.screens(std::slice::from_ref(pane))?.into_iter().next().flatten())
}

fn is_busy(look: &Look) -> bool {
    look.evidence.iter().any(|e| matches!(e.what, Observation::Busy(_)))
}

fn is_ready(look: &Look) -> bool {
    look.evidence.iter().any(|e| matches!(e.what, Observation::Ready { .. }))
}
