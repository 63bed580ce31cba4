//! Keeping a shell's state, and going back to one.

#[cfg(test)]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::call::Call;
use super::super::error::ToolError;
#[cfg(test)]
use super::super::schema;
use super::super::shapes::{Session, value};
use super::super::tool::{Effect, Tool};
use crate::domain::mcp_scope::Scope;
use crate::ops::shell::{self, RestoreFrom};

pub(super) const TOOLS: &[Tool] = &[
    Tool {
        name: "checkpointSession",
        title: "Keep a shell's state",
        description: "Keep the state of a shell under a name, to go back to with restoreSession. Files are no part of it.",
        scope: Scope::Shells,
        effect: Effect::Makes,
        #[cfg(test)]
        input: schema::of::<Checkpoint>,
        #[cfg(test)]
        output: schema::of_output::<Kept>,
        run: checkpoint,
    },
    Tool {
        name: "restoreSession",
        title: "Go back to a shell's state",
        description: "Make the folder, variables, functions and options of a shell what they were. Without `name` or `beforeJob` it goes to the \
                      last checkpoint.",
        scope: Scope::Shells,
        effect: Effect::Destroys,
        #[cfg(test)]
        input: schema::of::<Restore>,
        #[cfg(test)]
        output: schema::of_output::<Session>,
        run: restore,
    },
];

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Checkpoint {
    /// The shell: its id or name.
    session_id: String,
    /// What to call it; the state's number if absent.
    name: Option<String>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "camelCase")]
struct Kept {
    session_id: String,
    name: String,
}

fn checkpoint(call: &Call) -> Result<Value, ToolError> {
    let input: Checkpoint = call.input()?;
    let (shell, kept) = shell::checkpoint(&call.cx, &input.session_id, input.name.as_deref())?;
    value(&Kept { session_id: shell.session_id.to_string(), name: kept.name })
}

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Restore {
    /// The shell: its id or name.
    session_id: String,
    /// The checkpoint.
    name: Option<String>,
    /// Go back to the state before this job instead.
    before_job: Option<String>,
}

fn restore(call: &Call) -> Result<Value, ToolError> {
    let input: Restore = call.input()?;
    let from = match (input.name, input.before_job) {
        (Some(name), _) => RestoreFrom::Checkpoint(name),
        (None, Some(job)) => RestoreFrom::BeforeJob(job),
        (None, None) => RestoreFrom::Last,
    };
    let shell = shell::restore(&call.cx, &input.session_id, &from, None)?;
    value(&Session::from(&shell::details(&call.cx, shell)?))
}
