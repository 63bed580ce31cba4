//! `deck import`: import agents already running in tmux, and existing conversations.

use std::path::PathBuf;
use std::process::ExitCode;

use super::Done;
use crate::api::{self, FoundConversation, Import, RunningAgent};
use crate::cli::error::CliError;
use crate::cli::table::{Table, terminal_width};
use crate::cli::{Context, complete};
use crate::config::paths::tilde;
use crate::domain::age;
use crate::domain::conversation::Found;
use crate::domain::group::GroupPath;
use crate::domain::session::Session;
use crate::ops::{self, Candidate, Cx, OpError, Watcher};

/// Import agents already running in tmux, or existing conversations.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Without NAME, list what can be imported.\nAn adopted agent stays in its own tmux session; nothing is started, stopped or moved.\n\nExamples:\n  deck import                              list agents in your tmux sessions\n  deck import work default:2               adopt these\n  deck import --conversations              list conversations not in deck yet\n  deck import --conversations ~/src/api    only those of a folder\n  deck import --conversations 5b1e2c90     create a session from this one\n  deck import --agent-console ~/.agent-console/sessions.json --dry-run"
)]
pub struct Args {
    /// tmux sessions (NAME or SERVER:NAME); with --conversations: ids, id prefixes or folders.
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// List what can be imported (default without NAME).
    #[arg(long)]
    list: bool,
    /// Import conversations instead of running agents.
    #[arg(long)]
    conversations: bool,
    /// Import the sessions of agent-console's file, which is only read; nothing is started.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["names", "list", "conversations", "title"])]
    agent_console: Option<PathBuf>,
    /// Print which sessions would be imported.
    #[arg(long, requires = "agent_console")]
    dry_run: bool,
    /// Only this tool's conversations.
    #[arg(long, value_name = "TOOL", requires = "conversations", add = complete::tools())]
    tool: Option<String>,
    /// Group for the imported sessions (created if needed).
    #[arg(short, long, add = complete::groups())]
    group: Option<String>,
    /// Title, when importing one.
    #[arg(short, long)]
    title: Option<String>,
}

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    let cx = context.wiring.cx();
    if let Some(file) = &args.agent_console {
        return console(args, context, &cx, file);
    }
    if args.conversations { conversations(args, context, &cx) } else { running(args, context, &cx) }
}

/// Imports the sessions of another program's file.
fn console(args: &Args, context: &Context, cx: &Cx, file: &std::path::Path) -> Done {
    let path = cx.caller.cwd.join(file);
    let text = cx.host.read(&path).map_err(|error| {
        CliError::new(crate::api::Code::NotFound, format!("can't read {}: {error}", path.display()))
            .hint("agent-console keeps it as ~/.agent-console/sessions.json")
    })?;
    let (found, skipped) = crate::domain::agent_console::parse(&text)
        .map_err(|why| CliError::usage(format!("{} {why}", path.display())))?;
    skipped.iter().for_each(|why| context.out.warn(&format!("not imported: {why}")));
    let made = ops::import_console(cx, &found, &group(args)?, args.dry_run)?;
    let out = context.out;
    if out.json {
        let profile = cx.profile.name.as_str();
        out.value(&Import::Sessions(made.iter().map(|s| api::Session::of(s, profile, None)).collect()))?;
        return Ok(ExitCode::SUCCESS);
    }
    for session in &made {
        if out.quiet {
            out.line(session.id.as_str())?;
            continue;
        }
        let verb = if args.dry_run { "would import" } else { "imported" };
        let folder = tilde(&session.project_path, context.wiring.env.get("HOME"));
        out.line(&crate::domain::text::clean(&format!(
            "{verb} {} in {folder} ({})",
            session.title, session.tool
        )))?;
    }
    if made.is_empty() {
        out.note("nothing new in it");
    }
    Ok(ExitCode::SUCCESS)
}

fn group(args: &Args) -> Result<GroupPath, CliError> {
    Ok(args.group.as_deref().map(GroupPath::parse).transpose()?.unwrap_or_default())
}

/// The title for one of `many`.
fn title(args: &Args, many: usize) -> Result<Option<&str>, CliError> {
    match (&args.title, many) {
        (Some(_), 2..) => Err(CliError::usage("--title needs exactly one session")
            .hint("import them without --title, then use `deck rename`")),
        (title, _) => Ok(title.as_deref()),
    }
}

fn running(args: &Args, context: &Context, cx: &Cx) -> Done {
    let found = ops::candidates(cx)?;
    if let Some(skipped) = found.skipped() {
        context.out.warn(&skipped);
    }
    let found = found.agents;
    if args.names.is_empty() || args.list {
        return list_running(context, &found);
    }
    let group = group(args)?;
    let title = title(args, args.names.len())?;
    finish(context, cx, &args.names, |name| {
        let is_it =
            |c: &&Candidate| c.pane.name == *name || format!("{}:{}", c.pane.server(), c.pane.name) == *name;
        let fit: Vec<&Candidate> = found.iter().filter(is_it).collect();
        match fit[..] {
            [] => Err(OpError::NothingToImport(name.to_owned()).into()),
            [one] => Ok(ops::adopt(cx, one, title, &group)?),
            [first, ..] if fit.iter().all(|c| c.pane.server() == first.pane.server()) => {
                Err(CliError::usage(format!("{name:?} has several panes that run an agent")).hint(
                    "deck tracks one agent per tmux session; move the others out with `tmux break-pane`",
                ))
            }
            _ => Err(CliError::usage(format!("{name:?} exists on several servers")).hint(format!(
                "use one of: {}",
                fit.iter()
                    .map(|c| format!("{}:{}", c.pane.server(), c.pane.name))
                    .collect::<Vec<_>>()
                    .join(", ")
            ))),
        }
    })
}

