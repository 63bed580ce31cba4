//! What names a session and a pane among all servers.

use std::fmt;

pub use crate::domain::id::ServerId;

/// A session, as its server names it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SessionRef {
    pub server: ServerId,
    /// The server's own id of it: `$3`.
    pub session: String,
}

impl SessionRef {
    pub fn new(server: &ServerId, session: impl Into<String>) -> Self {
        Self { server: server.clone(), session: session.into() }
    }
}

/// A pane, as its server names it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PaneRef {
    pub server: ServerId,
    /// The server's own id of it: `%5`.
    pub pane: String,
}

impl PaneRef {
    pub fn new(server: &ServerId, pane: impl Into<String>) -> Self {
        Self { server: server.clone(), pane: pane.into() }
    }
}

/// For messages and logs: `SERVER:$3`.
impl fmt::Display for SessionRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.server, self.session)
    }
}
