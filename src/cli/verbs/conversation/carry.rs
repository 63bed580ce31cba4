//! `deck conversation carry` and `detach`.

use std::process::ExitCode;

use super::{Done, One, count, shape};
use crate::cli::{Context, complete};
use crate::domain::text;
use crate::ops::talk;

/// Make a session the agent of a conversation.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "What is said in the session becomes part of the conversation, from the session's first prompt on: deck reads its transcript, and each message is\nin the conversation once. It continues when the agent compacts its context, when it is restarted and when its user begins anew in it. A message of\nthe user that is added to the conversation is sent to the session.\n\nExamples:\n  deck conversation carry dev-task-auth-login-in_dev api\n  deck conversation carry login api"
)]
pub struct CarryArgs {
    #[command(flatten)]
    one: One,
    /// The session.
    #[arg(add = complete::sessions())]
    session: String,
}

/// Stop a session from carrying a conversation.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "What was said until then stays in it; the session goes on as it is.\n\nExamples:\n  deck conversation detach dev-task-auth-login-in_dev"
)]
pub struct DetachArgs {
    #[command(flatten)]
    one: One,
}

pub(super) fn carry(args: &CarryArgs, context: &Context) -> Done {
    let cx = context.wiring.cx();
    let found = args.one.find(context, &cx)?;
    let session = context.find(&cx, &args.session)?;
    let now = talk::carry(&cx, &found, &session.id)?;
    let out = context.out;
    if out.json {
        out.value(&shape(&cx, &now, None))?;
    } else if out.quiet {
        out.line(now.state.id.as_str())?;
    } else {
        let read = now.state.stats.total_messages - found.state.stats.total_messages;
        out.line(&format!(
            "{} carries {}: {} read from its transcript",
            text::clean(&session.title),
            now.state.id,
            count(read, "message")
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn detach(args: &DetachArgs, context: &Context) -> Done {
    let cx = context.wiring.cx();
    let found = args.one.find(context, &cx)?;
    let (now, title) = talk::detach(&cx, &found)?;
    let out = context.out;
    if out.json {
        out.value(&shape(&cx, &now, None))?;
    } else if out.quiet {
        out.line(now.state.id.as_str())?;
    } else {
        let title = if title.is_empty() { "its session".to_owned() } else { text::clean(&title) };
        out.line(&format!("{title} no longer carries {}", now.state.id))?;
    }
    Ok(ExitCode::SUCCESS)
}
