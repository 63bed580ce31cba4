//! Sending a message: it is pasted as one piece, Enter is sent as a separate key, and delivery is then checked.
//!
//! Invariant: a receipt reports what was observed, never what is expected.

mod field;
mod line_end;
mod ready;

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use super::panes::find_row;
use super::watch::{SessionState, Watcher};
use super::{Cx, OpError, OpResult, foreground_agent, guard};
use crate::domain::conversation::Digest;
use crate::domain::id::SessionId;
use crate::domain::session::Session;
use crate::domain::status::{Evidence, Observation, Reason, Source, Status, Turn};
use crate::domain::tool::Send;
use crate::ports::ToolEntry;
use crate::ports::mux::PaneRef;
use field::Field;
use line_end::LineEnd;
use ready::{await_ready, is_new};

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
    /// Whether an agent that asks something is sent to anyway.
    pub force: bool,
    /// What becomes of input that is there and was not sent.
    pub unsent: Unsent,
}

/// What becomes of unsent input in an agent's input field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unsent {
    /// The message is refused: the two would be sent as one.
    #[default]
    Refuse,
    /// It is cleared first.
    Replace,
    /// The message is added to it, and sent with it.
    Append,
}

impl Default for SendOptions {
    fn default() -> Self {
        Self { enter: true, force: false, unsent: Unsent::Refuse }
    }
}

/// How often to look for an effect.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// After how many polls Enter is pressed once more, if the message is still on the prompt: some agents
/// take the first for part of the paste, or are busy drawing.
const AGAIN: [u32; 3] = [7, 15, 30];
/// How long the paste may take to be drawn, in polls.
const DRAWN: u32 = 25;
/// Between two polls of a paste that is being drawn.
const SOON: Duration = Duration::from_millis(20);
/// For how many polls a field must be empty before a command counts as taken.
const EMPTIED: u32 = 4;
/// How long the messages that others are sending to this session are waited for.
const OTHERS: Duration = Duration::from_secs(60);

/// Sends a message to a running session. One at a time: two would be typed into each other. Once the agent
/// has one, its first prompt is no longer waited with.
///
/// # Errors
/// [`OpError::NotRunning`], [`OpError::Blocked`] unless forced, [`OpError::Unsent`] if something is typed
/// already, [`OpError::Sending`] if another message takes too long; [`OpError::TypedOnly`] if the message may be
/// left in the input field.
pub fn send(cx: &Cx, id: &SessionId, text: &str, options: SendOptions) -> OpResult<Receipt> {
    let session = cx.session(id)?;
    let file = cx.installation.files.join(format!("{id}.send"));
    let failed = |source| OpError::SendLock { file: file.clone(), source };
    let turn = cx.host.hold(&file, OTHERS, &cx.cancel).map_err(failed)?;
    if turn.is_none() {
        cx.check_cancelled()?;
    }
    let turn = turn.ok_or_else(|| OpError::Sending(session.name()))?;
    let receipt = send_as_allowed(cx, &session, text, options);
    cx.host.release(&file, turn);
    let receipt = receipt?;
    if receipt != Receipt::NotConfirmed && session.draft.is_some() {
        keep_draft(cx, id, None)?;
    }
    Ok(receipt)
}

/// Sends what its caller may send, below a line with its name if that is an agent.
fn send_as_allowed(cx: &Cx, session: &Session, text: &str, options: SendOptions) -> OpResult<Receipt> {
    let leave = guard::leave_to_send(cx, session, text)?;
    let receipt = send_to(cx, session, &leave.text, options);
    let may_be_sent = |error: &OpError| {
        matches!(error, OpError::CancelledSent(_) | OpError::CancelledTyped(_) | OpError::TypedOnly { .. })
    };
    if receipt.as_ref().is_err_and(|error| !may_be_sent(error)) {
        leave.not_sent(cx);
    }
    receipt
}

/// What is typed in the input field of a running session's agent and was not sent; none where that can't be read.
///
/// # Errors
/// [`OpError`] when its screen can't be looked at.
pub(super) fn typed(cx: &Cx, session: &Session) -> OpResult<Option<String>> {
    let Some(row) = find_row(cx, session)?.filter(|row| row.facts.dead.is_none()) else { return Ok(None) };
    let tool = foreground_agent::tool_of(cx, session, &row);
    Field { cx, caller: cx, pane: &row.pane, entry: tool.as_ref(), checks: 1 }.typed()
}

/// Keeps another text as a session's first prompt that was not sent; none to discard it.
///
/// # Errors
/// [`OpError`] when it can't be recorded.
pub fn keep_draft(cx: &Cx, id: &SessionId, text: Option<&str>) -> OpResult<()> {
    let text = text.filter(|t| !t.trim().is_empty()).map(str::to_owned);
    cx.change_session(id, |s| s.draft.clone_from(&text)).map(drop)
}

