//! `deck restart`: end agents and start them again.

use super::Done;
use super::of_group::OfGroup;
use super::started::Started;
use crate::cli::{Context, complete};
use crate::ops;
use crate::ops::worker::returned_words;

/// Restart sessions, resuming their conversations.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Current work is interrupted. The agent starts again in the same pane.\n\nExamples:\n  deck restart api\n  deck restart api --fresh     start a new conversation\n  deck restart api --no-setup  go on without the setup of its worktree"
)]
pub struct Args {
    /// Sessions to restart.
    #[arg(required_unless_present = "group", value_name = "SESSION", add = complete::sessions())]
    sessions: Vec<String>,
    #[command(flatten)]
    of: OfGroup,
    /// Start a new conversation.
    #[arg(long)]
    fresh: bool,
    /// Restart without the setup of the worktree.
    #[arg(long)]
    no_setup: bool,
}

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    let context = &*context;
    let names = context.named(&args.sessions, &args.of)?;
    context.each_started(&names, |cx, session| {
        if args.no_setup {
            ops::worktree::skip_setup(cx, &session.id)?;
        }
        let restarted = ops::restart(cx, &session.id, args.fresh)?;
        let how = if restarted.resumed { "and resumed its conversation" } else { "with a new conversation" };
        let beside = returned_words(&restarted.launched.terminals);
        let sentence = format!("restarted {} {how}{beside}", session.title);
        Ok(Started { resumed: restarted.resumed, sentence })
    })
}
