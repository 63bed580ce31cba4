//! `deck mcp import`: servers of the agents' own files, taken into the settings.

use std::path::Path;

use super::super::Done;
use super::catalogue::{place, write_new};
use super::done;
use crate::api::{self, Code};
use crate::cli::error::CliError;
use crate::cli::table::{Paint, Table, dim, plain, strong, terminal_width};
use crate::cli::{Context, complete};
use crate::domain::mcp_servers::variable_for;
use crate::domain::text;
use crate::ops::mcp_servers::{Importable, importable_of_file, importable_of_tools};

/// Take servers out of the agents' own files into the settings.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Without names it shows what there is. The files are only read: a server stays in its file, too, and sessions are left to that until you remove it there. Secrets that are written out become $NAME, which you then export.\n\nExamples:\n  deck mcp import                       what agents have in this folder\n  deck mcp import fetch --from claude\n  deck mcp import --from .mcp.json --all"
)]
pub struct ImportArgs {
    /// The servers.
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// A tool whose files are looked at, or a file [default: all tools].
    #[arg(long, value_name = "TOOL|FILE", add = complete::tools())]
    from: Option<String>,
    /// Take all of them.
    #[arg(long, conflicts_with = "names")]
    all: bool,
}

fn found(args: &ImportArgs, context: &Context) -> Result<Vec<Importable>, CliError> {
    let cx = context.wiring.cx();
    let cwd = &cx.caller.cwd;
    let project = cwd.to_string_lossy();
    let Some(from) = &args.from else { return Ok(importable_of_tools(&cx, None, &project)) };
    if cx.tools.tool(from).is_some() {
        return Ok(importable_of_tools(&cx, Some(from), &project));
    }
    let file = cwd.join(Path::new(from));
    importable_of_file(&cx, &file).map_err(|why| {
        CliError::new(Code::NotFound, format!("{from:?} is no tool, and can't be read as a file: {why}"))
            .hint("`deck tool list` lists the tools")
    })
}

pub(super) fn run(args: &ImportArgs, context: &Context) -> Done {
    let found = found(args, context)?;
    if args.names.is_empty() && !args.all {
        return list(&found, context);
    }
    let has = |name: &String| found.iter().any(|one| one.name == *name);
    if let Some(missing) = args.names.iter().find(|name| !has(name)) {
        return Err(CliError::new(Code::NotFound, format!("no file has an MCP server {missing:?}"))
            .hint("`deck mcp import` shows what there is"));
    }
    let is_wanted = |one: &&Importable| args.all || args.names.contains(&one.name);
    let out = context.out;
    let mut taken = Vec::new();
    let mut left = 0;
    for one in found.iter().filter(is_wanted) {
        let written = match &one.server {
            Ok(imported) => write_new(context, &one.name, &imported.definition).map(|()| imported),
            Err(why) => Err(CliError::new(
                Code::Refused,
                format!("{:?} of {} can't be taken: {why}", one.name, one.file.display()),
            )),
        };
        match written {
            Ok(imported) => {
                if !out.json && !out.quiet {
                    out.line(&format!(
                        "added {}, from {}",
                        one.name,
                        text::clean(&one.file.display().to_string())
                    ))?;
                }
                for key in &imported.secrets {
                    let name = key.split_once('.').map_or(key.as_str(), |(_, name)| name);
                    let variable = variable_for(name);
                    out.warn(&format!(
                        "the value of {key} of {} stays in its file; export {variable} before you start a session with it",
                        one.name
                    ));
                }
                taken.push(shape(one));
            }
            // Of all, the others are taken nevertheless.
            Err(error) if args.all => {
                left += 1;
                out.warn(&text::clean(&error.message));
            }
            Err(error) => return Err(error),
        }
    }
    if out.json {
        out.value(&taken)?;
    } else if out.quiet {
        taken.iter().try_for_each(|one| out.line(&one.name))?;
    } else if taken.is_empty() && left == 0 {
        out.note("no file has an MCP server");
    }
    done()
}

fn shape(one: &Importable) -> api::McpImport {
    let (what, secrets, reason) = match &one.server {
        Ok(imported) => (Some(place(&imported.definition)), imported.secrets.clone(), None),
        Err(why) => (None, Vec::new(), Some(why.clone())),
    };
    api::McpImport {
        schema_version: api::Version,
        name: one.name.clone(),
        file: one.file.clone(),
        what,
        secrets,
        reason,
    }
}

fn list(found: &[Importable], context: &Context) -> Done {
    let out = context.out;
    let shapes: Vec<api::McpImport> = found.iter().map(shape).collect();
    if out.json {
        out.value(&shapes)?;
        return done();
    }
    if out.quiet {
        let can = shapes.iter().filter(|one| one.reason.is_none());
        can.map(|one| &one.name).try_for_each(|name| out.line(name))?;
        return done();
    }
    if shapes.is_empty() {
        out.note("no file of an agent's has an MCP server for this folder");
    }
    let mut table = Table::default();
    for one in &shapes {
        let mut words = one.what.clone().or_else(|| one.reason.clone()).unwrap_or_default();
        if !one.secrets.is_empty() {
            words.push_str(&format!(" · {} would become variables", one.secrets.join(", ")));
        }
        table.row(vec![
            (text::clean(&one.name), strong as Paint),
            (text::clean(&one.file.display().to_string()), plain),
            (text::clean(&words), dim),
        ]);
    }
    table.lines(terminal_width(), &out).iter().try_for_each(|line| out.line(line))?;
    if shapes.iter().any(|one| one.reason.is_none()) {
        out.note("`deck mcp import NAME` takes one into your settings, `--all` all of them");
    }
    done()
}
