//! `deck add`: add a session and start it.

use std::collections::BTreeMap;
use std::io::IsTerminal as _;
use std::process::ExitCode;

use super::Done;
use crate::cli::Context;
use crate::cli::error::CliError;
use crate::cli::{complete, consent};
use crate::config::paths::{expand, tilde};
use crate::domain::group::GroupPath;
use crate::domain::id::SessionId;
use crate::domain::mcp_scope::Scope;
use crate::domain::mcp_servers::McpChoice;
use crate::domain::resolve::resolve;
use crate::domain::session::Session;
use crate::ops::worktree::WorktreeWish;
use crate::ops::{self, Cx, McpWish, New};

/// Add a session and start it.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  deck add                                 start the first installed agent here\n  deck add ~/src/api -c claude -g work/backend\n  deck add . -t tests -c 'make watch'\n  deck add . -c gemini --prompt 'explain this repository'\n  deck add . -c claude --dry-run           show what would run\n  deck add . -c claude -- --model opus     pass arguments to the agent\n  deck add ~/src/api -w feat/login -c claude    in a worktree for a new branch"
)]
pub struct Args {
    /// Working directory [default: the group's folder, else .].
    #[arg(value_hint = clap::ValueHint::DirPath)]
    path: Option<String>,
    /// Title [default: the folder's name].
    #[arg(short, long)]
    title: Option<String>,
    /// Tool or command to run [default: the first installed agent].
    #[arg(short, long, alias = "tool", value_name = "TOOL|COMMAND", add = complete::tools())]
    command: Option<String>,
    /// Group (created if needed).
    #[arg(short, long, add = complete::groups())]
    group: Option<String>,
    /// Parent session [default: the current one].
    #[arg(long, value_name = "SESSION", conflicts_with = "no_parent", add = complete::sessions())]
    parent: Option<String>,
    /// Don't set a parent.
    #[arg(long)]
    no_parent: bool,
    /// Initial prompt.
    #[arg(long, value_name = "TEXT")]
    prompt: Option<String>,
    /// Environment variable (repeatable).
    #[arg(long, value_name = "K=V")]
    env: Vec<String>,
    /// Give the agent deck's MCP server (see `deck mcp --help`): its tool's default scopes, or these; `none` for none.
    #[arg(long, value_name = "SCOPES", num_args = 0..=1, require_equals = true, default_missing_value = "default", value_parser = McpWish::parse)]
    mcp: Option<McpWish>,
    /// Attach MCP servers of yours: names and @SETS, separated by commas (see `deck mcp list`).
    #[arg(long, value_name = "NAMES", value_delimiter = ',', conflicts_with = "no_mcp_servers", add = complete::mcp_servers())]
    mcp_server: Vec<String>,
    /// Attach none, not even those of the group and of the settings.
    #[arg(long)]
    no_mcp_servers: bool,
    /// Work in a worktree for this branch, made if there is none; '' takes the name from the title.
    #[arg(short, long, value_name = "BRANCH", help_heading = "Worktree")]
    worktree: Option<String>,
    #[command(flatten)]
    place: super::place_args::PlaceArgs,
    /// Use the worktree that has the branch already.
    #[arg(long, requires = "worktree", help_heading = "Worktree")]
    reuse: bool,
    /// Start without what the repository wants set up.
    #[arg(long, requires = "worktree", help_heading = "Worktree")]
    no_setup: bool,
    /// Create without starting.
    #[arg(long, conflicts_with_all = ["attach", "prompt"])]
    no_start: bool,
    /// Attach to it once started.
    #[arg(long)]
    attach: bool,
    /// Print what would run, without running it.
    #[arg(long)]
    dry_run: bool,
    /// Arguments for the agent.
    #[arg(last = true)]
    args: Vec<String>,
}

/// Where a prompt is that was not sent.
const KEPT: &str = "; it is kept as the session's draft: `s` in the TUI sends it, `deck show` prints it";

