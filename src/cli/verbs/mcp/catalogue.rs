//! `deck mcp list`, `show`, `add` and `rm`: which servers there are.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::super::Done;
use super::done;
use crate::api::{self, Code};
use crate::cli::error::CliError;
use crate::cli::table::{Paint, Table, dim, plain, strong, terminal_width};
use crate::cli::{Context, complete};
use crate::config::mcp_folder;
use crate::domain::mcp_servers::{Catalogue, Definition, Share, Transport, check_name, why_not_shared};
use crate::domain::quote::sh_join;
use crate::domain::text;
use crate::ops::mcp_servers::{McpServersError, chosen};
use crate::ops::{Cx, OpError};
use crate::sys::files;

/// List the MCP servers and sets that can be attached.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  deck mcp list\n  deck mcp list --json")]
pub struct ListArgs {}

/// Show a server.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Values of variables and headers are not printed.\n\nExamples:\n  deck mcp show memory"
)]
pub struct ShowArgs {
    /// The server.
    #[arg(add = complete::mcp_servers())]
    name: String,
}

/// Remove a server that `deck mcp add` added.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Sessions that have it are started without it from then on.\n\nExamples:\n  deck mcp rm memory"
)]
pub struct RmArgs {
    /// The server.
    #[arg(add = complete::mcp_servers())]
    name: String,
}

/// Add a server that can be attached to sessions.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "It is written to mcps/NAME.toml beside config.toml. Write a secret as $NAME, the name of a variable: its value is taken from the environment in which the session is started.\n\nExamples:\n  deck mcp add memory -- npx -y @modelcontextprotocol/server-memory\n  deck mcp add notes --share profile -- npx -y @modelcontextprotocol/server-memory\n  deck mcp add github --env 'GITHUB_TOKEN=$GITHUB_TOKEN' -- github-mcp-server stdio\n  deck mcp add linear --url https://mcp.linear.app/mcp --header 'Authorization=Bearer $LINEAR_TOKEN'"
)]
pub struct AddArgs {
    /// Its name: a-z, 0-9, _ and -.
    name: String,
    /// What it is for.
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    description: String,
    /// A variable of its own (repeatable); $NAME in the value is a variable of the agent's environment.
    #[arg(long, value_name = "K=V", conflicts_with = "url")]
    env: Vec<String>,
    /// A file with more of them, as NAME=value lines.
    #[arg(long, value_name = "FILE", default_value = "", hide_default_value = true, conflicts_with = "url")]
    env_file: String,
    /// The folder that it works in [default: the session's].
    #[arg(
        long,
        value_name = "FOLDER",
        default_value = "",
        hide_default_value = true,
        conflicts_with = "url"
    )]
    cwd: String,
    /// Have sessions share one process of it: those in the same folder, or all of the profile.
    #[arg(long, value_name = "WHO", value_parser = ["project", "profile"], conflicts_with = "url")]
    share: Option<String>,
    /// Let calls of several sessions run in it at the same time.
    #[arg(long, requires = "share")]
    parallel: bool,
    /// Share it though it is known not to be made for that.
    #[arg(long, requires = "share")]
    force: bool,
    /// Its address, for a server that is no program.
    #[arg(long, default_value = "", hide_default_value = true, conflicts_with = "command")]
    url: String,
    /// How the address is talked to.
    #[arg(long, value_parser = ["http", "sse"], requires = "url")]
    transport: Option<String>,
    /// A header of each request (repeatable); $NAME in the value is a variable of the agent's environment.
    #[arg(long, value_name = "K=V", requires = "url")]
    header: Vec<String>,
    /// The program and its arguments.
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,
}

/// How many sessions of the profile are meant to have each server.
fn counts(cx: &Cx) -> Result<BTreeMap<String, usize>, CliError> {
    let profile = cx.profile.store.load()?.profile;
    let mut counts = BTreeMap::new();
    for session in profile.live_sessions() {
        for one in chosen(cx, &profile, session) {
            *counts.entry(one.name).or_default() += 1;
        }
    }
    Ok(counts)
}

fn shape(
    catalogue: &Catalogue,
    name: &str,
    server: &Definition,
    counts: &BTreeMap<String, usize>,
) -> api::McpServer {
    let sets = catalogue.sets.iter().filter(|(_, names)| names.iter().any(|n| n == name));
    let sets = sets.map(|(set, _)| set.clone()).collect();
    api::McpServer::of(name, server, sets, counts.get(name).copied().unwrap_or_default())
}

