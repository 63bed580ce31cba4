//! `deck ack`: mark finished turns as seen.

use super::Done;
use crate::cli::{Context, complete};
use crate::ops;

/// Mark finished turns as seen.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A finished turn becomes idle and no longer needs attention. A question stays open until it is answered.\n\nExamples:\n  deck ack api\n  deck ack api docs"
)]
pub struct Args {
    /// Sessions to mark.
    #[arg(required = true, value_name = "SESSION", add = complete::sessions())]
    sessions: Vec<String>,
}

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    let context = &*context;
    context.each(&args.sessions, |cx, session| {
        ops::acknowledge(cx, &session.id)?;
        context.tell_session(cx, &session.id, &format!("marked {} as seen", session.title))
    })
}
