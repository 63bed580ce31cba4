//! Getting a conversation, or making it.

use std::path::{Path, PathBuf};

use super::place::{read, root_for, roots};
use super::{TalkError, time};
use crate::domain::resolve::nearest;
use crate::domain::talk::{Checkpoint, Description, Role, State, Subject, checkpoint_size, estimate};
use crate::ops::{Cx, OpResult};
use crate::ports::conversations::{NewTalk, Part, Talk};

/// Which conversation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Wanted<'a> {
    pub role: &'a str,
    pub feature: &'a str,
    pub task: Option<&'a str>,
    /// The task's state; none for the one of the role.
    pub state: Option<&'a str>,
    /// The folder that it is in.
    pub root: Option<&'a Path>,
}

/// The role of a name.
///
/// # Errors
/// [`TalkError::NoRole`].
pub fn role<'a>(cx: &'a Cx, name: &str) -> Result<&'a Role, TalkError> {
    let roles = &cx.installation.roles;
    roles.get(name).ok_or_else(|| TalkError::NoRole {
        name: name.to_owned(),
        near: nearest(name, roles.keys().map(String::as_str)).map(str::to_owned),
    })
}

/// The conversation of a role about something, made if it is missing; true if it was. A new one begins with the checkpoint of
/// `from`, if that is given.
///
/// # Errors
/// [`TalkError::Collision`] when the id is another one's, others when it can't be read or made.
pub fn open(cx: &Cx, wanted: &Wanted<'_>, from: Option<&Talk>) -> OpResult<(Talk, bool)> {
    let role = role(cx, wanted.role)?;
    let by_role = Some(role.state.as_str()).filter(|state| !state.is_empty() && wanted.task.is_some());
    let subject = Subject::new(wanted.role, wanted.feature, wanted.task, wanted.state.or(by_role))
        .map_err(TalkError::from)?;
    let root = where_it_is(cx, wanted, &subject)?;
    let now = time(cx);
    let description = describe(wanted.role, role, &now);
    let mut state = State::new(subject.clone(), &now);
    state.description_tokens = description_tokens(&description);
    let mut checkpoint =
        Checkpoint { created_at: now.clone(), updated_at: now.clone(), ..Checkpoint::default() };
    if let Some(from) = from {
        let of = cx.conversations.checkpoint(&from.root, &from.state.id, None).map_err(TalkError::from)?;
        let of = of.unwrap_or_default();
        (checkpoint.summary, checkpoint.kept) = (of.summary, of.kept);
        state.pins.clone_from(&from.state.pins);
        state.last_pin = from.state.last_pin;
        state.checkpoint_tokens = checkpoint_size(&checkpoint);
    }
    let text = serde_json::to_string_pretty(&description).unwrap_or_default();
    let new = NewTalk { state, checkpoint, files: vec![(Part::Description, text)], messages: Vec::new() };
    let (talk, is_new) = cx.conversations.open(&root, &new, &now).map_err(TalkError::from)?;
    if talk.state.subject != subject {
        let there = talk.state.subject.words();
        return Err(TalkError::Collision { id: talk.state.id, there, asked: subject.words() }.into());
    }
    Ok((talk, is_new))
}

/// The folder of a conversation: where it is already, in whichever worktree; else where a new one belongs.
fn where_it_is(cx: &Cx, wanted: &Wanted<'_>, subject: &Subject) -> OpResult<PathBuf> {
    let root = root_for(cx, wanted.root, wanted.feature)?;
    let id = subject.id();
    if wanted.root.is_some() || cx.conversations.stamp(&root, &id).is_some() {
        return Ok(root);
    }
    for other in roots(cx, None)? {
        if cx.conversations.stamp(&other, &id).is_some() && read(cx, &other, &id)?.state.subject == *subject {
            return Ok(other);
        }
    }
    Ok(root)
}

/// What a role's agents are told.
pub(super) fn describe(name: &str, role: &Role, now: &str) -> Description {
    Description {
        agent_type: name.to_owned(),
        role_instructions: role.instructions.clone(),
        tool_instructions: role.tools.clone(),
        created_at: now.to_owned(),
        other: serde_json::Map::new(),
    }
}

pub(super) fn description_tokens(description: &Description) -> u64 {
    estimate(&description.role_instructions) + estimate(&description.tool_instructions)
}
