//! `deck start`: start stopped sessions.

use super::Done;
use super::of_group::OfGroup;
use super::started::Started;
use crate::cli::{Context, complete};
use crate::ops;
use crate::ops::worker::returned_words;

/// Start stopped sessions, resuming their conversations.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  deck start api\n  deck start api --fresh       start a new conversation\n  deck start --group work      all sessions of a group that don't run"
)]
pub struct Args {
    /// Sessions to start.
    #[arg(required_unless_present = "group", value_name = "SESSION", add = complete::sessions())]
    sessions: Vec<String>,
    #[command(flatten)]
    of: OfGroup,
    /// Start a new conversation.
    #[arg(long)]
    fresh: bool,
    /// Start without the setup of the worktree.
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
        let launched = match ops::start(cx, &session.id, args.fresh, None) {
            Err(ops::OpError::Running(_)) if args.of.is_given() => {
                return Ok(Started {
                    resumed: false,
                    sentence: format!("{} is running already", session.title),
                });
            }
            other => other?,
        };
        let resumed = session.resume.id.is_some() && launched.session.resume.id == session.resume.id;
        let how = if resumed { " and resumed its conversation" } else { "" };
        Ok(Started {
            resumed,
            sentence: format!("started {}{how}{}", session.title, returned_words(&launched.terminals)),
        })
    })
}
