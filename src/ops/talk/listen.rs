//! Reading what is said in the transcript of the session that carries a conversation into its log.
//!
//! Invariants: each message is in the log once, whoever reads, whenever a process is killed, and also where an agent writes its
//! history again: the place that was read to is in the same append as the messages, and messages are known by the agent's own
//! ids. A summary by which an agent replaces its context is not a message; a checkpoint of the session is kept beside it.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::{Map, json};
use sha2::{Digest as _, Sha256};

use super::carry::{follow_record, is_of};
use super::{TalkError, time};
use crate::domain::conversation::{Bookmark, Heard, Part, Words};
use crate::domain::handoff::is_packet;
use crate::domain::id::SessionId;
use crate::domain::session::Session;
use crate::domain::talk::{
    Carrier, Event, MAX_CONTENT, Message, OnFull, Role, Speaker, State, TalkStatus, carried_line, estimate,
    is_message_id,
};
use crate::ops::digest::hear;
use crate::ops::panes::find_row;
use crate::ops::session_checkpoint::checkpoint;
use crate::ops::{Cx, OpError, OpResult};
use crate::ports::conversations::Talk;
use crate::ports::mux::PaneRow;
use crate::ports::transact;

/// How much of a transcript is read at once, in bytes.
const PIECE: u64 = 4 * 1024 * 1024;
/// After how many bytes without a message the log says how far was read.
const SILENT: u64 = 1024 * 1024;
/// The part of the most tokens by which a context must have changed to be noted without a message.
const NOTED: u64 = 50;

/// What was new in a transcript.
#[derive(Debug, Clone, PartialEq)]
pub struct Caught {
    pub state: State,
    /// How many messages.
    pub added: usize,
    /// The file of the checkpoint that was kept, because the agent compacted its context or that became full.
    pub checkpoint: Option<PathBuf>,
    /// How far was read: further than the log says, where nothing was said.
    pub ahead: Bookmark,
}

/// Reads what is new in the transcript of the session that carries a conversation. Without one, or where it can't be read now,
/// nothing changes.
///
/// # Errors
/// When the log can't be written.
pub fn catch_up(cx: &Cx, talk: &Talk) -> OpResult<Caught> {
    let state = follow_record(cx, talk)?;
    let talk = Talk { state, ..talk.clone() };
    let session = talk.state.carrier.as_ref().and_then(|carrier| SessionId::parse(&carrier.session));
    let session = session.and_then(|id| cx.session(&id).ok()).filter(|session| is_of(session, &talk));
    let nothing =
        Caught { state: talk.state.clone(), added: 0, checkpoint: None, ahead: Bookmark::default() };
    let Some(session) = session else { return Ok(nothing) };
    let row = find_row(cx, &session)?;
    listen(cx, &talk, &session, row.as_ref(), &Bookmark::default())
}

/// The same for a session whose pane is known, from where it was read to before.
///
/// # Errors
/// As for [`catch_up`].
pub fn listen(
    cx: &Cx,
    talk: &Talk,
    session: &Session,
    row: Option<&PaneRow>,
    ahead: &Bookmark,
) -> OpResult<Caught> {
    let mut caught = Caught { state: talk.state.clone(), added: 0, checkpoint: None, ahead: ahead.clone() };
    let current = row.and_then(PaneRow::conversation).or(session.resume.usable());
    let Some(current) = current.filter(|_| caught.state.status == TalkStatus::Active) else {
        // Nothing is added to an archived one; what was said meanwhile is read once it is restored.
        return Ok(caught);
    };
    let known = caught.state.carrier.as_ref().map(|carrier| carrier.bookmark.conversation.clone());
    let known = known.filter(|conversation| !conversation.is_empty());
    for conversation in conversations(session, known.as_deref(), current) {
        loop {
            let carrier = caught.state.carrier.clone();
            let Some(carrier) = carrier.filter(|carrier| carrier.session == session.id.as_str()) else {
                return Ok(caught);
            };
            let seq = caught.state.seq;
            let from = start(&carrier, &conversation, &caught.ahead);
            // One that is gone, or can't be read now, is read later.
            let Some(part) = hear(cx, session, row, &from, PIECE)? else { break };
            let whole = part.whole;
            let took = take(cx, talk, session, &carrier, part, &mut caught)?;
            if !took {
                // Another process was quicker: from where it got to.
                caught.ahead = Bookmark::default();
                let now = super::read(cx, &talk.root, &talk.state.id)?;
                if now.state.seq == seq {
                    return Ok(caught);
                }
                caught.state = now.state;
            } else if whole {
                break;
            }
        }
    }
    Ok(caught)
}