fn send_to(cx: &Cx, session: &Session, text: &str, options: SendOptions) -> OpResult<Receipt> {
    let id = &session.id;
    let mut watcher = Watcher::of([id.clone()]);
    let before = await_ready(cx, session, &mut watcher, options.force)?;
    let row = find_row(cx, session)?.filter(|r| r.facts.dead.is_none());
    let Some(row) = row else { return Err(OpError::NotRunning(session.name())) };
    refuse_blocked(session, &before, options)?;
    // A mere repaint may be that of what was typed.
    let busy = before.verdict.status == Status::Running && works(&before, None);
    let tool = foreground_agent::tool_of(cx, session, &row);
    let Send { delay_ms, wait_ms } = tool.as_ref().map_or_else(Send::default, |e| e.tool.send.clone());
    let checks = u32::try_from(u128::from(wait_ms) / POLL_INTERVAL.as_millis()).unwrap_or(u32::MAX).max(1);
    // What was typed by deck is either sent or deleted again, whoever stops waiting.
    let steady = cx.uncancelled();
    let field = Field { cx: &steady, caller: cx, pane: &row.pane, entry: tool.as_ref(), checks };
    field.prepare(session, options.unsent)?;
    let known = super::digest(cx, id)?;
    // One that works on a prompt already takes what is typed, and may hide its field.
    let is_first = is_new(cx, &before) && known.as_ref().is_none_or(|d| d.last_prompt.is_none());
    if is_first && !(busy && field.typed()?.is_none()) {
        let probed = field.probe(session);
        // That takes a while: a dialog hides the field, and would take the message.
        refuse_blocked(session, &look(cx, &mut watcher, id)?, options)?;
        probed?;
    }
    // A service that is too busy to answer has one all the same.
    let has_source =
        |e: &Arc<ToolEntry>| !e.tool.conversation_files.is_empty() || !e.tool.service.args.is_empty();
    let keeps = known.is_some() || tool.as_ref().is_some_and(has_source);
    let is_command = tool.as_ref().is_some_and(|e| e.rules().is_command(text));
    let blank = screen(cx, &row.pane)?;
    let was_empty = field.is_empty_on(&blank);
    cx.check_cancelled()?;
    let typing = cx.cancel.hold_off();
    cx.mux.paste(&row.pane, text)?;
    if !options.enter {
        return Ok(Receipt::NotConfirmed);
    }
    let mut is_typed = false;
    let mut look_again = || {
        steady.pause(Duration::from_millis(delay_ms))?;
        // What the screen holds with the message on the prompt: from then on every change is an effect.
        let typed = drawn(&steady, &row.pane, &blank)?;
        is_typed = field.shows_text(&blank, &cx.cancel)?;
        cx.check_cancelled()?;
        if !is_typed {
            return Ok(None);
        }
        // A dialog may have opened in the meantime: Enter would answer it.
        refuse_blocked(session, &look(cx, &mut watcher, id)?, options)?;
        let line = match field.is_readable() {
            true => None,
            false => LineEnd::of(&*cx.mux, &row.pane, &screen(cx, &row.pane)?)?,
        };
        let sent_at = cx.clock.now();
        // The sender knows what was there before; what follows is new.
        super::acknowledge(cx, id)?;
        Ok(Some((typed, line, sent_at)))
    };
    let (typed, line, sent_at) = match look_again() {
        Ok(Some(seen)) => seen,
        // It went nowhere, or is still on its way: Enter would send something else, or nothing.
        Ok(None) => return Ok(Receipt::NotConfirmed),
        Err(error) => return Err(field.take_back(session, was_empty, is_typed, error)),
    };
    cx.mux.keys(&row.pane, &["Enter"])?;
    drop(typing);
    let mut emptied = 0;
    for n in 1..=checks {
        cx.pause(POLL_INTERVAL).map_err(|_| OpError::CancelledSent(session.name()))?;
        let now = look(cx, &mut watcher, id)?;
        let shown = screen(cx, &row.pane)?;
        let is_empty = field.typed()?.is_some_and(|text| text.is_empty());
        let on_prompt = match &line {
            Some(line) => holds(&shown, &blank, &typed) && line.is_there(&*cx.mux, &row.pane)?,
            None => !is_empty && holds(&shown, &blank, &typed),
        };
        // What is still in the field was not taken, whatever else it works on: its title may be an old one.
        if !busy && !on_prompt && (works(&now, Some(sent_at)) || came_to_ask(&now, sent_at)) {
            return Ok(Receipt::Delivered);
        }
        // A dialog hides the field: the message may be in it, or have been taken for an answer.
        let went = if field.is_readable() { is_empty } else { !on_prompt };
        if busy && went {
            return Ok(Receipt::Queued);
        }
        // A program that reads lines wrote something below this one.
        if line.as_ref().is_some_and(|line| !on_prompt && line.was_answered(&shown)) {
            return Ok(Receipt::Delivered);
        }
        // A command of the agent's own sends nothing: it was taken if it left the field for good.
        emptied = if is_command && is_empty && !asks(&now) { emptied + 1 } else { 0 };
        if emptied == EMPTIED {
            return Ok(Receipt::Delivered);
        }
        // Enter is an answer where something asks, and a second line where lines are read.
        if AGAIN.contains(&n) && on_prompt && !asks(&now) && field.holds_text()? {
            cx.mux.keys(&row.pane, &["Enter"])?;
        }
        // An agent that answers faster than it can be looked at: the message left the prompt, it is ready,
        // and its conversation, where deck can read that, has grown. A turn that ended counts for
        // nothing by itself: after a resume an old one is drawn again.
        let settled = line.is_none() && !busy && !on_prompt && is_ready(&now);
        if settled {
            let after = super::digest(cx, id)?;
            // Of an agent that keeps no conversation where deck can read it, nothing else speaks against it.
            let has_grown = match &after {
                Some(after) => has_grown(known.as_ref(), after, text),
                None => !keeps && !reports_nothing_new(&before, &now),
            };
            if has_grown {
                return Ok(Receipt::Delivered);
            }
        }
    }
    Ok(Receipt::NotConfirmed)
}

