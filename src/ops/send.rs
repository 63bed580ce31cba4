//! Sending a message: pasted as one piece, Enter as its own key, then looked at.
//!
//! Invariant: a receipt reports what was seen, never what is hoped.

use std::time::Duration;

use jiff::Timestamp;

use super::launch::find_row;
use super::watch::{Look, Watcher};
use super::{Deck, OpError, OpResult};
use crate::domain::conversation::Digest;
use crate::domain::id::SessionId;
use crate::domain::session::Session;
use crate::domain::status::{Evidence, Observation, Reason, Source, Status};
use crate::domain::tool::Send;
use crate::ports::mux::Pane;

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
/// After how many looks Enter is pressed once more, if the message is still on the prompt: some agents
/// take the first for part of the paste, or are busy drawing.
const AGAIN: [u32; 3] = [7, 15, 30];
/// How long the paste may take to be drawn, in looks.
const DRAWN: u32 = 25;
/// Between two looks at a paste that is being drawn.
const SOON: Duration = Duration::from_millis(20);
/// How long after its start an agent's screen may be blank, in milliseconds.
const NEW: i64 = 20_000;
/// How long a blank screen is waited for, in looks.
const BLANK: u32 = 50;
/// After how many looks to give up.
const GIVE_UP: u32 = 50;

/// Sends a message to a running session.
///
/// # Errors
/// [`OpError::NotRunning`], [`OpError::Blocked`] unless forced.
pub fn send(deck: &Deck, id: &SessionId, text: &str, options: SendOptions) -> OpResult<Receipt> {
    let session = deck.session(id)?;
    let mut watcher = Watcher::new();
    let mut before = look(deck, &mut watcher, id)?;
    // An agent that starts loses what it is sent.
    for _ in 0..FIRST {
        if before.verdict.status != Status::Starting {
            break;
        }
        deck.clock.pause(LOOK);
        before = look(deck, &mut watcher, id)?;
    }
    // One whose screen shows nothing yet would lose the Enter, whatever its other sources report.
    for _ in 0..BLANK {
        if !is_blank(deck, &session, &before) {
            break;
        }
        deck.clock.pause(LOOK);
        before = look(deck, &mut watcher, id)?;
    }
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
    let tool = deck.tools.tool(&session.tool);
    let delay = tool.as_ref().map_or_else(Send::default, |e| e.tool.send.clone()).delay_ms;
    if options.clear {
        deck.mux.keys(&row.pane, &["C-u"])?;
    }
    let known = super::digest(deck, id)?;
    let keeps = known.is_some() || tool.as_ref().is_some_and(|e| !e.tool.conversation_files.is_empty());
    let blank = screen(deck, &row.pane)?;
    deck.mux.paste(&row.pane, text)?;
    if !options.enter {
        return Ok(Receipt::NotConfirmed);
    }
    deck.clock.pause(Duration::from_millis(delay));
    // What the screen holds with the message on the prompt: from then on every change is an effect.
    let typed = drawn(deck, &row.pane, &blank)?;
    let sent_at = deck.clock.now();
    // The sender knows what was there before; what follows is new.
    super::acknowledge(deck, id)?;
    deck.mux.keys(&row.pane, &["Enter"])?;
    for n in 1..=GIVE_UP {
        deck.clock.pause(LOOK);
        let now = look(deck, &mut watcher, id)?;
        if !busy && (is_busy(&now, sent_at) || came_to_ask(&now, sent_at)) {
            return Ok(Receipt::Delivered);
        }
        let on_prompt = holds(&screen(deck, &row.pane)?, &blank, &typed);
        if busy && !on_prompt {
            return Ok(Receipt::Queued);
        }
        if AGAIN.contains(&n) && on_prompt {
            deck.mux.keys(&row.pane, &["Enter"])?;
        }
        // An agent that answers faster than it can be looked at: the message left the prompt, it is ready,
        // and its conversation, where deck can read that, has grown. A turn that ended counts for
        // nothing by itself: after a resume an old one is drawn again.
        let settled = !busy && !on_prompt && is_ready(&now);
        if settled && has_grown(keeps, known.as_ref(), super::digest(deck, id)?.as_ref()) {
            return Ok(Receipt::Delivered);
        }
    }
    Ok(Receipt::NotConfirmed)
}