/// The agent's conversations that are still to be read, the current one last.
fn conversations(session: &Session, known: Option<&str>, current: &str) -> Vec<String> {
    if known == Some(current) {
        return vec![current.to_owned()];
    }
    let history: Vec<&str> = session.resume.history.iter().map(|entry| entry.id.as_str()).collect();
    let mut all: Vec<String> = match known.map(|known| (known, history.iter().rposition(|id| *id == known))) {
        // From the session's first prompt on.
        None => history.iter().map(|id| (*id).to_owned()).collect(),
        Some((_, Some(at))) => history.iter().skip(at).map(|id| (*id).to_owned()).collect(),
        Some((known, None)) => vec![known.to_owned()],
    };
    all.retain(|id| id != current);
    all.push(current.to_owned());
    all
}

/// Where to read on from.
fn start(carrier: &Carrier, conversation: &str, ahead: &Bookmark) -> Bookmark {
    let logged = &carrier.bookmark;
    if logged.conversation != conversation && ahead.conversation != conversation {
        return Bookmark { conversation: conversation.to_owned(), ..Bookmark::default() };
    }
    let is_further =
        ahead.conversation == conversation && ahead.file == logged.file && ahead.read > logged.read;
    if is_further { ahead.clone() } else { logged.clone() }
}

/// Adds what is new of a part. Returns whether that was done: not if the log has moved meanwhile.
fn take(
    cx: &Cx,
    talk: &Talk,
    session: &Session,
    carrier: &Carrier,
    part: Part,
    caught: &mut Caught,
) -> OpResult<bool> {
    let (root, id) = (&talk.root, &talk.state.id);
    let role = cx.installation.roles.get(&talk.state.subject.role).cloned().unwrap_or_default();
    let is_news = is_news(carrier, &part, &role);
    let mut ids: Vec<String> = part
        .heard
        .iter()
        .map(|heard| match heard {
            Heard::Words(words) => message_id(&words.id),
            Heard::Compacted { id } => message_id(id),
        })
        .collect();
    ids.dedup();
    let before = cx.conversations.known(root, id, &ids).map_err(TalkError::from)?;
    let now = time(cx);
    let news = events(&talk.state, &part, &mut before.clone(), carrier, None, &now);
    if news.is_empty() && !is_news {
        caught.ahead = part.bookmark;
        return Ok(true);
    }
    let is_full = role.on_full == OnFull::Checkpoint
        && part.context.is_some_and(|now| now >= role.threshold())
        && carrier.context.is_none_or(|last| last < role.threshold());
    let has_compacted = news.iter().any(|event| matches!(event, Event::AgentCompacted { .. }));
    let kept = if has_compacted || is_full { keep_checkpoint(cx, session) } else { None };
    let mut took = false;
    let mut added = 0;
    let mut failed = None;
    let state = cx.conversations.change(root, id, &now, &mut |state| {
        let is_same = state
            .carrier
            .as_ref()
            .is_some_and(|now| now.session == carrier.session && now.bookmark == carrier.bookmark)
            && state.status == TalkStatus::Active;
        if !is_same {
            return Vec::new();
        }
        let mut known = match cx.conversations.known(root, id, &ids) {
            Ok(known) => known,
            Err(error) => {
                failed = Some(error);
                return Vec::new();
            }
        };
        took = true;
        let events = events(state, &part, &mut known, carrier, kept.as_ref(), &now);
        added = events.iter().filter(|event| matches!(event, Event::MessageAdded { .. })).count();
        let read = Event::TranscriptRead { bookmark: part.bookmark.clone(), context: part.context };
        events.into_iter().chain([read]).collect()
    });
    let state = state.map_err(TalkError::from)?;
    if let Some(error) = failed {
        return Err(TalkError::from(error).into());
    }
    if took {
        cx.host.reached("talk-heard");
        caught.added += added;
        caught.checkpoint = kept.or(caught.checkpoint.take());
        caught.ahead = part.bookmark;
        if has_compacted {
            mark_compacted(cx, &session.id, true)?;
        }
    }
    caught.state = state;
    Ok(took)
}

