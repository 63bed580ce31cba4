//! MCP servers of the user's, and which of them sessions have.

#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;

use super::Version;
use crate::domain::mcp_servers::{Change, Chosen, Definition, Origin};
use crate::domain::session;
use crate::ops::mcp_servers::McpState;

/// A server of the catalogue, without the values of its variables and headers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct McpServer {
    pub schema_version: Version,
    pub name: String,
    pub description: String,
    /// `stdio`, `http` or `sse`.
    pub transport: String,
    /// Its program; null for one at an address.
    pub command: Option<String>,
    pub args: Vec<String>,
    /// The names of its own variables.
    pub env: Vec<String>,
    /// Its address; null for one that is a program.
    pub url: Option<String>,
    /// The names of the headers of its requests.
    pub headers: Vec<String>,
    /// Which sessions share one process of it: `no`, `project` or `profile`.
    pub share: String,
    /// Whether calls of several sessions may run in it at the same time.
    pub parallel: bool,
    /// The variables of an agent's environment that it needs.
    pub variables: Vec<String>,
    /// The sets that it is in.
    pub sets: Vec<String>,
    /// How many sessions of the profile are meant to have it.
    pub sessions: usize,
}

impl McpServer {
    pub fn of(name: &str, server: &Definition, sets: Vec<String>, sessions: usize) -> Self {
        let some = |text: &String| (!text.is_empty()).then(|| text.clone());
        Self {
            schema_version: Version,
            name: name.to_owned(),
            description: server.description.clone(),
            transport: server.transport().word().to_owned(),
            command: some(&server.command),
            args: server.args.clone(),
            env: server.env.keys().cloned().collect(),
            url: some(&server.url),
            headers: server.headers.keys().cloned().collect(),
            share: server.share.word().to_owned(),
            parallel: server.parallel,
            variables: server.variables(),
            sets,
            sessions,
        }
    }
}

/// A server that was removed from the catalogue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct McpServerRemoved {
    pub schema_version: Version,
    pub name: String,
    /// How many sessions of the profile were meant to have it.
    pub sessions: usize,
}

/// A shared server that runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct McpPool {
    pub schema_version: Version,
    pub name: String,
    /// `starting`, `ready`, `waiting` to be started again, or `failed`.
    pub state: String,
    /// Why it failed.
    pub reason: Option<String>,
    /// The process that shares it.
    pub pid: u32,
    /// Its own process; null if it isn't running.
    pub server_pid: Option<i32>,
    /// The memory of the server's processes, in KiB; null where the system doesn't say.
    pub memory_kib: Option<u64>,
    /// The titles of the sessions that use it.
    pub sessions: Vec<String>,
    /// How many calls of tools were passed on.
    pub calls: u64,
    /// How many wait for their turn.
    pub waiting: usize,
    /// How often the server was started.
    pub starts: usize,
    /// The version of the protocol that it speaks.
    pub protocol: Option<String>,
    /// What it asked of its clients, which a shared server can't.
    pub asks_for: Vec<String>,
    /// The file with what it wrote to its stderr.
    pub log: std::path::PathBuf,
}

/// A server of an agent's own file, as it was taken into the settings or could be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct McpImport {
    pub schema_version: Version,
    pub name: String,
    /// The agent's file.
    pub file: std::path::PathBuf,
    /// Its command line or its address; null if it can't be taken.
    pub what: Option<String>,
    /// Keys whose values are written out, and become variables.
    pub secrets: Vec<String>,
    /// Why it can't be taken.
    pub reason: Option<String>,
}

/// What a server was seen to do, and whether sessions can share it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct McpCheck {
    pub schema_version: Version,
    pub name: String,
    /// Milliseconds from its start to its answer to the handshake.
    pub starts_ms: u64,
    /// The memory of its processes, in KiB; null where the system doesn't say.
    pub memory_kib: Option<u64>,
    /// The versions of the protocol that it was asked for, newest first, and what it answered; null: it refused.
    pub protocols: Vec<McpCheckProtocol>,
    /// Its tools.
    pub tools: Vec<String>,
    /// What it asks of a client that can do all that a client may.
    pub asks_for: Vec<String>,
    /// What speaks against sharing it, a reason each.
    pub against_sharing: Vec<String>,
}

/// A version of the protocol that a server was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct McpCheckProtocol {
    pub asked: String,
    pub answered: Option<String>,
}

/// A difference between what a session was started with and what a start would give it now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct McpChange {
    pub name: String,
    /// Who gives it: `deck`, or a file of the agent's: `user`, `local` or `project`.
    pub source: String,
    pub change: McpChangeKind,
}

/// What a start would do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum McpChangeKind {
    Added,
    Removed,
    Changed,
}

impl McpChange {
    /// All differences; none if they aren't known.
    pub fn all(state: &McpState) -> Option<Vec<Self>> {
        match state {
            McpState::NotKnown => None,
            McpState::Known(changes) => Some(changes.iter().map(Self::of).collect()),
        }
    }

    fn of(change: &Change) -> Self {
        let (name, kind) = match change {
            Change::Added(name, _) => (name, McpChangeKind::Added),
            Change::Removed(name, _) => (name, McpChangeKind::Removed),
            Change::Changed(name, _) => (name, McpChangeKind::Changed),
        };
        Self { name: name.clone(), source: change.source().word().to_owned(), change: kind }
    }
}

/// The MCP servers of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct McpStatus {
    pub schema_version: Version,
    pub id: String,
    pub title: String,
    /// Whether its agent is running.
    pub running: bool,
    /// What it was last started with; null if that isn't known.
    pub loaded: Option<Vec<McpLoaded>>,
    /// What it was meant to have then and was started without.
    pub left_out: Vec<McpLeftOut>,
    /// What is attached to it now, wherever that is said.
    pub attached: Vec<McpAttached>,
    /// How a start would differ from what is loaded; null if that isn't known.
    pub changes: Option<Vec<McpChange>>,
}

/// A server that a session was started with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct McpLoaded {
    pub name: String,
    /// Who gives it: `deck`, or a file of the agent's: `user`, `local` or `project`.
    pub source: String,
}

/// A server that a session was started without.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct McpLeftOut {
    pub name: String,
    pub reason: String,
}

/// A server that is attached to a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct McpAttached {
    pub name: String,
    /// Where that is said: `session`, `group`, or `default` in the settings.
    pub scope: String,
    /// The group, if it is said there.
    pub group: Option<String>,
}

impl McpStatus {
    pub fn of(session: &session::Session, running: bool, chosen: &[Chosen], state: &McpState) -> Self {
        let loaded = session.loaded_mcp_state.as_ref().map(|all| {
            all.iter()
                .map(|l| McpLoaded { name: l.name.clone(), source: l.source.word().to_owned() })
                .collect()
        });
        let left_out = session.left_out_mcps.iter();
        Self {
            schema_version: Version,
            id: session.id.to_string(),
            title: session.title.clone(),
            running,
            loaded,
            left_out: left_out.map(|l| McpLeftOut { name: l.name.clone(), reason: l.why.clone() }).collect(),
            attached: chosen.iter().map(McpAttached::of).collect(),
            changes: McpChange::all(state),
        }
    }
}

impl McpAttached {
    fn of(chosen: &Chosen) -> Self {
        let (scope, group) = match &chosen.origin {
            Origin::Default => ("default", None),
            Origin::Group(path) => ("group", Some(path.to_string())),
            Origin::Session => ("session", None),
        };
        Self { name: chosen.name.clone(), scope: scope.to_owned(), group }
    }
}
