//! Telling the agent of the session that carries a conversation something.

use super::TalkError;
use super::carry::is_of;
use crate::domain::id::SessionId;
use crate::domain::packet::shortened;
use crate::domain::session::Session;
use crate::domain::talk::{TalkStatus, carried_line};
use crate::ops::send::{Receipt, SendOptions, send};
use crate::ops::{Cx, OpResult};
use crate::ports::conversations::Talk;

/// How much of the messages, and of each other part, is in a first prompt, in bytes.
const MESSAGES: usize = 24_000;
const PART: usize = 8_000;

/// Sends what the user says in a conversation to the session that carries it. It is in the log once it is in the transcript.
///
/// # Errors
/// [`TalkError::NotCarried`] and [`TalkError::Archived`], or why it can't be sent; nothing is added then.
pub fn say(cx: &Cx, talk: &Talk, text: &str) -> OpResult<(Session, Receipt)> {
    let id = &talk.state.id;
    if talk.state.status == TalkStatus::Archived {
        return Err(TalkError::Archived(id.clone()).into());
    }
    let carrier = talk.state.carrier.as_ref().and_then(|carrier| SessionId::parse(&carrier.session));
    let session = carrier.and_then(|id| cx.session(&id).ok()).filter(|session| is_of(session, talk));
    let session = session.ok_or_else(|| TalkError::NotCarried(id.clone()))?;
    let receipt = send(cx, &session.id, text, SendOptions::default())?;
    Ok((session, receipt))
}

/// The first prompt of an agent that is started to carry a conversation: what its role is told, what is known of the project, and
/// what was said so far.
///
/// # Errors
/// When the conversation can't be read.
pub fn first_prompt(cx: &Cx, talk: &Talk, prompt: Option<&str>) -> OpResult<String> {
    let made = super::request(cx, talk, prompt, false)?;
    // A first prompt is an argument, of which there is only so much.
    let parts: Vec<String> = made
        .request
        .parts()
        .filter(|part| !part.text.trim().is_empty())
        .map(|part| shortened(&part.text, if part.name == "messages" { MESSAGES } else { PART }).0)
        .collect();
    let ending = match prompt {
        Some(_) => "",
        None => "\n\nSay in one line what you would do next, and wait.",
    };
    Ok(format!("{}\n\n{}{ending}", carried_line(&talk.state.id), parts.join("\n\n")))
}
