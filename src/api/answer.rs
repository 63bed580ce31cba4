//! What comes of verbs that act on a session: messages, keys, answers, archiving, deleting, restoring.

#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;

use super::{Choice, Reason, Status, Version};
use crate::domain::id::SessionId;
use crate::domain::screen::AgentDialog;
use crate::domain::session::Session;
use crate::ops;

/// A question that a session asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Question {
    pub schema_version: Version,
    /// The rule that recognised it.
    pub rule: String,
    /// What is asked.
    pub asks: Option<String>,
    pub choices: Vec<Choice>,
    /// Whether several may be chosen: then it is answered by attaching.
    pub several: bool,
    /// Whether any other text may be given.
    pub takes_text: bool,
    /// The session that asks, where it was not named.
    pub id: Option<String>,
    pub title: Option<String>,
}

impl From<&AgentDialog> for Question {
    fn from(dialog: &AgentDialog) -> Self {
        Self {
            schema_version: Version,
            rule: dialog.rule.clone(),
            asks: dialog.asks.clone(),
            choices: dialog.choices.iter().map(Choice::from).collect(),
            several: dialog.several,
            takes_text: dialog.takes_text,
            id: None,
            title: None,
        }
    }
}

impl Question {
    /// The question of a session that was not named.
    pub fn of(session: &Session, dialog: &AgentDialog) -> Self {
        Self { id: Some(session.id.to_string()), title: Some(session.title.clone()), ..Self::from(dialog) }
    }
}

/// What `deck answer` answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(untagged)]
pub enum Answer {
    /// What is asked, if no choice was given.
    Question(Question),
    /// The choice that was taken.
    Taken(Answered),
}

/// A question that was answered, and what the session does now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Answered {
    pub schema_version: Version,
    pub id: String,
    pub title: String,
    /// The choice that was taken.
    pub answer: Choice,
    /// Its status since then; null if it could not be looked at.
    pub status: Option<Status>,
    pub reason: Option<Reason>,
    /// What it asks now, or what went wrong, in the agent's words.
    pub asks: Option<String>,
    /// The question that needs you most now, if that was asked for and there is one.
    pub next: Option<Question>,
}

impl Answered {
    /// What became of an answer to a question of `session`.
    pub fn of(session: &Session, answered: &ops::Answered, next: Option<Question>) -> Self {
        let verdict = answered.state.as_ref().map(|l| &l.verdict);
        Self {
            schema_version: Version,
            id: session.id.to_string(),
            title: session.title.clone(),
            answer: Choice::from(&answered.choice),
            status: verdict.map(|v| v.status.into()),
            reason: verdict.and_then(|v| v.reason.as_ref()).map(Reason::from),
            asks: verdict.and_then(|v| v.asks.clone()),
            next,
        }
    }
}

/// A message that was sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Sent {
    pub schema_version: Version,
    pub id: String,
    pub title: String,
    pub receipt: Receipt,
}

impl Sent {
    pub fn new(session: &Session, receipt: Receipt) -> Self {
        Self { schema_version: Version, id: session.id.to_string(), title: session.title.clone(), receipt }
    }
}

/// What was seen of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub enum Receipt {
    /// The agent works on it.
    #[serde(rename = "delivered")]
    Delivered,
    /// The agent was busy: it takes the message when it is done.
    #[serde(rename = "queued")]
    Queued,
    /// It was sent, and nothing more was seen.
    #[serde(rename = "not confirmed")]
    NotConfirmed,
    /// It was typed without Enter.
    #[serde(rename = "typed")]
    Typed,
}

impl From<ops::Receipt> for Receipt {
    fn from(receipt: ops::Receipt) -> Self {
        match receipt {
            ops::Receipt::Delivered => Self::Delivered,
            ops::Receipt::Queued => Self::Queued,
            ops::Receipt::NotConfirmed => Self::NotConfirmed,
        }
    }
}

/// Keys that were sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Pressed {
    pub schema_version: Version,
    pub id: String,
    /// The keys, as they were given.
    pub pressed: Vec<String>,
}

impl Pressed {
    pub fn new(id: &SessionId, keys: &[String]) -> Self {
        Self { schema_version: Version, id: id.to_string(), pressed: keys.to_vec() }
    }
}

/// What a session shows, or its last answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Output {
    pub schema_version: Version,
    pub id: String,
    pub title: String,
    /// Where the text is from.
    pub from: TextFrom,
    pub text: String,
}

impl Output {
    pub fn new(session: &Session, from: TextFrom, text: String) -> Self {
        Self { schema_version: Version, id: session.id.to_string(), title: session.title.clone(), from, text }
    }
}

/// Where a text is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TextFrom {
    /// The last answer in the conversation's file.
    Conversation,
    /// The screen, with or without what scrolled away.
    Screen,
}

/// A session that was archived.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Archived {
    pub schema_version: Version,
    pub id: String,
    pub title: String,
}

impl Archived {
    pub fn new(session: &Session) -> Self {
        Self { schema_version: Version, id: session.id.to_string(), title: session.title.clone() }
    }
}

/// A session that was deleted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Deleted {
    pub schema_version: Version,
    pub id: String,
    /// Always true.
    deleted: bool,
}

impl Deleted {
    pub fn new(id: &SessionId) -> Self {
        Self { schema_version: Version, id: id.to_string(), deleted: true }
    }
}

/// What was restored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Restored {
    pub schema_version: Version,
    /// Sessions, by id.
    pub sessions: Vec<String>,
    /// Groups, by path.
    pub groups: Vec<String>,
    /// Shells, by id.
    pub shells: Vec<String>,
    /// What was undone, in words, such as `moved api to work`; null if it was a deletion.
    pub undone: Option<String>,
}

impl Restored {
    /// A shell that takes commands again.
    pub fn of_shell(shell: &crate::domain::shell::Shell) -> Self {
        Self {
            schema_version: Version,
            sessions: Vec::new(),
            groups: Vec::new(),
            shells: vec![shell.session_id.to_string()],
            undone: None,
        }
    }
}

impl From<&ops::Undone> for Restored {
    fn from(undone: &ops::Undone) -> Self {
        let restored = &undone.restored;
        Self {
            schema_version: Version,
            sessions: restored.sessions.iter().map(ToString::to_string).collect(),
            groups: restored.groups.iter().map(ToString::to_string).collect(),
            shells: Vec::new(),
            undone: undone.change.clone(),
        }
    }
}
