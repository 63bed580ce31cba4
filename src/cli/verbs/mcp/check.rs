//! `deck mcp check`: whether sessions can share a server.

use super::super::Done;
use super::catalogue::{named, place};
use super::done;
use crate::api::{self, Code};
use crate::cli::error::CliError;
use crate::cli::{Context, complete};
use crate::domain::mcp_servers::{Definition, Seen, Share, Transport, against_sharing, why_not_shared};
use crate::domain::text;

/// Find out whether sessions can share a server.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "It is started a few times in an empty folder, with your environment, and asked for its tools, of which none is called.\n\nExamples:\n  deck mcp check memory"
)]
pub struct CheckArgs {
    /// The server.
    #[arg(add = complete::mcp_servers())]
    name: String,
}

pub(super) fn run(args: &CheckArgs, context: &Context) -> Done {
    let cx = context.wiring.cx();
    let catalogue = cx.mcp_servers.catalogue();
    let server = named(&catalogue, &args.name)?;
    if server.transport() != Transport::Stdio {
        let words = format!("{:?} is at an address, which many sessions use anyway", args.name);
        return Err(CliError::new(Code::Refused, words));
    }
    let protocol = &cx.installation.mcp_protocol;
    let out = context.out;
    if !out.json && !out.quiet {
        out.note(&format!("starting {} a few times…", text::clean(&place(server))));
    }
    let seen = crate::mcp_servers::check(server, protocol).map_err(|why| {
        CliError::new(Code::Failed, format!("MCP server {:?}: {}", args.name, text::clean(&why)))
    })?;
    let against = against_sharing(&seen, why_not_shared(server).as_deref(), protocol);
    if out.json {
        out.value(&shape(&args.name, &seen, &against))?;
        return done();
    }
    if out.quiet {
        out.line(if against.is_empty() { "yes" } else { "no" })?;
        return done();
    }
    for line in lines(&args.name, server, &seen, &against) {
        out.line(&text::clean(&line))?;
    }
    done()
}

fn shape(name: &str, seen: &Seen, against: &[String]) -> api::McpCheck {
    let protocol = |(asked, answered): &(String, Option<String>)| api::McpCheckProtocol {
        asked: asked.clone(),
        answered: answered.clone(),
    };
    api::McpCheck {
        schema_version: api::Version,
        name: name.to_owned(),
        starts_ms: seen.starts_ms,
        memory_kib: seen.memory_kib,
        protocols: seen.protocols.iter().map(protocol).collect(),
        tools: seen.tools.clone(),
        asks_for: seen.asks.clone(),
        against_sharing: against.to_vec(),
    }
}

fn lines(name: &str, server: &Definition, seen: &Seen, against: &[String]) -> Vec<String> {
    let memory = seen.memory_kib.map(|kib| format!(", takes {} MiB", kib / 1024)).unwrap_or_default();
    let spoken: Vec<&str> = seen
        .protocols
        .iter()
        .filter(|(asked, answered)| answered.as_ref() == Some(asked))
        .map(|(asked, _)| asked.as_str())
        .collect();
    let tools = match seen.tools.len() {
        1 => "1 tool".to_owned(),
        many => format!("{many} tools"),
    };
    let mut all = vec![
        format!("starts in {}.{} s{memory}", seen.starts_ms / 1000, seen.starts_ms % 1000 / 100),
        format!(
            "speaks {}",
            if spoken.is_empty() { "no version that agents ask for".to_owned() } else { spoken.join(", ") }
        ),
        tools,
    ];
    if seen.junk > 0 {
        all.push(format!("wrote {} lines to stdout that are no messages", seen.junk));
    }
    if against.is_empty() {
        all.push("nothing speaks against sharing it".to_owned());
        if server.share == Share::No {
            all.push(format!("share = \"profile\" in the definition of {name} has all sessions share it, \"project\" those of a folder"));
        }
    } else {
        all.extend(against.iter().map(|why| format!("not for sharing: {why}")));
    }
    all
}
