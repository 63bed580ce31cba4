//! What a session's user wants it to be given by deck's MCP server.

use super::{Cx, OpError, OpResult};
use crate::domain::mcp_scope::{self, Scope};
use crate::domain::session::Session;
use crate::domain::tool::McpServer;

/// What is wanted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum McpWish {
    /// Nothing: the agent is started as its user would type it.
    #[default]
    None,
    /// What is usual for its tool.
    Usual,
    /// These.
    Scopes(Vec<Scope>),
    /// What is usual, for these tools; those that confine what they run get none unasked.
    ForTools(Vec<String>),
}

impl McpWish {
    /// Reads `none`, `default`, or scopes separated by commas.
    ///
    /// # Errors
    /// The words of what is wrong.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text.trim() {
            "" | "none" => Ok(Self::None),
            _ if !cfg!(feature = "mcp") => Err("this deck was built without its MCP server".to_owned()),
            "default" => Ok(Self::Usual),
            scopes => mcp_scope::parse(scopes).map(Self::Scopes),
        }
    }

    /// The scopes for this session.
    ///
    /// # Errors
    /// [`OpError::McpConfined`] if nothing is usual: its agent confines what it runs, and a shell would not be confined.
    pub fn scopes(&self, cx: &Cx, session: &Session) -> OpResult<Vec<Scope>> {
        match self {
            Self::None => Ok(Vec::new()),
            Self::Scopes(scopes) => Ok(scopes.clone()),
            Self::ForTools(tools) if !cfg!(feature = "mcp") || !tools.contains(&session.tool) => {
                Ok(Vec::new())
            }
            Self::ForTools(_) => match cx.tools.tool(&session.tool) {
                Some(e) if e.tool.mcp == McpServer::default() || e.tool.mcp.confines => Ok(Vec::new()),
                _ => Ok(vec![Scope::Shells]),
            },
            Self::Usual => match cx.tools.tool(&session.tool) {
                Some(entry) if entry.tool.mcp.confines => Err(OpError::McpConfined(entry.tool.name.clone())),
                _ => Ok(vec![Scope::Shells]),
            },
        }
    }
}
