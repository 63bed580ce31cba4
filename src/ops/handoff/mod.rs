//! Handing a session's work over to another agent, with proof that it arrived.
//!
//! Invariants: the intent is on disk before anything is started; the first session is stopped only once the other agent's own
//! transcript has the packet; a packet is sent once, and whoever finishes what a killed process began looks at the transcript
//! instead of sending again.

mod error;
mod finish;
mod rollover;
mod undo;

pub use error::HandoffError;
pub use finish::finish;
pub use rollover::{is_due as is_rollover_due, roll_over};
pub(super) use undo::undo;

use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::SignedDuration;
use sha2::{Digest as _, Sha256};

use super::create::{New, create};
use super::digest::said;
use super::send::{SendOptions, paste_when_ready};
use super::session_checkpoint::{checkpoint, preview, whole};
use super::stop::{Terminals, stop};
use super::{Cx, OpError, OpResult, Watcher, talk};
use crate::domain::conversation::Who;
use crate::domain::handoff::{Handoff, HandoffState, REMEMBERED, has_packet, id_of, packet};
use crate::domain::id::SessionId;
use crate::domain::session::Session;
use crate::domain::status::StatusKind;
use crate::domain::talk::Carries;
use crate::ports::transact;

/// How long the other agent may take to have the packet in its transcript.
const RECEIPT: Duration = Duration::from_secs(60);
/// How long it may take to answer, where that is waited for.
const ANSWER: Duration = Duration::from_secs(300);
/// How often it is looked for.
const INTERVAL: Duration = Duration::from_millis(300);

/// What is handed over, and how.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Wish {
    /// A tool's name, or a command.
    pub to: String,
    /// The title of the new session; none: the first one's, with the tool's name.
    pub title: Option<String>,
    /// The folder that it works in; none: the first one's.
    pub folder: Option<PathBuf>,
    /// Whether the other agent is told to go on with the work at once.
    pub go: bool,
    /// Whether the first session keeps running.
    pub keep: bool,
    /// Whether it is handed over while the first one works.
    pub force: bool,
}

/// How far it is known to have arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Receipt {
    /// It was sent, and the other agent keeps no transcript that could prove more.
    NotVerified,
    /// Its transcript has the packet.
    Recorded,
    /// It has answered with the word that it was asked for.
    Answered,
}

impl Receipt {
    /// Its word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::NotVerified => "not_verified",
            Self::Recorded => "recorded",
            Self::Answered => "answered",
        }
    }
}

/// A packet that is ready to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ready {
    pub id: String,
    pub packet: String,
    pub sha256: String,
    /// The file with what did not fit, if anything did not.
    pub rest: Option<PathBuf>,
}

/// A handoff that is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandedOver {
    pub ready: Ready,
    pub from: Session,
    pub to: Session,
    pub receipt: Receipt,
    /// Whether the first session was stopped.
    pub parked: bool,
}

/// Makes the packet of a session. Nothing is started or recorded, but what doesn't fit into it is written into the project.
///
/// # Errors
/// [`HandoffError`] when the session can't be handed over now.
pub fn ready(cx: &Cx, id: &SessionId, wish: &Wish, write: bool) -> OpResult<Ready> {
    let session = cx.session(id)?;
    let name = || session.name();
    let snapshot = Watcher::new().tick(cx)?;
    let state = snapshot.state(id);
    let status = state.map(|state| state.verdict.kind());
    match status {
        Some(StatusKind::Asks) => return Err(HandoffError::Asks(name()).into()),
        Some(StatusKind::Running | StatusKind::Starting) if !wish.force => {
            return Err(HandoffError::Works(name()).into());
        }
        _ => {}
    }
    let kept = if write { checkpoint(cx, id)? } else { preview(cx, id)? };
    if kept.checkpoint.user_messages.is_empty() && kept.checkpoint.goal.is_none() {
        return Err(HandoffError::NoTranscript(name()).into());
    }
    let handoff = id_of(&cx.clock.new_conversation_id());
    let folder = wish.folder.clone().unwrap_or_else(|| PathBuf::from(&session.project_path));
    let rest = (kept.is_cut && write).then(|| folder.join(".deck/handoffs").join(format!("{handoff}.md")));
    if let Some(path) = &rest {
        let failed = |source| OpError::CheckpointFile { file: path.clone(), source };
        // Inside the project, because agents ask before they read outside of it; git leaves it alone.
        cx.host.put(&folder.join(".deck/handoffs/.gitignore"), "*\n").map_err(failed)?;
        cx.host.put(path, &whole(&kept.checkpoint)).map_err(failed)?;
    }
    let shown = rest.as_ref().map(|path| path.to_string_lossy().into_owned());
    let text = packet(&handoff, &kept.checkpoint, wish.go, shown.as_deref());
    Ok(Ready { id: handoff, sha256: sha256(&text), packet: text, rest })
}

