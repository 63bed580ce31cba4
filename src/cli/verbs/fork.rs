//! `deck fork`: another session that goes on from the same conversation.

use std::process::ExitCode;

use super::Done;
use crate::cli::{Context, complete};
use crate::ops;

/// Start another session that goes on from the same conversation.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The new session stands under the one it came from. From then on the two conversations are apart.\n\nExamples:\n  deck fork api\n  deck fork api -t 'api, another way'"
)]
pub struct Args {
    /// The session.
    #[arg(add = complete::sessions())]
    session: String,
    /// The new session's title.
    #[arg(short, long)]
    title: Option<String>,
}

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    let deck = context.wiring.deck();
    let session = context.find(&deck, &args.session)?;
    let child = ops::fork(&deck, &session.id, args.title.as_deref())?;
    context.tell_session(&deck, &child.id, &format!("forked {} as {}", session.title, child.title))?;
    Ok(ExitCode::SUCCESS)
}
