//! `deck rename`: give a session another title.

use std::process::ExitCode;

use super::Done;
use crate::cli::{Context, complete};
use crate::ops;

/// Give a session another title.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  deck rename api 'api, rate limits'")]
pub struct Args {
    /// The session.
    #[arg(add = complete::sessions())]
    session: String,
    /// Its new title.
    title: String,
}

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    let deck = context.wiring.deck();
    let session = context.find(&deck, &args.session)?;
    let renamed = ops::rename(&deck, &session.id, &args.title)?;
    context.tell_session(&deck, &session.id, &format!("renamed {} to {}", session.title, renamed.title))?;
    Ok(ExitCode::SUCCESS)
}
