//! Settings in memory.

use std::sync::{Arc, Mutex};

use crate::domain::mcp_servers::Catalogue;
use crate::ports::McpServers;

/// What a test says that they say.
#[derive(Debug, Default)]
pub struct FakeMcpServers(pub Mutex<Catalogue>);

impl McpServers for FakeMcpServers {
    fn catalogue(&self) -> Arc<Catalogue> {
        Arc::new(self.0.lock().unwrap().clone())
    }
}
