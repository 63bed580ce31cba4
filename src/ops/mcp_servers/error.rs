//! What can go wrong with MCP servers.

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
    /// Its tool can't be given any.
    #[error("deck can't pass MCP servers to session {0}: its tool has no `mcp.servers`")]
    NoWay(SessionName),
}
