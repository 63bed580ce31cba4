//! `deck restart`: end agents and start them again.

use super::Done;
use super::started::Started;
use crate::cli::{Context, complete};
use crate::ops;

/// End agents and start them again with their conversations.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  deck restart api\n  deck restart api --fresh     with a new conversation"
)]
pub struct Args {
    /// The sessions.
    #[arg(required = true, value_name = "SESSION", add = complete::sessions())]
    sessions: Vec<String>,
    /// Begin a new conversation.
    #[arg(long)]
    fresh: bool,
}

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    let context = &*context;
    context.each_started(&args.sessions, |deck, session| {
        let restarted = ops::restart(deck, &session.id, args.fresh)?;
        let how = if restarted.resumed { "with its conversation" } else { "with a new conversation" };
        let sentence = format!("restarted {} {how}", session.title);
        Ok(Started { resumed: restarted.resumed, sentence })
    })
}
