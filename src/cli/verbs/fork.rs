//! `deck fork`: a new session from the same conversation.

use std::process::ExitCode;

use super::Done;
use crate::cli::{Context, complete};
use crate::ops;

/// Fork a session from its conversation.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The new session becomes a child of the original; the conversations then diverge.\n\nExamples:\n  deck fork api\n  deck fork api -t 'api, another way'"
)]
pub struct Args {
    /// Session to fork.
    #[arg(add = complete::sessions())]
    session: String,
    /// Title of the new session.
    #[arg(short, long)]
    title: Option<String>,
}

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    context.listen_for_interrupts()?;
    let cx = context.wiring.cx();
    let session = context.find(&cx, &args.session)?;
    let child = ops::fork(&cx, &session.id, args.title.as_deref())?;
    context.tell_session(&cx, &child.id, &format!("forked {} as {}", session.title, child.title))?;
    Ok(ExitCode::SUCCESS)
}
