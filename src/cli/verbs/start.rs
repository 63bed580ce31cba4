//! `deck start`: start stopped sessions.

use super::Done;
use super::started::Started;
use crate::cli::{Context, complete};
use crate::ops;

/// Start stopped sessions, resuming their conversations.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  deck start api\n  deck start api --fresh       start a new conversation"
)]
pub struct Args {
    /// Sessions to start.
    #[arg(required = true, value_name = "SESSION", add = complete::sessions())]
    sessions: Vec<String>,
    /// Start a new conversation.
    #[arg(long)]
    fresh: bool,
}

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    let context = &*context;
    context.each_started(&args.sessions, |cx, session| {
        let launched = ops::start(cx, &session.id, args.fresh, None)?;
        let resumed = session.resume.id.is_some() && launched.session.resume.id == session.resume.id;
        let how = if resumed { " and resumed its conversation" } else { "" };
        Ok(Started { resumed, sentence: format!("started {}{how}", session.title) })
    })
}