pub(super) fn list(_: &ListArgs, context: &Context) -> Done {
    let cx = context.wiring.cx();
    let catalogue = cx.mcp_servers.catalogue();
    let out = context.out;
    if out.quiet {
        catalogue.words().iter().try_for_each(|word| out.line(word))?;
        return done();
    }
    let counts = counts(&cx)?;
    if out.json {
        let all = catalogue.servers.iter().map(|(name, server)| shape(&catalogue, name, server, &counts));
        out.value(&all.collect::<Vec<_>>())?;
        return done();
    }
    if catalogue.servers.is_empty() {
        out.note("no MCP servers yet; `deck mcp add NAME -- COMMAND` adds one");
    }
    let mut table = Table::default();
    for (name, server) in &catalogue.servers {
        let sessions = counts.get(name).copied().unwrap_or_default();
        let what = if server.description.is_empty() { place(server) } else { server.description.clone() };
        table.row(vec![
            (name.clone(), strong as Paint),
            (transport_words(server), plain),
            (sessions_words(sessions), plain),
            (text::clean(&what), dim),
        ]);
    }
    for (set, names) in &catalogue.sets {
        table.row(vec![
            (format!("@{set}"), strong as Paint),
            ("set".to_owned(), plain),
            (String::new(), plain),
            (text::clean(&names.join(", ")), dim),
        ]);
    }
    table.lines(terminal_width(), &out).iter().try_for_each(|line| out.line(line))?;
    done()
}

fn transport_words(server: &Definition) -> String {
    let word = server.transport().word();
    if server.share == Share::No { word.to_owned() } else { format!("{word}, shared") }
}

fn sessions_words(count: usize) -> String {
    match count {
        0 => String::new(),
        1 => "1 session".to_owned(),
        many => format!("{many} sessions"),
    }
}

/// Its command line or its address.
pub(super) fn place(server: &Definition) -> String {
    if server.url.is_empty() {
        let words: Vec<String> = std::iter::once(&server.command).chain(&server.args).cloned().collect();
        sh_join(&words)
    } else {
        server.url.clone()
    }
}

/// The server with this name, or the error that there is none.
pub(super) fn named<'a>(catalogue: &'a Catalogue, name: &str) -> Result<&'a Definition, CliError> {
    catalogue.servers.get(name).ok_or_else(|| {
        let near = crate::domain::resolve::nearest(name, catalogue.servers.keys().map(String::as_str));
        let near = near.map(str::to_owned);
        OpError::from(McpServersError::Unknown { name: name.to_owned(), near }).into()
    })
}

pub(super) fn show(args: &ShowArgs, context: &Context) -> Done {
    let cx = context.wiring.cx();
    let catalogue = cx.mcp_servers.catalogue();
    let server = named(&catalogue, &args.name)?;
    let out = context.out;
    let shape = shape(&catalogue, &args.name, server, &counts(&cx)?);
    if out.json {
        out.value(&shape)?;
        return done();
    }
    out.line(&out.strong(&shape.name))?;
    let lines = [
        ("what", shape.description.clone()),
        ("transport", shape.transport.clone()),
        ("command", if shape.url.is_none() { place(server) } else { String::new() }),
        ("address", shape.url.clone().unwrap_or_default()),
        ("variables", shape.env.join(", ")),
        ("headers", shape.headers.join(", ")),
        ("needs", shape.variables.iter().map(|name| format!("${name}")).collect::<Vec<_>>().join(", ")),
        ("variables of", server.env_file.clone()),
        ("folder", server.cwd.clone()),
        ("shared", if server.share == Share::No { String::new() } else { shared_words(server) }),
        ("sets", shape.sets.iter().map(|set| format!("@{set}")).collect::<Vec<_>>().join(", ")),
        ("sessions", shape.sessions.to_string()),
    ];
    for (name, value) in lines.iter().filter(|(_, value)| !value.is_empty()) {
        out.line(&format!("{} {}", out.dim(&text::pad(name, 13)), text::clean(value)))?;
    }
    done()
}

/// Who shares it, and how.
fn shared_words(server: &Definition) -> String {
    let who = match server.share {
        Share::Project => "by sessions in the same folder",
        Share::No | Share::Profile => "by all sessions of the profile",
    };
    let calls = if server.parallel { "calls side by side" } else { "one call at a time" };
    format!("{who}, {calls}")
}

/// The pairs of an option that is given as K=V.
fn pairs(option: &str, given: &[String]) -> Result<BTreeMap<String, String>, CliError> {
    let one = |pair: &String| {
        let parts = pair.split_once('=').filter(|(name, _)| !name.is_empty());
        let (name, value) = parts.ok_or_else(|| {
            CliError::usage(format!("{pair:?} for {option} has no name and value"))
                .hint("write it as NAME=value")
        })?;
        Ok((name.to_owned(), value.to_owned()))
    };
    given.iter().map(one).collect()
}

