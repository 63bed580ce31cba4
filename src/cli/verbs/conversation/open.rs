//! `deck conversation open`

use std::process::ExitCode;

use super::{Done, Where, count, shape, short};
use crate::cli::error::CliError;
use crate::cli::{Context, complete};
use crate::domain::session::Session;
use crate::domain::text::clean;
use crate::ops::talk::{self, TalkError, Wanted};
use crate::ops::{self, Cx, McpWish, New, OpError};
use crate::ports::conversations::Talk;

/// Open a conversation.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The same role, feature, task and state are always the same conversation, whichever process asks. Names of features and tasks are 1 to 64 of the\ncharacters a-z, A-Z, 0-9, ., _ and -.\n\nExamples:\n  deck conversation open --role pm --feature auth\n  deck conversation open --role dev --feature auth --task login\n  deck conversation open --role qa --feature auth --task login --from dev-task-auth-login-in_dev\n  deck conversation open --role dev --feature auth --task login --start -c claude     with a session that talks in it"
)]
pub struct Args {
    /// Who talks: pm, dev, qa, harness, merge, or a role of yours.
    #[arg(long)]
    role: String,
    /// The feature.
    #[arg(long)]
    feature: String,
    /// A task of it [default: the feature as a whole].
    #[arg(long)]
    task: Option<String>,
    /// The state that the task is in [default: the role's].
    #[arg(long)]
    state: Option<String>,
    /// Begin a new one with the checkpoint and the pins of this conversation.
    #[arg(long, value_name = "ID")]
    from: Option<String>,
    /// Make this session its agent.
    #[arg(long, conflicts_with = "start", add = complete::sessions())]
    session: Option<String>,
    /// Start a session that is its agent.
    #[arg(long)]
    start: bool,
    /// What that session runs [default: as for `deck add`].
    #[arg(short, long, value_name = "TOOL|COMMAND", requires = "start", add = complete::tools())]
    command: Option<String>,
    /// What its agent is asked first.
    #[arg(long, value_name = "TEXT", requires = "start")]
    prompt: Option<String>,
    #[command(flatten)]
    at: Where,
}

/// Starts a session that carries a conversation.
fn start(args: &Args, context: &Context, cx: &Cx, opened: &Talk) -> Result<(Talk, Session), CliError> {
    let config = &context.wiring.config;
    if let Some(carrier) = &opened.state.carrier {
        // Nothing is started that could not carry it.
        let by = cx.profile.store.load().map_err(OpError::from)?.profile;
        let by = by.live_sessions().find(|session| session.id.as_str() == carrier.session).map(Session::name);
        if let Some(by) = by {
            let id = opened.state.id.clone();
            return Err(OpError::from(TalkError::CarriedByOther { id, by }).into());
        }
    }
    let new = New {
        path: opened.root.clone(),
        title: Some(opened.state.id.to_string()),
        command: args.command.clone(),
        default_tool: config.default_tool.clone(),
        prompt: Some(talk::first_prompt(cx, opened, args.prompt.as_deref())?),
        mcp: McpWish::ForTools(config.mcp.pass.clone()),
        carries: Some(talk::carries_of(opened)),
        start: true,
        ..New::default()
    };
    let named =
        new.command.clone().or_else(|| Some(new.default_tool.clone()).filter(|tool| !tool.is_empty()));
    if let Some(command) = named {
        // Before anything is started.
        talk::may_carry(cx, opened, &cx.tools.tool_of(&command).0)?;
    }
    let created = ops::create(cx, &new)?;
    let now = talk::carry(cx, opened, &created.session.id)?;
    if let Some(text) = created.launched.as_ref().and_then(|launched| launched.plan.paste.clone()) {
        ops::paste_when_ready(cx, &created.session.id, &text, ops::SendOptions::default())?;
    }
    Ok((now, created.session))
}

pub(super) fn run(args: &Args, context: &Context) -> Done {
    let cx = context.wiring.cx();
    let root = args.at.path(context);
    let from = args.from.as_ref().map(|from| talk::find(&cx, root.as_deref(), from)).transpose()?;
    let wanted = Wanted {
        role: &args.role,
        feature: &args.feature,
        task: args.task.as_deref(),
        state: args.state.as_deref(),
        root: root.as_deref(),
    };
    let (opened, is_new) = talk::open(&cx, &wanted, from.as_ref()).map_err(CliError::from)?;
    for problem in &opened.problems {
        context.out.warn(problem);
    }
    let (mut opened, mut by) = (opened, None);
    if let Some(name) = &args.session {
        let session = context.find(&cx, name)?;
        opened = talk::carry(&cx, &opened, &session.id)?;
        by = Some(session);
    } else if args.start {
        let (now, session) = start(args, context, &cx, &opened)?;
        (opened, by) = (now, Some(session));
    }
    let id = &opened.state.id;
    if context.out.json {
        context.out.value(&shape(&cx, &opened, Some(is_new)))?;
    } else if context.out.quiet {
        context.out.line(id.as_str())?;
    } else {
        let root = short(context, &opened.root);
        let messages = count(opened.state.stats.total_messages, "message");
        context.out.line(&match is_new {
            true => format!("opened {id} in {root}"),
            false => format!("{id} in {root}: {messages}, {}", opened.state.status.word()),
        })?;
        if let Some(session) = by {
            context.out.line(&format!("session {} carries it", clean(&session.title)))?;
        }
        if is_new && from.is_some() {
            context.out.note("it begins with the checkpoint and the pins of the other one");
        } else if from.is_some() {
            context.out.note("it was there already: nothing of the other one was taken");
        }
    }
    Ok(ExitCode::SUCCESS)
}