/// The screen as soon as something is drawn on it that was not there before, or after a moment.
fn drawn(deck: &Deck, pane: &Pane, before: &Option<String>) -> OpResult<Option<String>> {
    for _ in 0..DRAWN {
        let now = screen(deck, pane)?;
        if now != *before {
            return Ok(now);
        }
        deck.clock.pause(SOON);
    }
    screen(deck, pane)
}

/// Whether a screen still shows what the paste had drawn: each line that came with it, where it was.
fn holds(now: &Option<String>, before: &Option<String>, typed: &Option<String>) -> bool {
    let lines = |screen: &Option<String>| -> Vec<String> {
        screen.as_deref().unwrap_or_default().lines().map(str::to_owned).collect()
    };
    let (now, before, typed) = (lines(now), lines(before), lines(typed));
    let came = typed.iter().enumerate().filter(|(i, line)| before.get(*i) != Some(line));
    let came: Vec<_> = came.filter(|(_, line)| !line.trim().is_empty()).collect();
    !came.is_empty() && came.iter().all(|(i, line)| now.get(*i) == Some(line))
}

/// Whether it asks something, or failed, since the message was sent.
fn came_to_ask(look: &Look, sent_at: Timestamp) -> bool {
    let v = &look.verdict;
    let told = matches!(v.reason, Some(Reason::Blocked(_) | Reason::Failed(_)));
    told && v.since >= sent_at
}

/// Whether a conversation has more in it than before; of an agent that keeps none where deck can read it,
/// nothing speaks against it.
fn has_grown(keeps: bool, before: Option<&Digest>, after: Option<&Digest>) -> bool {
    let Some(after) = after else { return !keeps };
    before.is_none_or(|b| {
        b.bytes != after.bytes || b.last_prompt != after.last_prompt || b.used_at != after.used_at
    })
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
        // What one source reports may come too early: a service is up before its program takes a prompt.
        if !matches!(now.verdict.status, Status::Starting | Status::Running) {
            break;
        }
        deck.clock.pause(LOOK);
    }
    send(deck, id, text, options)
}

fn look(deck: &Deck, watcher: &mut Watcher, id: &SessionId) -> OpResult<Look> {
    watcher.tick(deck)?.looks.remove(id).ok_or_else(|| OpError::Missing(id.clone()))
}

fn screen(deck: &Deck, pane: &Pane) -> OpResult<Option<String>> {
    Ok(deck.mux.screens(std::slice::from_ref(pane))?.into_iter().next().flatten())
}

/// Whether an agent whose screen deck can read shows nothing that it knows.
fn is_blank(deck: &Deck, session: &Session, look: &Look) -> bool {
    let has_rules = deck.tools.tool(&session.tool).is_some_and(|e| e.has_rules());
    // What an agent shows that has been up for long is its own affair.
    let is_new = |ms: i64| deck.clock.now().as_millisecond() - ms < NEW;
    let lives = look.row.as_ref().is_some_and(|r| r.dead.is_none() && r.started.is_some_and(is_new));
    let seen = |e: &Evidence| e.source == Source::Screen && e.what != Observation::Unknown;
    has_rules && lives && !look.evidence.iter().any(seen)
}

/// Whether it is seen to work. A hook's older word is not about this message.
fn is_busy(look: &Look, sent_at: Timestamp) -> bool {
    let counts = |e: &Evidence| e.source != Source::Hook || e.since >= Some(sent_at);
    look.evidence.iter().any(|e| matches!(e.what, Observation::Busy(_)) && counts(e))
}

fn is_ready(look: &Look) -> bool {
    look.evidence.iter().any(|e| matches!(e.what, Observation::Ready { .. }))
}
