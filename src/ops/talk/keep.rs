//! Archiving, pinning, clearing and removing.

use serde_json::{Map, Value};

use super::carry::carrier;
use super::open::{describe, description_tokens, role};
use super::{TalkError, time};
use crate::domain::talk::{Event, Pin, State, TalkId, TalkStatus};
use crate::ops::{Cx, OpResult};
use crate::ports::conversations::{Part, Talk};

/// Changes a conversation by one record, or by none.
fn change(
    cx: &Cx,
    talk: &Talk,
    mut decide: impl FnMut(&State) -> Result<Option<Event>, TalkError>,
) -> OpResult<State> {
    let mut failed = None;
    let state = cx
        .conversations
        .change(&talk.root, &talk.state.id, &time(cx), &mut |state| match decide(state) {
            Ok(event) => event.into_iter().collect(),
            Err(error) => {
                failed = Some(error);
                Vec::new()
            }
        })
        .map_err(TalkError::from)?;
    match failed {
        Some(error) => Err(error.into()),
        None => Ok(state),
    }
}

/// Archives a conversation, or restores it.
///
/// # Errors
/// When it can't be written.
pub fn archive(cx: &Cx, talk: &Talk, archived: bool) -> OpResult<State> {
    change(cx, talk, |state| {
        Ok(match (archived, state.status) {
            (true, TalkStatus::Active) => Some(Event::Archived),
            (false, TalkStatus::Archived) => Some(Event::Unarchived),
            _ => None,
        })
    })
}

/// Pins a text, or the message of that id: it is in every request from then on.
///
/// # Errors
/// When it can't be written.
pub fn pin(cx: &Cx, talk: &Talk, words: &str) -> OpResult<Pin> {
    let message = cx.conversations.message(&talk.root, &talk.state.id, words).map_err(TalkError::from)?;
    let text = message.as_ref().map_or_else(|| words.to_owned(), |found| found.message.content.clone());
    let mut pinned = Pin { number: 0, text, message: message.map(|found| found.message.id) };
    change(cx, talk, |state| {
        if let Some(there) = state.pins.iter().find(|pin| pin.text == pinned.text) {
            pinned = there.clone();
            return Ok(None);
        }
        pinned.number = state.last_pin + 1;
        Ok(Some(Event::Pinned { pin: pinned.clone() }))
    })?;
    Ok(pinned)
}

/// Takes a pin away.
///
/// # Errors
/// [`TalkError::NoPin`], or when it can't be written.
pub fn unpin(cx: &Cx, talk: &Talk, number: u64) -> OpResult<State> {
    change(cx, talk, |state| match state.pins.iter().any(|pin| pin.number == number) {
        true => Ok(Some(Event::Unpinned { number })),
        false => Err(TalkError::NoPin { id: state.id.clone(), number }),
    })
}

/// The keys of the context that can be given.
pub const CONTEXT_KEYS: [&str; 6] =
    ["featureName", "featureGoal", "taskTitle", "dependencies", "dependents", "dagSummary"];

/// Sets values of the context, `KEY=VALUE` each; an empty value takes one away. A value is text, or JSON where the key is a list.
///
/// # Errors
/// [`TalkError::NoKey`] and [`TalkError::BadContextKey`], or when it can't be written.
pub fn set_context(cx: &Cx, talk: &Talk, values: &[String]) -> OpResult<State> {
    let mut set = Map::new();
    for word in values {
        let (key, value) = word.split_once('=').ok_or_else(|| TalkError::NoKey(word.clone()))?;
        if !CONTEXT_KEYS.contains(&key) {
            let allowed = CONTEXT_KEYS.join(", ");
            return Err(TalkError::BadContextKey { key: key.to_owned(), allowed }.into());
        }
        let value = match (key, value) {
            (_, "") => Value::Null,
            ("dependencies" | "dependents", list) => {
                list.split(',').map(str::trim).filter(|word| !word.is_empty()).collect::<Vec<_>>().into()
            }
            (_, text) => text.into(),
        };
        set.insert(key.to_owned(), value);
    }
    change(cx, talk, |_| Ok((!set.is_empty()).then(|| Event::ContextSet { values: set.clone() })))
}

/// Archives all messages; the checkpoint stays. Returns how many.
///
/// # Errors
/// When it can't be written.
pub fn clear(cx: &Cx, talk: &Talk) -> OpResult<(State, u64)> {
    Ok(cx.conversations.clear(&talk.root, &talk.state.id, &time(cx)).map_err(TalkError::from)?)
}

/// Writes what the role's agents are told again, as the settings say now.
///
/// # Errors
/// When it can't be written.
pub fn describe_again(cx: &Cx, talk: &Talk) -> OpResult<State> {
    let name = &talk.state.subject.role;
    let description = describe(name, role(cx, name)?, &time(cx));
    let text = serde_json::to_string_pretty(&description).unwrap_or_default();
    cx.conversations
        .put_part(&talk.root, &talk.state.id, Part::Description, &text)
        .map_err(TalkError::from)?;
    change(cx, talk, |_| Ok(Some(Event::Described { tokens: description_tokens(&description) })))
}

/// Moves a conversation's files to the trash of its folder.
///
/// # Errors
/// [`TalkError::StillCarried`], or when they can't be moved.
pub fn remove(cx: &Cx, talk: &Talk) -> OpResult<()> {
    if let Some(by) = carrier(cx, talk)? {
        return Err(TalkError::StillCarried { id: talk.state.id.clone(), by }.into());
    }
    Ok(cx.conversations.remove(&talk.root, &talk.state.id, &time(cx)).map_err(TalkError::from)?)
}

/// Brings back a conversation that was removed.
///
/// # Errors
/// When there is none, or one of its id is there by now.
pub fn restore(cx: &Cx, root: &std::path::Path, id: &TalkId) -> OpResult<Talk> {
    Ok(cx.conversations.restore(root, id).map_err(TalkError::from)?)
}
