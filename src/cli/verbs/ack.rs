//! `deck ack`: say that you know what sessions have done.

use super::Done;
use crate::cli::{Context, complete};
use crate::ops;

/// Acknowledge what sessions have done.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A finished turn becomes idle. A question stays until it is answered.\n\nExamples:\n  deck ack api\n  deck ack api docs"
)]
pub struct Args {
    /// The sessions.
    #[arg(required = true, value_name = "SESSION", add = complete::sessions())]
    sessions: Vec<String>,
}

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    let context = &*context;
    context.each(&args.sessions, |deck, session| {
        ops::acknowledge(deck, &session.id)?;
        context.tell_session(deck, &session.id, &format!("acknowledged {}", session.title))
    })
}