/// Refuses a message that would be taken for an answer.
fn refuse_blocked(session: &Session, look: &SessionState, options: SendOptions) -> OpResult<()> {
    if options.force || !asks(look) {
        return Ok(());
    }
    let reason = look.verdict.reason.as_ref().map(ToString::to_string).unwrap_or_default();
    let asks = look.verdict.asks.clone().unwrap_or(reason);
    Err(OpError::Blocked { session: session.name(), asks, has_choices: look.dialog.is_some() })
}

fn asks(look: &SessionState) -> bool {
    matches!((look.verdict.status, &look.verdict.reason), (Status::Waiting, Some(Reason::Blocked(_))))
}

/// The screen as soon as something is drawn on it that was not there before, or after a moment.
fn drawn(cx: &Cx, pane: &PaneRef, before: &Option<String>) -> OpResult<Option<String>> {
    for _ in 0..DRAWN {
        let now = screen(cx, pane)?;
        if now != *before {
            return Ok(now);
        }
        cx.pause(SOON)?;
    }
    screen(cx, pane)
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
fn came_to_ask(look: &SessionState, sent_at: Timestamp) -> bool {
    let v = &look.verdict;
    let told = matches!(v.reason, Some(Reason::Blocked(_) | Reason::Failed(_)));
    told && v.since >= sent_at
}

/// Whether the agent's own report is the one from before the message: that the same turn was the last, or that
/// nothing was said yet.
fn reports_nothing_new(before: &SessionState, now: &SessionState) -> bool {
    let of = |look: &SessionState| look.evidence.iter().find(|e| e.source == Source::Report).cloned();
    match (of(before), of(now)) {
        (Some(before), Some(now)) => {
            let never = now.what == Observation::Ready(Turn::Unmarked);
            before.what == now.what && (never || before.since == now.since)
        }
        _ => false,
    }
}

/// Whether a conversation has more in it than before. Of one that could not be read before, only whether its last prompt is
/// this text: what else it holds may be old.
fn has_grown(before: Option<&Digest>, after: &Digest, text: &str) -> bool {
    let solid = |text: &str| text.split_whitespace().collect::<String>();
    match before {
        Some(b) => b.bytes != after.bytes || b.last_prompt != after.last_prompt || b.used_at != after.used_at,
        None => after.last_prompt.as_deref().is_some_and(|last| solid(last) == solid(text)),
    }
}

/// How long an agent may take to be ready for its first message.
const FIRST: u32 = 300;

/// Sends a first message as soon as a session that was just started is ready for it.
///
/// # Errors
/// [`OpError`] when the session ends or asks something before.
pub fn paste_when_ready(cx: &Cx, id: &SessionId, text: &str, options: SendOptions) -> OpResult<Receipt> {
    let mut watcher = Watcher::of([id.clone()]);
    let mut polls = 0;
    while polls < FIRST {
        let now = look(cx, &mut watcher, id)?;
        // However long the setup of its worktree takes: the agent comes after it.
        polls += u32::from(now.verdict.reason != Some(Reason::Setup));
        // What one source reports may come too early: a service is up before its program takes a prompt.
        if !matches!(now.verdict.status, Status::Starting | Status::Running) {
            break;
        }
        cx.pause(POLL_INTERVAL)?;
    }
    send(cx, id, text, options)
}

fn look(cx: &Cx, watcher: &mut Watcher, id: &SessionId) -> OpResult<SessionState> {
    watcher.tick(cx)?.states.remove(id).ok_or_else(|| OpError::Missing(id.clone()))
}

fn screen(cx: &Cx, pane: &PaneRef) -> OpResult<Option<String>> {
    Ok(cx.mux.screens(std::slice::from_ref(pane))?.into_iter().next().flatten())
}

/// Whether it is seen to work, which a mere repaint doesn't show: what is typed is drawn, too. A hook's word from
/// before `since` is not about this message.
fn works(look: &SessionState, since: Option<Timestamp>) -> bool {
    let counts = |e: &Evidence| match e.source {
        Source::Activity => false,
        Source::Hook => since.is_none() || e.since >= since,
        _ => true,
    };
    look.evidence.iter().any(|e| matches!(e.what, Observation::Busy(_)) && counts(e))
}

fn is_ready(look: &SessionState) -> bool {
    look.evidence.iter().any(|e| matches!(e.what, Observation::Ready { .. }))
}
