//! What is done to the MCP servers of a session.

/// One thing to do. The session is named beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum McpWork {
    /// Attach a server, or a set `@NAME`; with a process of its own, also of what is shared?
    Attach { name: String, own: bool },
    /// Detach a server or a set.
    Detach(String),
    /// Start the session again, if it is idle, so that it loads what is attached.
    Restart,
}
