//! `deck mcp` alone: deck's own MCP server.

use std::io::IsTerminal as _;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use super::super::Done;
use crate::api::Code;
use crate::cli::Context;
use crate::cli::error::CliError;
use crate::domain::launch::mcp_text;
use crate::domain::mcp_scope::{self, Scope};
use crate::domain::quote::sh;
use crate::domain::resolve::nearest;
use crate::engine::Pace;
use crate::mcp::{Tool, all, described, serve};
use crate::ops::{Caller, Cx};

/// deck's own server.
#[derive(Debug, clap::Args)]
pub struct ServeArgs {
    /// What an agent may use of deck's own server, separated by commas.
    #[arg(long, value_name = "SCOPES", default_value = "shells,look", value_parser = scopes)]
    scopes: Scopes,
}

/// Scopes, as one argument.
#[derive(Debug, Clone)]
struct Scopes(Vec<Scope>);

fn scopes(text: &str) -> Result<Scopes, String> {
    mcp_scope::parse(text).map(Scopes)
}

/// Between two polls of an agent that waits: what changes windows wakes sooner.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

pub(super) fn run(args: &ServeArgs, context: &mut Context) -> Done {
    if std::io::stdin().is_terminal() {
        return Err(CliError::usage("`deck mcp` is started by an agent, not at a terminal")
            .hint("`deck mcp --help` shows how to add it to one; `deck mcp tools` shows what it offers"));
    }
    let failed =
        |error: std::io::Error| CliError::new(Code::Failed, format!("the MCP server ended: {error}"));
    let cx = context.wiring.cx();
    let caller = Caller { scopes: Some(args.scopes.0.clone()), ..(*cx.caller).clone() };
    let wiring = context.wiring.clone();
    let watching = move || wiring.watching(Pace::Steady(POLL_INTERVAL)).map(|(_, engine)| engine);
    let cx = Cx { caller: Arc::new(caller), ..cx };
    serve(cx, args.scopes.0.clone(), Arc::new(watching)).map_err(failed)?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn config(args: &ServeArgs, name: &str, context: &Context) -> Done {
    let cx = context.wiring.cx();
    let all = cx.tools.all();
    let Some(entry) = all.iter().find(|e| e.tool.name == name) else {
        let near = nearest(name, all.iter().map(|e| e.tool.name.as_str())).map(str::to_owned);
        let names: Vec<&str> =
            all.iter().filter(|e| !e.tool.mcp.config.is_empty()).map(|e| e.tool.name.as_str()).collect();
        let hint = near.map_or_else(
            || format!("tools with a configuration: {}", names.join(", ")),
            |near| format!("did you mean {near:?}?"),
        );
        return Err(CliError::new(Code::NotFound, format!("no tool {name:?}")).hint(hint));
    };
    let mcp = &entry.tool.mcp;
    if mcp.config.is_empty() {
        return Err(CliError::new(
            Code::Refused,
            format!("deck doesn't know how {name} is given an MCP server"),
        )
        .hint(format!(
            "its server is the command `deck mcp`; `config` in the table [tools.{name}.mcp] may say how"
        )));
    }
    if !mcp.config_file.is_empty() {
        context.out.note(&format!("add this to {}:", mcp.config_file));
    }
    let program = &cx.installation.program;
    let program = if mcp.config_file.is_empty() { sh(program) } else { program.clone() };
    context.out.line(&mcp_text(&mcp.config, &mcp_scope::words(&args.scopes.0), &program))?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn tools(args: &ServeArgs, context: &Context) -> Done {
    if context.out.json {
        // The protocol says what it looks like, not deck.
        context.out.line(
            &serde_json::to_string_pretty(&described(&args.scopes.0)).map_err(std::io::Error::other)?,
        )?;
        return Ok(ExitCode::SUCCESS);
    }
    for Tool { name, description, .. } in all(&args.scopes.0) {
        context.out.line(&format!("{:<18} {}", name, description.split(". ").next().unwrap_or_default()))?;
    }
    Ok(ExitCode::SUCCESS)
}
