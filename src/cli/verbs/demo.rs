//! `deck demo`: a throw-away deck with stand-in agents.

use crate::cli::error::CliError;
use crate::cli::output::Out;
use crate::config::paths::Environment;

/// Open a throw-away deck with stand-in agents, to look around.
#[derive(Debug, clap::Args)]
pub struct Args {}

pub(super) fn run(_: &Args, _: &Environment, _: &Out) -> Result<(), CliError> {
    Ok(())
}
