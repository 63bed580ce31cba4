//! The MCP servers of the user's settings.

use std::sync::Arc;

use crate::domain::mcp_servers::Catalogue;

/// What the settings say, as of now.
pub trait McpServers: Send + Sync {
    fn catalogue(&self) -> Arc<Catalogue>;
}
