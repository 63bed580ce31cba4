//! A worker of a session, as the page shows it.

use jiff::Timestamp;
#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;

use crate::api;

/// A tab of a session: its agent, a terminal, a diff, a rendered file, a link, or a further agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, schemars(rename = "WebWorker"))]
pub struct Worker {
    pub id: String,
    /// `agent`, `terminal`, `diff`, `markdown` or `link`; another word is of a newer deck.
    #[serde(rename = "type")]
    pub kind: String,
    pub name: String,
    /// The number of its tab, from 1.
    pub tab: usize,
    pub created_at: Timestamp,
    /// The tool of an agent.
    pub agent_id: Option<String>,
    /// The session that a further agent is.
    pub session_id: Option<String>,
    /// Whether something runs in it; null if it could not be looked at, or nothing ever does.
    pub alive: Option<bool>,
    /// The code with which it ended; null if it runs, or if that isn't known.
    pub exit_code: Option<i32>,
    /// What it runs; null for a shell, and of what nothing runs in.
    pub command: Option<String>,
    /// What a diff is against: `head`, `base`, or a commit or branch; null for what suits its session.
    pub against: Option<String>,
    /// The file that is rendered, from the session's folder.
    pub file_path: Option<String>,
    /// The address of a link.
    pub url: Option<String>,
}

impl Worker {
    /// A worker of a session whose tool is `tool`.
    pub fn of(worker: &api::Worker, tool: &str) -> Self {
        Self {
            id: worker.id.clone(),
            kind: worker.kind.clone(),
            name: worker.name.clone(),
            tab: worker.tab,
            created_at: worker.created_at,
            agent_id: (worker.kind == "agent").then(|| tool.to_owned()),
            session_id: worker.agent_id.clone(),
            alive: worker.alive,
            exit_code: worker.exit,
            command: worker.command.clone(),
            against: worker.against.clone(),
            file_path: worker.file.clone(),
            url: worker.url.clone(),
        }
    }
}
