//! A tool, as data: everything that is listed of it, and what it does.

use rmcp::model::ToolAnnotations;
use serde_json::{Map, Value};

use super::call::Call;
use super::error::ToolError;
use crate::domain::mcp_scope::Scope;

/// What a client is told about a tool's effects. Some agents ask their user by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// It only looks.
    Reads,
    /// It makes something new.
    Makes,
    /// Done twice it is as done once.
    Sets,
    /// It may end or change what is there.
    Destroys,
    /// It runs anything, with the rights of the user.
    Runs,
}

impl Effect {
    fn annotations(self) -> ToolAnnotations {
        let of = |reads, destroys, sets, open| {
            ToolAnnotations::new().read_only(reads).destructive(destroys).idempotent(sets).open_world(open)
        };
        match self {
            Self::Reads => of(true, false, true, false),
            Self::Makes => of(false, false, false, false),
            Self::Sets => of(false, false, true, false),
            Self::Destroys => of(false, true, false, false),
            Self::Runs => of(false, true, false, true),
        }
    }
}

/// The schemas of what goes in and comes out of each tool, by its name. The tests make them from the types.
const SCHEMAS: &str = include_str!("../../assets/schemas/mcp.json");

/// Makes the schema of what goes in or comes out.
#[cfg(test)]
pub type SchemaOf = fn() -> Map<String, Value>;

/// A tool.
pub struct Tool {
    pub name: &'static str,
    pub title: &'static str,
    /// What it is for. Agents may call it by its first sentence alone.
    pub description: &'static str,
    pub scope: Scope,
    pub effect: Effect,
    #[cfg(test)]
    pub input: SchemaOf,
    #[cfg(test)]
    pub output: SchemaOf,
    /// Does it. Blocking.
    pub run: fn(&Call) -> Result<Value, ToolError>,
}

impl std::fmt::Debug for Tool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tool").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Tool {
    /// As it is listed, with its part of all [`schemas`].
    pub fn listed(&self, schemas: &Map<String, Value>) -> rmcp::model::Tool {
        let schema = |which: &str| {
            let schema = schemas.get(self.name).and_then(|own| own.get(which)).and_then(Value::as_object);
            schema.cloned().unwrap_or_default()
        };
        rmcp::model::Tool::new(self.name, self.description, schema("input"))
            .with_title(self.title)
            .with_raw_output_schema(schema("output").into())
            .with_annotations(self.effect.annotations())
    }
}

/// The schemas of all tools.
pub fn schemas() -> Map<String, Value> {
    serde_json::from_str(SCHEMAS).unwrap_or_default()
}
