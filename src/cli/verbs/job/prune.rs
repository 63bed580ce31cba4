//! `deck job prune`.

use std::process::ExitCode;

use crate::api::JobsPruned;
use crate::cli::verbs::Done;
use crate::cli::{Context, complete};
use crate::domain::text;
use crate::ops::job::prune;

/// Remove what finished jobs left.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Their output and records are removed; `deck shell history` still lists them.\n\nExamples:\n  deck job prune api\n  deck job prune --json"
)]
pub struct Args {
    /// The shell [default: all].
    #[arg(value_name = "SHELL", add = complete::shells())]
    shell: Option<String>,
}

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    let pruned = prune(&context.wiring.cx(), args.shell.as_deref())?;
    if context.out.json {
        context.out.value(&JobsPruned::from(pruned))?;
    } else if !context.out.quiet {
        let jobs = text::counted(usize::try_from(pruned.jobs).unwrap_or(usize::MAX), "job");
        context.out.line(&format!("removed {jobs}, {}", text::bytes(pruned.bytes)))?;
    }
    Ok(ExitCode::SUCCESS)
}
