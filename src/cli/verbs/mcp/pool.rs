//! `deck mcp pool`, `restart` and `logs`: the shared servers that run.

use super::super::Done;
use super::done;
use crate::api::{self, Code};
use crate::cli::error::CliError;
use crate::cli::table::{Paint, Table, dim, plain, strong, terminal_width};
use crate::cli::{Context, complete};
use crate::domain::profile::Profile;
use crate::domain::text;
use crate::mcp_servers::{Pooled, logs as logs_of, pools, restart as restart_one};
use crate::ops::{OpError, mcp_servers};
use crate::sys::{files, process};

/// List the shared servers that run.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A shared server runs while sessions use it, and for a minute after the last one.\n\nExamples:\n  deck mcp pool\n  deck mcp pool --json"
)]
pub struct PoolArgs {}

/// Start a shared server again.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Its sessions stay connected. Calls that it has open are answered with an error.\n\nExamples:\n  deck mcp restart memory"
)]
pub struct RestartArgs {
    /// The server.
    #[arg(add = complete::mcp_servers())]
    name: String,
}

/// Print what a shared server wrote to its stderr, also after it has ended.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  deck mcp logs memory")]
pub struct LogsArgs {
    /// The server.
    #[arg(add = complete::mcp_servers())]
    name: String,
}

/// The most that is read of a log, in bytes.
const MAX_LOG: u64 = 16 * 1024 * 1024;

fn all(context: &Context) -> Result<Vec<Pooled>, CliError> {
    pools(&context.wiring.paths.run).map_err(|error| cannot_look(context, &error))
}

fn cannot_look(context: &Context, error: &std::io::Error) -> CliError {
    let run = context.wiring.paths.run.display();
    CliError::new(Code::Failed, format!("can't look for shared servers in {run}: {error}"))
}

/// Those of a name: several, if sessions gave it different variables or folders.
fn named(context: &Context, name: &str) -> Result<Vec<Pooled>, CliError> {
    let mut found = all(context)?;
    found.retain(|pooled| pooled.status.name == name);
    if found.is_empty() {
        return Err(CliError::new(Code::NotFound, format!("no shared MCP server {name:?} runs"))
            .hint("`deck mcp pool` lists those that run; one starts with the first session that has it"));
    }
    Ok(found)
}

pub(super) fn list(_: &PoolArgs, context: &Context) -> Done {
    let all = all(context)?;
    let out = context.out;
    let shapes = shapes(context, &all)?;
    if out.json {
        out.value(&shapes)?;
        return done();
    }
    if out.quiet {
        shapes.iter().try_for_each(|pool| out.line(&pool.name))?;
        return done();
    }
    if shapes.is_empty() {
        out.note("no shared MCP server runs");
    }
    let mut table = Table::default();
    for pool in &shapes {
        let sessions = match pool.sessions.len() {
            1 => "1 session".to_owned(),
            many => format!("{many} sessions"),
        };
        let mut words = Vec::new();
        words.extend(pool.memory_kib.map(|kib| format!("{} MiB", kib / 1024)));
        words.push(match pool.calls {
            1 => "1 call".to_owned(),
            many => format!("{many} calls"),
        });
        if pool.waiting > 0 {
            words.push(format!("{} waiting", pool.waiting));
        }
        if pool.starts > 1 {
            words.push(format!("started {} times", pool.starts));
        }
        words.extend(pool.protocol.clone());
        if !pool.asks_for.is_empty() {
            words.push(format!("asks its clients for {}: not for sharing", pool.asks_for.join(", ")));
        }
        words.extend(pool.reason.clone());
        table.row(vec![
            (pool.name.clone(), strong as Paint),
            (pool.state.clone(), plain),
            (sessions, plain),
            (pool.server_pid.map(|pid| pid.to_string()).unwrap_or_default(), plain),
            (text::clean(&words.join(" · ")), dim),
        ]);
    }
    table.lines(terminal_width(), &out).iter().try_for_each(|line| out.line(line))?;
    done()
}

/// Pools with the titles of their sessions.
fn shapes(context: &Context, all: &[Pooled]) -> Result<Vec<api::McpPool>, CliError> {
    if all.is_empty() {
        return Ok(Vec::new());
    }
    let profile = context.wiring.cx().profile.store.load().map_err(OpError::from)?.profile;
    Ok(all.iter().map(|pooled| shape(&profile, pooled)).collect())
}

fn shape(profile: &Profile, pooled: &Pooled) -> api::McpPool {
    let status = &pooled.status;
    let title = |id: &String| {
        let session = profile.sessions.iter().find(|s| s.id.as_str() == id);
        session.map_or_else(|| id.clone(), |s| s.title.clone())
    };
    let relay = &status.relay;
    api::McpPool {
        schema_version: api::Version,
        name: status.name.clone(),
        state: relay.state.clone(),
        reason: relay.why.clone(),
        pid: status.pid,
        server_pid: status.server_pid,
        memory_kib: status.server_pid.and_then(process::memory_of_group),
        sessions: status.sessions.iter().map(title).collect(),
        calls: relay.calls,
        waiting: relay.waiting,
        starts: relay.starts,
        protocol: relay.protocol.clone(),
        asks_for: relay.asked.clone(),
        log: pooled.log.clone(),
    }
}

pub(super) fn restart(args: &RestartArgs, context: &Context) -> Done {
    let found = named(context, &args.name)?;
    let cx = context.wiring.cx();
    found.iter().try_for_each(|pooled| mcp_servers::check_restart_shared(&cx, &pooled.status.sessions))?;
    for pooled in found {
        restart_one(&pooled).map_err(|error| {
            CliError::new(Code::Failed, format!("can't reach the shared server {:?}: {error}", args.name))
        })?;
    }
    if context.out.json {
        context.out.value(&shapes(context, &named(context, &args.name)?)?)?;
    } else if !context.out.quiet {
        context.out.line(&format!("{} is started again", args.name))?;
    }
    done()
}

pub(super) fn logs(args: &LogsArgs, context: &Context) -> Done {
    let run = &context.wiring.paths.run;
    let found = logs_of(run, &args.name).map_err(|error| cannot_look(context, &error))?;
    if found.is_empty() {
        return Err(CliError::new(
            Code::NotFound,
            format!("no MCP server {:?} has been shared since the machine started", args.name),
        )
        .hint(
            "`deck mcp list` shows which servers are shared; one starts with the first session that has it",
        ));
    }
    for log in found {
        let bytes = files::read(&log, MAX_LOG)
            .map_err(|error| CliError::new(Code::Failed, format!("can't read {}: {error}", log.display())))?;
        for line in String::from_utf8_lossy(&bytes).lines() {
            context.out.line(&text::clean(line))?;
        }
    }
    done()
}