/// Whether the log must say how far was read though nothing was said.
fn is_news(carrier: &Carrier, part: &Part, role: &Role) -> bool {
    let (logged, now) = (&carrier.bookmark, &part.bookmark);
    let is_elsewhere = logged.conversation != now.conversation || logged.file != now.file;
    let changed = part.context.map(|now| now.abs_diff(carrier.context.unwrap_or_default()));
    is_elsewhere
        || now.read.saturating_sub(logged.read) >= SILENT
        || changed.is_some_and(|by| by > role.token_limit / NOTED)
}

/// What a part adds to the log.
fn events(
    state: &State,
    part: &Part,
    known: &mut BTreeSet<String>,
    carrier: &Carrier,
    kept: Option<&PathBuf>,
    now: &str,
) -> Vec<Event> {
    let mut all = Vec::new();
    let mut compacted: Vec<&String> = carrier.compacted.iter().collect();
    for heard in &part.heard {
        match heard {
            Heard::Words(words) => {
                let message = message(state, words, &part.bookmark.conversation, now);
                if known.insert(message.id.clone()) {
                    let tokens = estimate(&message.content);
                    all.push(Event::MessageAdded { message, tokens, known: false });
                }
            }
            Heard::Compacted { id } => {
                if !compacted.contains(&id) && !known.contains(&message_id(id)) {
                    compacted.push(id);
                    let checkpoint = kept.map(|path| path.to_string_lossy().into_owned());
                    all.push(Event::AgentCompacted { id: id.clone(), checkpoint });
                }
            }
        }
    }
    all
}

/// The id of a message by the agent's own.
fn message_id(id: &str) -> String {
    if is_message_id(id) {
        return id.to_owned();
    }
    let digest: String = Sha256::digest(id.as_bytes()).iter().take(16).map(|b| format!("{b:02x}")).collect();
    format!("heard-{digest}")
}

fn message(state: &State, words: &Words, transcript: &str, now: &str) -> Message {
    let speaker = match words.by_agent {
        true => Speaker::Assistant,
        // What deck itself has told the agent.
        false if words.text.starts_with(&carried_line(&state.id)) || is_packet(&words.text) => {
            Speaker::System
        }
        false => Speaker::User,
    };
    let mut metadata = Map::new();
    if words.by_agent {
        metadata.insert("agentType".to_owned(), state.subject.role.clone().into());
    }
    if let Some((input, output)) = words.used {
        metadata.insert("tokens".to_owned(), json!({ "input": input, "output": output }));
    }
    if let Some(model) = &words.model {
        metadata.insert("model".to_owned(), model.clone().into());
    }
    metadata.insert("source".to_owned(), json!({ "transcript": transcript, "id": words.id }));
    let (content, is_cut) =
        crate::domain::packet::shortened(&words.text.replace('\0', "\u{fffd}"), MAX_CONTENT);
    if is_cut {
        metadata.insert("cut".to_owned(), true.into());
    }
    let at = words.at.clone().filter(|at| at.parse::<jiff::Timestamp>().is_ok());
    Message {
        id: message_id(&words.id),
        speaker,
        content,
        timestamp: at.unwrap_or_else(|| now.to_owned()),
        metadata: Some(metadata),
        other: Map::new(),
    }
}

/// Keeps a checkpoint of a session. That it can't be kept is no reason not to record what is said.
fn keep_checkpoint(cx: &Cx, session: &Session) -> Option<PathBuf> {
    let kept = checkpoint(cx, &session.id).inspect_err(|error| {
        tracing::warn!(session = %session.id, %error, "can't keep a checkpoint of a session whose context is full");
    });
    kept.ok().map(|kept| kept.file)
}

/// Marks a session as one whose agent has replaced its context by a summary, or as one that was given back what that may lack.
///
/// # Errors
/// When the profile can't be written.
pub fn mark_compacted(cx: &Cx, id: &SessionId, compacted: bool) -> OpResult<()> {
    let is_marked = |session: &Session| session.carries.as_ref().is_some_and(|c| c.compacted == compacted);
    if cx.session(id).is_ok_and(|session| session.carries.is_none() || is_marked(&session)) {
        return Ok(());
    }
    transact(&*cx.profile.store, |profile| {
        if let Some(carries) = profile.session_mut(id).and_then(|session| session.carries.as_mut()) {
            carries.compacted = compacted;
        }
        Ok::<_, OpError>(())
    })?;
    Ok(())
}
