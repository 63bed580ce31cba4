//! `deck shell checkpoint`.

use std::process::ExitCode;

use crate::api::ShellCheckpoint;
use crate::cli::verbs::Done;
use crate::cli::{Context, complete};
use crate::ops::shell;

/// Keep a shell's state under a name.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "`deck shell restore` goes back to it; `deck shell show` lists all of them. They are removed with the shell.\n\nExamples:\n  deck shell checkpoint api\n  deck shell checkpoint api before-upgrade"
)]
pub struct Args {
    /// The shell.
    #[arg(value_name = "SHELL", add = complete::shells())]
    shell: String,
    /// What to call it [default: the state's number].
    name: Option<String>,
}

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    let cx = context.wiring.cx();
    let (shell, checkpoint) = shell::checkpoint(&cx, &args.shell, args.name.as_deref())?;
    if context.out.json {
        context.out.value(&ShellCheckpoint::of(&shell, &checkpoint))?;
    } else if context.out.quiet {
        context.out.line(&checkpoint.name)?;
    } else {
        context.out.line(&format!("kept the state of {} as {}", shell.label(), checkpoint.name))?;
    }
    Ok(ExitCode::SUCCESS)
}