pub(super) fn add(args: &AddArgs, context: &Context) -> Done {
    let name = &args.name;
    check_name(name).map_err(|why| CliError::usage(format!("the name {name:?} {why}")))?;
    let mut command = args.command.iter().cloned();
    let server = Definition {
        description: args.description.clone(),
        command: command.next().unwrap_or_default(),
        args: command.collect(),
        env: pairs("--env", &args.env)?,
        env_file: args.env_file.clone(),
        cwd: args.cwd.clone(),
        url: args.url.clone(),
        transport: args.transport.as_ref().map(|t| if t == "sse" { Transport::Sse } else { Transport::Http }),
        headers: pairs("--header", &args.header)?,
        share: match args.share.as_deref() {
            Some("project") => Share::Project,
            Some(_) => Share::Profile,
            None => Share::No,
        },
        parallel: args.parallel,
        ..Definition::default()
    };
    if let Some(why) = why_not_shared(&server).filter(|_| server.share != Share::No && !args.force) {
        return Err(CliError::new(Code::Refused, format!("{name:?} isn't to be shared: {why}"))
            .hint("leave out --share, or share it anyway with --force"));
    }
    if server.command.is_empty() && server.url.is_empty() {
        return Err(CliError::usage("neither a command nor an address is given")
            .hint("write the command behind --, or its address with --url"));
    }
    server.check().map_err(|(key, why)| CliError::usage(format!("`{key}` {why}")))?;
    write_new(context, name, &server)?;
    let cx = context.wiring.cx();
    let path = file(context, name);
    for key in server.written_secrets() {
        context.out.warn(&format!(
            "{key} is written to {} as it is; a value such as '$NAME' would take it from the environment",
            path.display()
        ));
    }
    if context.out.json {
        context.out.value(&shape(&cx.mcp_servers.catalogue(), name, &server, &counts(&cx)?))?;
    } else if context.out.quiet {
        context.out.line(name)?;
    } else {
        context.out.line(&format!("added {name}; `deck mcp attach SESSION {name}` attaches it"))?;
    }
    done()
}

/// Writes a server that there isn't yet.
pub(super) fn write_new(context: &Context, name: &str, server: &Definition) -> Result<(), CliError> {
    let cx = context.wiring.cx();
    if cx.mcp_servers.catalogue().servers.contains_key(name) {
        return Err(CliError::new(Code::Refused, format!("there is an MCP server {name:?} already"))
            .hint("choose another name, or remove that one first"));
    }
    let path = file(context, name);
    let text = toml::to_string(server)
        .map_err(|error| CliError::new(Code::Failed, format!("can't write the server {name:?}: {error}")))?;
    let made = path.parent().map_or(Ok(()), files::make_dir);
    made.and_then(|()| files::create_new(&path, text.as_bytes(), 0o600)).map_err(|error| {
        match error.kind() {
            // Something is wrong with it: it is not in the catalogue.
            std::io::ErrorKind::AlreadyExists => {
                CliError::new(Code::Refused, format!("{} exists, and is no server", path.display()))
                    .hint("`deck config check` shows what is wrong with it")
            }
            _ => CliError::new(Code::Failed, format!("can't write {}: {error}", path.display())),
        }
    })?;
    Ok(())
}

/// The file of a server of its own.
fn file(context: &Context, name: &str) -> PathBuf {
    mcp_folder(&context.wiring.paths.config_file).join(format!("{name}.toml"))
}

pub(super) fn rm(args: &RmArgs, context: &Context) -> Done {
    let name = &args.name;
    let cx = context.wiring.cx();
    named(&cx.mcp_servers.catalogue(), name)?;
    let sessions = counts(&cx)?.get(name).copied().unwrap_or_default();
    if let Some(line) = context.wiring.settings.line(&format!("mcps.{name}")) {
        let config = context.wiring.paths.config_file.display();
        return Err(CliError::new(Code::Refused, format!("{name:?} is a table of your config file"))
            .hint(format!("remove [mcps.{name}] at {config}:{line}; `deck config edit` opens it")));
    }
    let path = file(context, name);
    std::fs::remove_file(&path)
        .map_err(|error| CliError::new(Code::Failed, format!("can't remove {}: {error}", path.display())))?;
    if context.out.json {
        let name = name.clone();
        context.out.value(&api::McpServerRemoved { schema_version: api::Version, name, sessions })?;
    } else if context.out.quiet {
        context.out.line(name)?;
    } else {
        let of = if sessions == 0 {
            String::new()
        } else {
            format!(
                "; {} started without it from now on",
                match sessions {
                    1 => "1 session that has it is".to_owned(),
                    many => format!("{many} sessions that have it are"),
                }
            )
        };
        context.out.line(&format!("removed {name}{of}"))?;
    }
    done()
}
