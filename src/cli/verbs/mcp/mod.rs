//! `deck mcp …`: MCP servers of the user's for sessions, and deck's own MCP server.

mod catalogue;
mod check;
mod import;
mod pool;
#[cfg(feature = "mcp")]
mod serve;
mod sessions;

use std::process::ExitCode;

use super::Done;
use crate::cli::Context;
#[cfg(feature = "mcp")]
use crate::cli::complete;
#[cfg(not(feature = "mcp"))]
use crate::cli::error::CliError;
use crate::domain::mcp_servers::Attaching;
use crate::ops::mcp_servers::Deed;

/// Attach MCP servers to sessions; serve deck's own to an agent.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A server of yours is added once, and attached to sessions, groups or all. An agent gets it when it starts; files of yours and of the agent's stay as they are.\n\nWithout a command this is deck's own MCP server, on stdin and stdout: `deck add --mcp` gives it to an agent, which starts it itself. Code that runs in its shells has your rights, not those of the agent's sandbox.\n\nExamples:\n  deck mcp add memory -- npx -y @modelcontextprotocol/server-memory\n  deck mcp attach api memory\n  deck mcp status api\n  deck mcp tools               what deck's own server offers\n  deck add --mcp -c claude     an agent that has deck's own server"
)]
pub struct Args {
    #[command(subcommand)]
    what: Option<What>,
    #[cfg(feature = "mcp")]
    #[command(flatten)]
    serve: serve::ServeArgs,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// List the MCP servers and sets that can be attached.
    #[command(alias = "ls")]
    List(catalogue::ListArgs),
    /// Show a server.
    Show(catalogue::ShowArgs),
    /// Add a server that can be attached to sessions.
    Add(catalogue::AddArgs),
    /// Remove a server that `deck mcp add` added.
    Rm(catalogue::RmArgs),
    /// Take servers out of the agents' own files into the settings.
    Import(import::ImportArgs),
    /// Find out whether sessions can share a server.
    Check(check::CheckArgs),
    /// Attach servers to sessions, or to a group.
    Attach(sessions::AttachArgs),
    /// Detach servers from sessions, or from a group.
    Detach(sessions::DetachArgs),
    /// Show which servers sessions have, and whether that is out of date.
    Status(sessions::StatusArgs),
    /// List the shared servers that run.
    Pool(pool::PoolArgs),
    /// Start a shared server again.
    Restart(pool::RestartArgs),
    /// Print what a shared server wrote to its stderr.
    Logs(pool::LogsArgs),
    /// Print the tools of deck's own server with their schemas.
    #[cfg(feature = "mcp")]
    #[command(after_help = "Examples:\n  deck mcp tools\n  deck mcp tools --json")]
    Tools,
    /// Print what gives deck's own server to an agent that deck doesn't start.
    #[cfg(feature = "mcp")]
    #[command(
        after_help = "deck edits no such file itself. Agents that it starts get the server with `deck add --mcp`.\n\nExamples:\n  deck mcp config gemini"
    )]
    Config {
        /// The tool.
        #[arg(add = complete::tools())]
        tool: String,
    },
}

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    match &args.what {
        Some(What::List(args)) => catalogue::list(args, context),
        Some(What::Show(args)) => catalogue::show(args, context),
        Some(What::Add(args)) => catalogue::add(args, context),
        Some(What::Rm(args)) => catalogue::rm(args, context),
        Some(What::Import(args)) => import::run(args, context),
        Some(What::Check(args)) => check::run(args, context),
        Some(What::Attach(args)) => {
            let how = Attaching { own: args.own, replace: args.replace };
            sessions::change(&args.which, context, Deed::Attach(how))
        }
        Some(What::Detach(args)) => sessions::change(&args.which, context, Deed::Detach),
        Some(What::Status(args)) => sessions::status(args, context),
        Some(What::Pool(args)) => pool::list(args, context),
        Some(What::Restart(args)) => pool::restart(args, context),
        Some(What::Logs(args)) => pool::logs(args, context),
        #[cfg(feature = "mcp")]
        Some(What::Tools) => serve::tools(&args.serve, context),
        #[cfg(feature = "mcp")]
        Some(What::Config { tool }) => serve::config(&args.serve, tool, context),
        #[cfg(feature = "mcp")]
        None => serve::run(&args.serve, context),
        #[cfg(not(feature = "mcp"))]
        None => Err(CliError::usage("this deck was built without its own MCP server")
            .hint("`deck mcp --help` lists the commands for servers of yours")),
    }
}

/// Success, after an error of a use case became one of the command line.
const fn done() -> Done {
    Ok(ExitCode::SUCCESS)
}
