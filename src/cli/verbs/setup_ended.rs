//! `deck setup-ended`: what the script in a session's pane reports once the setup of the worktree is over.

use super::Done;
use crate::cli::Context;
use crate::cli::error::CliError;
use crate::ops;
use std::process::ExitCode;

/// Record how the setup of a worktree ended.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The exit code of the command that ended it.
    code: i32,
}

pub(super) fn run(args: &Args, context: &Context) -> Done {
    let cx = context.wiring.cx();
    let id = cx.caller.inside.clone().ok_or_else(|| CliError::usage("this is for deck's own scripts"))?;
    ops::worktree::setup_ended(&cx, &id, args.code)?;
    Ok(ExitCode::SUCCESS)
}
