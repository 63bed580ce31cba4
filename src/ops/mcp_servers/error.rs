//! What can go wrong with MCP servers.

use crate::domain::mcp_servers::project_file::NotForProject;
use crate::domain::session::SessionName;

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum McpServersError {
    /// No server or set has this name.
    #[error("no MCP {} {name:?}", if name.starts_with('@') { "set" } else { "server" })]
    Unknown {
        name: String,
        /// What there is that is called nearly so.
        near: Option<String>,
    },
    /// Nothing of the kind is attached there.
    #[error("{place} has no MCP server {name:?}")]
    NotAttached { place: String, name: String },
    /// It is at work, or asks something.
    #[error("session {session} is {status}, not idle: it wasn't started again")]
    NotIdle { session: SessionName, status: String },
    /// It may not stand in a file that is for all who have a project.
    #[error("the MCP server {name:?} can't be for all who have the project: {why}")]
    NotForProject { name: String, why: NotForProject },
    /// The project's file is left as it is.
    #[error("{file} is left as it is: {why}")]
    FileStays { file: String, why: String },
    /// deck has not put it there.
    #[error("deck has not put {name:?} into {file}: take it out there")]
    NotWritten { file: String, name: String },
    /// It was changed after what is to be undone.
    #[error("{file} was changed since, and is left as it is{}", backup.as_ref().map(|path| format!(
        "; what it was before is in {path}"
    )).unwrap_or_default())]
    ChangedSince { file: String, backup: Option<String> },
    /// Its tool can't be given any.
    #[error("deck can't pass MCP servers to session {0}: its tool has no `mcp.servers`")]
    NoWay(SessionName),
    /// What its agent's own files say holds against what deck passes, or is mixed with that.
    #[error(
        "deck can't replace what the agent's own files give session {session}: {tool} has no way to that"
    )]
    CantReplace { session: SessionName, tool: String },
}
