//! `deck shell history`.

use std::process::ExitCode;

use crate::api::Job;
use crate::cli::verbs::{Done, job};
use crate::cli::{Context, complete};
use crate::ops::shell;

/// Show the finished jobs of a shell.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The newest first. A job stays here after its output was removed.\n\nExamples:\n  deck shell history api\n  deck shell history api --limit 5 --json"
)]
pub struct Args {
    /// The shell.
    #[arg(value_name = "SHELL", add = complete::shells())]
    shell: String,
    /// How many jobs at most.
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit: usize,
}

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    let cx = context.wiring.cx();
    let shell = shell::find(&cx, &args.shell)?;
    let jobs = cx.shells.history(&shell.session_id, args.limit).map_err(shell::ShellError::from)?;
    if context.out.json {
        let all: Vec<Job> = jobs.iter().map(Job::from).collect();
        context.out.value(&all)?;
    } else {
        job::table(context, &jobs)?;
    }
    Ok(ExitCode::SUCCESS)
}
