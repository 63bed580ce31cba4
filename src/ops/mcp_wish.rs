//! What a session's user wants it to be given by deck's MCP server.

use super::Cx;
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
    /// What is usual, for these tools.
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
    pub fn scopes(&self, cx: &Cx, session: &Session) -> Vec<Scope> {
        self.for_tool(cx, &session.tool)
    }

    /// The scopes for a session of this tool.
    pub fn for_tool(&self, cx: &Cx, tool: &str) -> Vec<Scope> {
        let has_server = || cx.tools.tool(tool).is_none_or(|e| e.tool.mcp != McpServer::default());
        match self {
            Self::None => Vec::new(),
            Self::Scopes(scopes) => scopes.clone(),
            Self::ForTools(tools) => {
                let is_meant = cfg!(feature = "mcp") && tools.iter().any(|name| name == tool) && has_server();
                if is_meant { usual(cx, tool) } else { Vec::new() }
            }
            Self::Usual => usual(cx, tool),
        }
    }
}

/// What is usual for a tool: what its file says, else to have shells and to see its family. Commands in deck's shells run
/// outside the sandbox of an agent that confines its own: such a one gets none unasked.
fn usual(cx: &Cx, tool: &str) -> Vec<Scope> {
    let entry = cx.tools.tool(tool);
    let named = entry.as_ref().map(|e| mcp_scope::known(&e.tool.mcp.scopes)).unwrap_or_default();
    if !named.is_empty() {
        return named;
    }
    let confines = entry.is_some_and(|e| e.tool.mcp.confines);
    Scope::USUAL.into_iter().filter(|s| !confines || *s != Scope::Shells).collect()
}