pub(super) fn run(args: Args, context: &mut Context) -> Done {
    context.listen_for_interrupts()?;
    let cx = context.wiring.cx();
    let (dry_run, attach) = (args.dry_run, args.attach);
    let asks_usual = args.mcp == Some(McpWish::Usual);
    let new = request(args, context, &cx)?;
    if dry_run {
        super::refuse_json(context, "--dry-run")?;
        let prepared = ops::prepare(&cx, &new)?;
        if let Some(plan) = &prepared.worktree {
            context.out.raw(super::place_args::plan_words(context, &cx, plan).as_bytes())?;
        }
        context.out.raw(prepared.launch.script.as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    let is_new = !context.wiring.profiles.exists(&context.wiring.profile);
    let created = match ops::create(&cx, &new) {
        Err(error) => match consent::ask(context, &error)? {
            Some(given) => ops::create(&cx, &new.allowing(given))?,
            None => return Err(error.into()),
        },
        Ok(created) => created,
    };
    if is_new {
        context.out.note(&format!("new profile {:?}", context.wiring.profile.as_str()));
    }
    let session = &created.session;
    note_no_shells(context, &cx, asks_usual, session);
    if let Some(text) = created.launched.as_ref().and_then(|l| l.plan.paste.as_deref()) {
        if std::io::stderr().is_terminal() {
            context.out.note(&format!("{}: waiting until its agent takes the prompt", session.title));
        }
        // The session exists and runs whatever becomes of its prompt: a script must learn of it.
        match ops::paste_when_ready(&cx, &session.id, text, ops::SendOptions::default()) {
            Ok(ops::Receipt::NotConfirmed) => {
                let words =
                    format!("{}: couldn't confirm that the agent received the prompt{KEPT}", session.title);
                context.out.warn(&words);
            }
            Ok(_) => {}
            Err(error @ ops::OpError::CancelledSent(_)) => return Err(error.into()),
            Err(
                error @ (ops::OpError::Cancelled
                | ops::OpError::CancelledTyped(_)
                | ops::OpError::CancelledProbe(_)),
            ) => {
                context.out.warn(&format!("{} is started; its prompt was not sent{KEPT}", session.title));
                return Err(error.into());
            }
            Err(error) => {
                let words = format!("{}: the prompt was not delivered: {error}{KEPT}", session.title);
                context.out.warn(&words);
            }
        }
    }
    if attach {
        return super::attach::attach(context, &cx, session);
    }
    let home = context.wiring.env.get("HOME");
    let verb = if created.launched.is_some() { "started" } else { "added" };
    let sentence = format!("{verb} {} in {}", session.title, tilde(&session.project_path, home));
    context.tell_session(&cx, &session.id, &sentence)?;
    Ok(ExitCode::SUCCESS)
}

/// Says that an agent has no shells, and why, where its user may have expected them.
fn note_no_shells(context: &Context, cx: &Cx, asks_usual: bool, session: &Session) {
    let confines = cx.tools.tool(&session.tool).is_some_and(|entry| entry.tool.mcp.confines);
    if asks_usual && confines && !session.mcp.iter().any(|scope| scope == Scope::Shells.word()) {
        context.out.note(&format!(
            "{} has no shells: {} runs its commands in a sandbox, and those in deck's shells would run outside it, with all your rights; --mcp=shells,look gives them anyway",
            session.title, session.tool
        ));
    }
}

fn request(args: Args, context: &Context, cx: &Cx) -> Result<New, CliError> {
    let profile = cx.profile.store.load()?.profile;
    let group = args.group.as_deref().filter(|g| !g.is_empty()).map(GroupPath::parse).transpose()?;
    let parent = match &args.parent {
        Some(name) => Some(resolve(&profile, name, cx.caller.inside.as_ref())?.id.clone()),
        None if args.no_parent => None,
        None => cx.caller.inside.clone().filter(|id: &SessionId| profile.session(id).is_some()),
    };
    // A sub-session belongs beside its parent unless it is put elsewhere.
    let beside = parent.as_ref().and_then(|id| profile.session(id)).map(|s| s.group_path.clone());
    let group = group.or(beside).unwrap_or_default();
    let of_group = profile.group(&group).and_then(|g| g.default_path.clone());
    let path = args.path.or(of_group).unwrap_or_else(|| ".".to_owned());
    if args.worktree.is_none() && args.place.is_given() {
        return Err(
            CliError::usage("that is about a worktree, and none is wanted").hint("name its branch with -w")
        );
    }
    let catalogue = cx.mcp_servers.catalogue();
    ops::mcp_servers::check_words(&catalogue, &args.mcp_server).map_err(ops::OpError::from)?;
    let mut mcps = McpChoice { attach: args.mcp_server.clone(), ..McpChoice::default() };
    if args.no_mcp_servers {
        let lineage = group.lineage();
        let groups = lineage.iter().filter_map(|path| profile.group(path)).map(|g| (&g.path, &g.mcps));
        mcps.detach = catalogue.chosen(groups, &mcps).into_iter().map(|chosen| chosen.name).collect();
    }
    Ok(New {
        mcps,
        worker_of: None,
        handoff: None,
        carries: None,
        path: expand(&path, &context.wiring.env),
        title: args.title,
        command: args.command,
        default_tool: context.wiring.config.default_tool.clone(),
        group,
        parent,
        prompt: args.prompt,
        env: variables(&args.env)?,
        args: args.args,
        mcp: args.mcp.unwrap_or_else(|| McpWish::ForTools(context.wiring.config.mcp.pass.clone())),
        worktree: args
            .worktree
            .map(|branch| args.place.wish(&branch, &context.wiring.env))
            .map(|wish| WorktreeWish { reuse: args.reuse, setup: !args.no_setup, ..wish }),
        start: !args.no_start,
    })
}

fn variables(given: &[String]) -> Result<BTreeMap<String, String>, CliError> {
    let one = |pair: &String| {
        let (name, value) = pair.split_once('=').filter(|(n, _)| is_name(n)).ok_or_else(|| {
            CliError::usage(format!("invalid variable {pair:?} for --env")).hint("write it as NAME=value")
        })?;
        Ok((name.to_owned(), value.to_owned()))
    };
    given.iter().map(one).collect()
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