fn list_running(context: &Context, found: &[Candidate]) -> Done {
    let out = context.out;
    if out.json {
        out.value(&Import::Agents(found.iter().map(RunningAgent::from).collect()))?;
        return Ok(ExitCode::SUCCESS);
    }
    let home = context.wiring.env.get("HOME");
    let mut table = Table::default();
    for c in found {
        let name = format!("{}:{}", c.pane.server(), c.pane.name);
        if out.quiet {
            out.line(&name)?;
            continue;
        }
        let folder = tilde(&c.folder.to_string_lossy(), home);
        table.row(vec![
            (name, |t, out| out.strong(t)),
            (c.tool.clone(), |t, _| t.to_owned()),
            (folder, |t, out| out.dim(t)),
            (c.pane.title.clone(), |t, out| out.dim(t)),
        ]);
    }
    for line in table.lines(terminal_width(), &out) {
        out.line(&line)?;
    }
    out.note(if found.is_empty() {
        "no other agents found in tmux; `deck import --conversations` lists conversations"
    } else {
        "`deck import NAME` adopts one"
    });
    Ok(ExitCode::SUCCESS)
}

fn conversations(args: &Args, context: &Context, cx: &Cx) -> Done {
    let is_path = |name: &&String| name.contains('/') || matches!(name.as_str(), "." | ".." | "~");
    let (paths, ids): (Vec<&String>, Vec<&String>) = args.names.iter().partition(is_path);
    let folder = match paths[..] {
        [] => None,
        [path] => Some(folder(context, path)),
        _ => return Err(CliError::usage("only one folder can be given")),
    };
    let found =
        ops::conversations(cx, args.tool.as_deref(), folder.as_deref(), &ops::known_conversations(cx)?)?;
    if ids.is_empty() || args.list {
        return list_conversations(context, cx, &found);
    }
    let group = group(args)?;
    let title = title(args, ids.len())?;
    let names: Vec<String> = ids.into_iter().cloned().collect();
    finish(context, cx, &names, |name| {
        let fit: Vec<&Found> = found.iter().filter(|f| f.id.starts_with(name)).collect();
        match fit[..] {
            [] => Err(OpError::NothingToImport(name.to_owned()).into()),
            [one] => Ok(ops::import(cx, one, title, &group)?),
            _ => Err(CliError::usage(format!("several conversation ids start with {name:?}")).hint(format!(
                "use one of: {}",
                fit.iter().map(|f| f.id.as_str()).collect::<Vec<_>>().join(", ")
            ))),
        }
    })
}

/// A folder as the user names it: the shell has expanded `~` unless it was quoted.
fn folder(context: &Context, path: &str) -> PathBuf {
    let home = context.wiring.env.get("HOME").unwrap_or("/");
    let path = path.strip_prefix('~').map_or_else(|| path.to_owned(), |rest| format!("{home}{rest}"));
    let full = context.wiring.env.cwd.join(path);
    // Agents note the folder that links lead to.
    full.canonicalize().unwrap_or(full)
}

fn list_conversations(context: &Context, cx: &Cx, found: &[Found]) -> Done {
    let out = context.out;
    if out.json {
        out.value(&Import::Conversations(found.iter().map(FoundConversation::from).collect()))?;
        return Ok(ExitCode::SUCCESS);
    }
    let (home, now) = (context.wiring.env.get("HOME"), cx.clock.now());
    let mut table = Table::default();
    for f in found {
        if out.quiet {
            out.line(&f.id)?;
            continue;
        }
        table.row(vec![
            (f.id.clone(), |t, _| t.to_owned()),
            (f.tool.clone(), |t, _| t.to_owned()),
            (f.used_at.map(|at| age::age(now, at)).unwrap_or_default(), |t, _| t.to_owned()),
            (f.folder.as_deref().map(|p| tilde(p, home)).unwrap_or_default(), |t, out| out.dim(t)),
            (f.first_prompt.clone().unwrap_or_default(), |t, _| t.to_owned()),
        ]);
    }
    for line in table.lines(terminal_width(), &out) {
        out.line(&line)?;
    }
    out.note(if found.is_empty() {
        "every conversation on this machine is in deck already"
    } else {
        "`deck import --conversations ID` imports one; an id prefix is enough"
    });
    Ok(ExitCode::SUCCESS)
}

/// Imports each and reports the result.
fn finish(
    context: &Context,
    cx: &Cx,
    names: &[String],
    import: impl Fn(&str) -> Result<Session, CliError>,
) -> Done {
    let (mut made, mut failed) = (Vec::new(), Vec::new());
    for name in names {
        match import(name) {
            Ok(session) => made.push(session),
            Err(error) => failed.push(error),
        }
    }
    let out = context.out;
    if out.json {
        let snapshot = Watcher::new().tick(cx)?;
        let profile = cx.profile.name.as_str();
        let one = |s: &Session| api::Session::of(s, profile, snapshot.state(&s.id));
        out.value(&Import::Sessions(made.iter().map(one).collect()))?;
    } else {
        for session in &made {
            let sentence = match &session.tmux.adopted {
                Some(_) => {
                    format!("adopted {}; `deck attach` attaches to it, prefix d detaches", session.title)
                }
                None => format!("created {} from the conversation; `deck start` resumes it", session.title),
            };
            out.line(if out.quiet { session.id.as_str() } else { &sentence })?;
        }
    }
    context.conclude(names.len(), failed)
}
