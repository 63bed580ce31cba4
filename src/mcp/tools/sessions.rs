//! Shells: starting, changing and ending them.

use std::collections::BTreeMap;
use std::path::PathBuf;

#[cfg(test)]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::super::call::Call;
use super::super::error::ToolError;
#[cfg(test)]
use super::super::schema;
use super::super::shapes::{Session, value};
use super::super::tool::{Effect, Tool};
use super::exec::new_shell;
use crate::api::Code;
use crate::domain::mcp_scope::Scope;
use crate::domain::shell::{Changes, Shell};
use crate::ops::Cx;
use crate::ops::shell::{self, NewShell};

pub(super) const TOOLS: &[Tool] = &[
    Tool {
        name: "startSession",
        title: "Start a shell",
        description: "Start a shell that keeps its folder, variables, functions and options between exec calls. No process runs for it in \
                      between, so it survives crashes and restarts. `session` here means such a shell.",
        scope: Scope::Shells,
        effect: Effect::Makes,
        #[cfg(test)]
        input: schema::of::<Start>,
        #[cfg(test)]
        output: schema::of_output::<Started>,
        run: start,
    },
    Tool {
        name: "listSessions",
        title: "List shells",
        description: "List the shells that take commands, and the folder of each.",
        scope: Scope::Shells,
        effect: Effect::Reads,
        #[cfg(test)]
        input: schema::of::<Nothing>,
        #[cfg(test)]
        output: schema::of_output::<Sessions>,
        run: list,
    },
    Tool {
        name: "updateSession",
        title: "Change a shell",
        description: "Change the folder, the variables or the name of a shell. The changes are made by a command in it, in this order: folder, \
                      env, unset, vars; the first that fails ends it.",
        scope: Scope::Shells,
        effect: Effect::Sets,
        #[cfg(test)]
        input: schema::of::<Update>,
        #[cfg(test)]
        output: schema::of_output::<Session>,
        run: update,
    },
    Tool {
        name: "endSession",
        title: "End a shell",
        description: "End a shell; it is refused while one of its jobs runs, unless `kill` is set. Its user can bring it back for seven days.",
        scope: Scope::Shells,
        effect: Effect::Destroys,
        #[cfg(test)]
        input: schema::of::<End>,
        #[cfg(test)]
        output: schema::of_output::<Ended>,
        run: end,
    },
];

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields)]
struct Nothing {}

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields)]
struct Start {
    /// The program and its arguments: bash, sh, python3 or node; bash if absent.
    #[serde(default)]
    command: Vec<String>,
    /// What to call it, instead of by its id.
    name: Option<String>,
    /// The folder that it starts in.
    cwd: Option<PathBuf>,
    /// Variables to set.
    #[serde(default)]
    env: BTreeMap<String, String>,
    /// Take over only HOME, PATH, USER, the locale and the like.
    #[serde(default)]
    clean: bool,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct Started {
    #[serde(flatten)]
    session: Session,
    /// The shells that were ended to make room.
    evicted: Vec<String>,
}

fn session(cx: &Cx, shell: Shell) -> Result<Session, ToolError> {
    Ok(Session::from(&shell::details(cx, shell)?))
}

fn start(call: &Call) -> Result<Value, ToolError> {
    let input: Start = call.input()?;
    let new = NewShell {
        command: input.command,
        name: input.name,
        env: input.env.iter().map(|(name, value)| format!("{name}={value}")).collect(),
        clean: input.clean,
        ..new_shell(&call.cx, input.cwd)
    };
    let started = shell::start(&call.cx, new)?;
    value(&Started { session: session(&call.cx, started.shell)?, evicted: started.evicted })
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct Sessions {
    sessions: Vec<Session>,
    /// Those that can't be read, and why.
    problems: Vec<String>,
}

fn list(call: &Call) -> Result<Value, ToolError> {
    let Nothing {} = call.input()?;
    let (listed, problems) = shell::list(&call.cx, false)?;
    value(&Sessions { sessions: listed.iter().map(Session::from).collect(), problems })
}

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Update {
    /// The shell: its id or name.
    session_id: String,
    /// The folder to go to.
    cwd: Option<String>,
    /// Variables to export.
    #[serde(default)]
    env: BTreeMap<String, String>,
    /// Variables to unset.
    #[serde(default)]
    unset: Vec<String>,
    /// Variables to set, not exported: text, numbers, lists or maps of text.
    #[serde(default)]
    vars: Map<String, Value>,
    /// Its new name.
    name: Option<String>,
}

fn update(call: &Call) -> Result<Value, ToolError> {
    let input: Update = call.input()?;
    let changes = Changes {
        folder: input.cwd,
        env: input.env.into_iter().collect(),
        unset: input.unset,
        vars: input.vars.into_iter().collect(),
    };
    if changes.is_empty() && input.name.is_none() {
        return Err(
            ToolError::new(Code::Usage, "nothing to change").hint("give cwd, env, unset, vars or name")
        );
    }
    let shell = shell::update(&call.cx, &input.session_id, &changes, input.name.as_deref())?;
    value(&session(&call.cx, shell)?)
}

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct End {
    /// The shell: its id or name.
    session_id: String,
    /// End its jobs, too.
    #[serde(default)]
    kill: bool,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "camelCase")]
struct Ended {
    session_id: String,
    /// The jobs that were ended.
    killed: Vec<String>,
}

fn end(call: &Call) -> Result<Value, ToolError> {
    let input: End = call.input()?;
    let ended = shell::end(&call.cx, &input.session_id, input.kill, false)?;
    value(&Ended {
        session_id: ended.shell.session_id.to_string(),
        killed: ended.killed.iter().map(ToString::to_string).collect(),
    })
}
