//! The workers of a session, as they are listed.

use jiff::Timestamp;
#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;

use super::{Session, SessionDetails, Version};
use crate::domain::{session, status, worker};
use crate::ops::SessionState;
use crate::ops::worker::Listed;

/// A worker of a session: its agent, a terminal, a diff, a rendered file, a link, or a further agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Worker {
    pub schema_version: Version,
    pub id: String,
    /// The session that it belongs to.
    pub session_id: String,
    /// `agent`, `terminal`, `diff`, `markdown` or `link`; another word is of a newer deck.
    #[serde(rename = "type")]
    pub kind: String,
    pub name: String,
    /// The number of its tab, from 1.
    pub tab: usize,
    /// Whether something runs in it; null if it could not be looked at, or nothing ever does.
    pub alive: Option<bool>,
    /// The code with which it ended; null if it runs, or if that isn't known.
    pub exit: Option<i32>,
    /// Its pane, as its own tmux server names it; null if there is none.
    pub pane_id: Option<String>,
    /// What it runs; null for a shell, and of what nothing runs in.
    pub command: Option<String>,
    /// What a diff is against: `head`, `base`, or a commit or branch; null for what suits its session.
    pub against: Option<String>,
    /// The file that is rendered, from the session's folder.
    pub file: Option<String>,
    /// The address of a link.
    pub url: Option<String>,
    /// The session that a further agent is.
    pub agent_id: Option<String>,
    pub created_at: Timestamp,
}

impl Worker {
    /// A worker with what is known of it.
    pub fn of(session: &session::Session, listed: &Listed) -> Self {
        let record = listed.record.as_ref();
        Self {
            schema_version: Version,
            id: listed.id.clone(),
            session_id: session.id.to_string(),
            kind: listed.kind.clone(),
            name: listed.name.clone(),
            tab: listed.tab,
            alive: listed.alive,
            exit: match listed.exit {
                Some(status::Exit::Code(code)) => Some(code),
                _ => None,
            },
            pane_id: listed.pane.as_ref().map(|pane| pane.pane.clone()),
            command: listed.command.clone(),
            against: record.and_then(|w| w.against.clone()),
            file: record.and_then(|w| w.file.clone()),
            url: record.and_then(|w| w.url.as_deref().map(|url| address(session, url))),
            agent_id: listed.agent.as_ref().filter(|id| **id != session.id).map(ToString::to_string),
            created_at: listed.created_at,
        }
    }

    /// All of a session's, from what was seen of it.
    pub(super) fn all(session: &session::Session, state: Option<&SessionState>) -> Vec<Self> {
        if let Some(state) = state.filter(|state| !state.workers.is_empty()) {
            return state.workers.iter().map(|listed| Self::of(session, listed)).collect();
        }
        // Its agent alone, or a session that could not be looked at: then no agent beyond it is known.
        let alone = crate::domain::profile::Profile { sessions: vec![session.clone()], ..Default::default() };
        let row = state.and_then(|state| state.row.as_ref());
        let mut all = crate::ops::worker::listed(&alone, session, |_| row, &[]);
        if state.is_none() {
            all.iter_mut().for_each(|listed| listed.alive = None);
        }
        all.iter().map(|listed| Self::of(session, listed)).collect()
    }
}

/// The address of a link with its port filled in.
pub fn address(session: &session::Session, url: &str) -> String {
    worker::address(url, session.place.as_ref().map(crate::domain::place::Place::port))
}

/// What `deck show` answers.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(untagged)]
#[expect(dead_code, reason = "for its schema: the verb prints one of the two")]
pub enum Shown {
    Session(Box<SessionDetails>),
    /// For a word that means a worker which is no agent.
    Worker(Box<Worker>),
}

/// What `deck wait` answers.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(untagged)]
#[expect(dead_code, reason = "for its schema: the verb prints one of the two")]
pub enum WaitedFor {
    Sessions(Vec<Session>),
    /// For a terminal beside an agent.
    Worker(Vec<Worker>),
}

/// A worker that was removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct WorkerRemoved {
    pub schema_version: Version,
    pub id: String,
    pub name: String,
    /// Whether something ran in it.
    pub stopped: bool,
}
