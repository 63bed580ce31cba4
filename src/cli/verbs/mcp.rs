//! `deck mcp`: deck's MCP server.

use std::io::IsTerminal as _;
use std::process::ExitCode;

use super::Done;
use crate::api::Code;
use crate::cli::Context;
use crate::cli::error::CliError;
use crate::mcp::{Scope, Tool, all, described, serve};

/// Serve shells and jobs to an agent as an MCP server, on stdin and stdout.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "An agent starts this itself, as its MCP server. Code that it runs has your rights, not those of the agent's sandbox.\n\nExamples:\n  deck mcp tools               what an agent gets\n  claude mcp add deck -- deck mcp\n  codex mcp add deck -- deck mcp"
)]
pub struct Args {
    #[command(subcommand)]
    what: Option<What>,
    /// What the agent may use, separated by commas.
    #[arg(long, value_name = "SCOPES", default_value = "shells", value_delimiter = ',', value_parser = scope)]
    scopes: Vec<Scope>,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Print the tools with their schemas.
    #[command(after_help = "Examples:\n  deck mcp tools\n  deck mcp tools --json")]
    Tools,
}

fn scope(word: &str) -> Result<Scope, String> {
    let words: Vec<&str> = Scope::ALL.iter().map(|s| s.word()).collect();
    Scope::from_word(word).ok_or_else(|| format!("scopes are {}", words.join(", ")))
}

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    if let Some(What::Tools) = args.what {
        return tools(args, context);
    }
    if std::io::stdin().is_terminal() {
        return Err(CliError::usage("`deck mcp` is started by an agent, not at a terminal")
            .hint("`deck mcp --help` shows how to add it to one; `deck mcp tools` shows what it offers"));
    }
    let failed =
        |error: std::io::Error| CliError::new(Code::Failed, format!("the MCP server ended: {error}"));
    serve(context.wiring.cx(), args.scopes.clone()).map_err(failed)?;
    Ok(ExitCode::SUCCESS)
}

fn tools(args: &Args, context: &Context) -> Done {
    if context.out.json {
        // The protocol says what it looks like, not deck.
        context
            .out
            .line(&serde_json::to_string_pretty(&described(&args.scopes)).map_err(std::io::Error::other)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    for Tool { name, description, .. } in all(&args.scopes) {
        context.out.line(&format!("{:<18} {}", name, description.split(". ").next().unwrap_or_default()))?;
    }
    Ok(ExitCode::SUCCESS)
}
