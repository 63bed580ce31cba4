//! `deck ack`: mark finished turns as seen.

use super::Done;
use super::of_group::OfGroup;
use crate::cli::{Context, complete};
use crate::ops;

/// Mark finished turns as seen.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A finished turn becomes idle and no longer needs attention. A question stays open until it is answered.\n\nExamples:\n  deck ack api\n  deck ack api docs\n  deck ack --group work          all sessions of a group"
)]
pub struct Args {
    /// Sessions to mark.
    #[arg(required_unless_present = "group", value_name = "SESSION", add = complete::sessions())]
    sessions: Vec<String>,
    #[command(flatten)]
    of: OfGroup,
}

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    let context = &*context;
    let names = context.named(&args.sessions, &args.of)?;
    context.each(&names, |cx, session| {
        ops::acknowledge(cx, &session.id)?;
        context.tell_session(cx, &session.id, &format!("marked {} as seen", session.title))
    })
}
