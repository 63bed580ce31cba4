//! What can be imported, and what was.

use std::path::PathBuf;

#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;

use super::{FoundConversation, Session, Version};
use crate::ops;

/// What `deck import` answers.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(untagged)]
pub enum Import {
    /// Agents that can be adopted.
    Agents(Vec<RunningAgent>),
    /// Conversations that can be imported.
    Conversations(Vec<FoundConversation>),
    /// The sessions that were created.
    Sessions(Vec<Session>),
}

/// An agent that runs in a tmux session that is not deck's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct RunningAgent {
    pub schema_version: Version,
    /// The name of the tmux session.
    pub name: String,
    /// The socket of its server.
    pub server: String,
    pub tool: String,
    pub known_by: KnownBy,
    /// The folder it works in.
    pub project_path: PathBuf,
    /// Its process.
    pub pid: i32,
    /// The agent's id of its conversation, if its command line names it.
    pub resume_id: Option<String>,
    /// The title of its pane.
    pub title: String,
}

impl From<&ops::Candidate> for RunningAgent {
    fn from(agent: &ops::Candidate) -> Self {
        Self {
            schema_version: Version,
            name: agent.pane.name.clone(),
            server: agent.pane.server().to_string(),
            tool: agent.tool.clone(),
            known_by: match agent.known_by {
                ops::KnownBy::Process => KnownBy::Process,
                ops::KnownBy::Screen => KnownBy::Screen,
            },
            project_path: agent.folder.clone(),
            pid: agent.agent,
            resume_id: agent.conversation.clone(),
            title: agent.pane.title.clone(),
        }
    }
}

/// How an agent was recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum KnownBy {
    /// By its program.
    Process,
    /// By what it shows.
    Screen,
}