fn sha256(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The file whose lock says that a process works on the handoffs of a session.
fn lock_file(cx: &Cx, id: &SessionId) -> PathBuf {
    cx.installation.files.join(format!("{id}.handoff"))
}

/// The packet of a handoff that is under way: whoever finishes it compares it with the other agent's transcript.
fn packet_file(cx: &Cx, id: &str) -> PathBuf {
    cx.installation.files.join(format!("{id}.packet"))
}

/// Hands a session's work over.
///
/// # Errors
/// [`HandoffError`] and others; the first session is as it was then. With [`HandoffError::NoReceipt`] the new session stays.
pub fn hand_over(cx: &Cx, id: &SessionId, wish: &Wish) -> OpResult<HandedOver> {
    finish(cx)?;
    let from = cx.session(id)?;
    let file = lock_file(cx, id);
    let failed = |source| OpError::CheckpointFile { file: file.clone(), source };
    let held = cx.host.hold(&file, Duration::ZERO, &cx.cancel).map_err(failed)?;
    let held = held.ok_or_else(|| HandoffError::UnderWay(from.name()))?;
    let done = under_lock(cx, &from, wish);
    cx.host.release(&file, held);
    done
}

fn under_lock(cx: &Cx, from: &Session, wish: &Wish) -> OpResult<HandedOver> {
    let ready = ready(cx, &from.id, wish, true)?;
    let new = new_session(from, wish, &ready);
    let file = packet_file(cx, &ready.id);
    let failed = |source| OpError::CheckpointFile { file: file.clone(), source };
    cx.host.put(&file, &ready.packet).map_err(failed)?;
    begun(cx, &from.id, wish, &ready)?;
    cx.host.reached("handoff-begun");
    let created = match create(cx, &new) {
        Ok(created) => created,
        Err(error) => {
            mark(cx, &ready.id, None, HandoffState::Failed(error.to_string()))?;
            return Err(error);
        }
    };
    let to = created.session;
    mark(cx, &ready.id, Some(&to.id), HandoffState::Begun)?;
    cx.host.reached("handoff-started");
    if let Some(text) = created.launched.as_ref().and_then(|launched| launched.plan.paste.clone()) {
        paste_when_ready(cx, &to.id, &text, SendOptions::default())?;
    }
    let receipt = await_receipt(cx, &to, &ready)?;
    cx.host.reached("handoff-sent");
    if receipt == Receipt::NotVerified {
        // Without proof the first session is not touched.
        mark(cx, &ready.id, Some(&to.id), HandoffState::Done)?;
        return Ok(HandedOver { ready, from: from.clone(), to, receipt, parked: false });
    }
    mark(cx, &ready.id, Some(&to.id), HandoffState::Recorded)?;
    cx.host.reached("handoff-recorded");
    let parked = complete(cx, &ready.id, &from.id, &to.id, wish.keep)?;
    Ok(HandedOver { ready, from: cx.session(&from.id)?, to: cx.session(&to.id)?, receipt, parked })
}

/// Records that a handoff begins.
fn begun(cx: &Cx, from: &SessionId, wish: &Wish, ready: &Ready) -> OpResult<()> {
    let begun = Handoff {
        id: ready.id.clone(),
        from: from.clone(),
        to: None,
        sha256: ready.sha256.clone(),
        carried: None,
        keep: wish.keep,
        state: HandoffState::Begun,
        at: cx.clock.now(),
    };
    transact(&*cx.profile.store, |profile| {
        profile.handoffs.push(begun.clone());
        let surplus = profile.handoffs.len().saturating_sub(REMEMBERED);
        profile.handoffs.drain(..surplus);
        Ok::<_, OpError>(())
    })?;
    Ok(())
}

fn new_session(from: &Session, wish: &Wish, ready: &Ready) -> New {
    let tool = wish.to.split_whitespace().next().unwrap_or_default();
    let word =
        Path::new(tool).file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    New {
        path: wish.folder.clone().unwrap_or_else(|| PathBuf::from(&from.project_path)),
        title: Some(wish.title.clone().unwrap_or_else(|| format!("{}-{word}", from.title))),
        command: Some(wish.to.clone()),
        group: from.group_path.clone(),
        parent: Some(from.id.clone()),
        prompt: Some(ready.packet.clone()),
        handoff: Some(ready.id.clone()),
        start: true,
        ..New::default()
    }
}

/// Records how far a handoff is.
fn mark(cx: &Cx, id: &str, to: Option<&SessionId>, state: HandoffState) -> OpResult<()> {
    if !matches!(state, HandoffState::Begun | HandoffState::Recorded) {
        forget_packet(cx, id);
    }
    transact(&*cx.profile.store, |profile| {
        if let Some(handoff) = profile.handoffs.iter_mut().find(|handoff| handoff.id == id) {
            handoff.to = to.cloned().or_else(|| handoff.to.take());
            handoff.state = state.clone();
        }
        Ok(())
    })
}

/// Removes the packet of a handoff that is over.
fn forget_packet(cx: &Cx, id: &str) {
    let file = packet_file(cx, id);
    if cx.host.exists(&file)
        && let Err(error) = cx.host.remove_own(&file)
    {
        tracing::warn!(path = %file.display(), %error, "can't remove the packet of a handoff");
    }
}

/// Reads the last of what was said in a session before another one carries its conversation. That it can't be read now keeps
/// nothing else from being done: it is still in the transcript.
fn catch_up(cx: &Cx, carried: &Carries) {
    let caught = talk::read(cx, Path::new(&carried.root), &carried.id)
        .and_then(|talk| talk::catch_up(cx, &talk).map(drop));
    if let Err(error) = caught {
        tracing::warn!(id = %carried.id, %error, "can't read what was said last in a conversation");
    }
}

/// Stops the first session, unless it is kept, and records what became of both.
fn complete(cx: &Cx, id: &str, from: &SessionId, to: &SessionId, keep: bool) -> OpResult<bool> {
    let parked = !keep;
    let carried = cx.session(from)?.carries.filter(|_| parked);
    if parked {
        stop(cx, from, Terminals::Keep)?;
        cx.host.reached("handoff-parked");
    }
    if let Some(carried) = &carried {
        catch_up(cx, carried);
    }
    let now = cx.clock.now();
    transact(&*cx.profile.store, |profile| {
        if let Some(session) = profile.session_mut(from) {
            session.handed_to = Some(to.clone());
            if carried.is_some() {
                session.carries = None;
            }
        }
        if let Some(session) = profile.session_mut(to) {
            if let Some(carried) = &carried {
                session.carries = Some(Carries { compacted: false, ..carried.clone() });
            }
            session.handed_from = Some(from.clone());
        }
        let title = |id: &SessionId| profile.session(id).map(|s| s.title.clone()).unwrap_or_default();
        let words = format!("handed {} over to {}", title(from), title(to));
        if let Some(handoff) = profile.handoffs.iter_mut().find(|handoff| handoff.id == id) {
            handoff.state = HandoffState::Done;
            handoff.carried.clone_from(&carried);
        }
        profile.changed_by_handoff(now, words, id.to_owned());
        Ok::<_, OpError>(())
    })?;
    forget_packet(cx, id);
    Ok(parked)
}

/// Whether the agent's transcript has the packet, and whether it has answered.
fn receipt_of(cx: &Cx, to: &SessionId, id: &str, packet: &str) -> OpResult<Option<Receipt>> {
    let all = said(cx, to)?;
    let at = all.iter().position(|said| said.who == Who::User && has_packet(&said.text, packet));
    let Some(at) = at else { return Ok(None) };
    let word = format!("received {id}");
    let answered = all.iter().skip(at).any(|said| said.who == Who::Agent && said.text.contains(&word));
    Ok(Some(if answered { Receipt::Answered } else { Receipt::Recorded }))
}

/// Waits until the other agent has answered with the word that it was asked for; or gives up after five minutes, or when it asks
/// something or ends.
///
/// # Errors
/// When it can't be looked at.
pub fn await_answer(cx: &Cx, done: HandedOver) -> OpResult<HandedOver> {
    let mut watcher = Watcher::new();
    let begun = cx.clock.now();
    let limit = SignedDuration::try_from(ANSWER).unwrap_or_default();
    while done.receipt == Receipt::Recorded && cx.clock.now().duration_since(begun) < limit {
        let snapshot = watcher.tick(cx)?;
        if receipt_of(cx, &done.to.id, &done.ready.id, &done.ready.packet)? == Some(Receipt::Answered) {
            return Ok(HandedOver { receipt: Receipt::Answered, ..done });
        }
        let status = snapshot.state(&done.to.id).map(|state| state.verdict.kind());
        if status.is_none_or(|s| matches!(s, StatusKind::Asks | StatusKind::Failed | StatusKind::Stopped)) {
            break;
        }
        cx.pause(INTERVAL)?;
    }
    Ok(done)
}

/// Waits until the other agent's transcript has the packet.
fn await_receipt(cx: &Cx, to: &Session, ready: &Ready) -> OpResult<Receipt> {
    let entry = cx.tools.tool(&to.tool);
    if entry.is_none_or(|entry| !entry.tool.has_conversation()) {
        return Ok(Receipt::NotVerified);
    }
    // What the agent reports of its conversation's id is recorded by the ticks.
    let mut watcher = Watcher::new();
    let begun = cx.clock.now();
    let limit = SignedDuration::try_from(RECEIPT).unwrap_or_default();
    loop {
        let snapshot = watcher.tick(cx)?;
        if let Some(receipt) = receipt_of(cx, &to.id, &ready.id, &ready.packet)? {
            return Ok(receipt);
        }
        let state = snapshot.state(&to.id);
        let status = state.map(|state| state.verdict.kind());
        if state.is_none_or(|state| state.row.as_ref().is_none_or(|row| row.facts.dead.is_some())) {
            let why = "its agent ended".to_owned();
            mark(cx, &ready.id, Some(&to.id), HandoffState::Failed(why.clone()))?;
            return Err(
                HandoffError::NoReceipt { to: to.name(), id: ready.id.clone(), why, is_over: true }.into()
            );
        }
        if cx.clock.now().duration_since(begun) >= limit {
            let why = match status {
                Some(StatusKind::Asks) => "it asks something first".to_owned(),
                _ => format!("nothing of it was in its transcript after {} s", RECEIPT.as_secs()),
            };
            mark(cx, &ready.id, Some(&to.id), HandoffState::Failed(why.clone()))?;
            return Err(
                HandoffError::NoReceipt { to: to.name(), id: ready.id.clone(), why, is_over: false }.into()
            );
        }
        cx.pause(INTERVAL)?;
    }
}
