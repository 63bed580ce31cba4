//! `deck rename`: rename a session.

use std::process::ExitCode;

use super::Done;
use crate::cli::{Context, complete};
use crate::ops;

/// Rename a session.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  deck rename api 'api, rate limits'")]
pub struct Args {
    /// Session to rename.
    #[arg(add = complete::sessions())]
    session: String,
    /// New title.
    title: String,
}

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    let cx = context.wiring.cx();
    let session = context.find(&cx, &args.session)?;
    let renamed = ops::rename(&cx, &session.id, &args.title)?;
    context.tell_session(&cx, &session.id, &format!("renamed {} to {}", session.title, renamed.title))?;
    Ok(ExitCode::SUCCESS)
}
