//! `deck shell restore`.

use std::process::ExitCode;

use crate::api::Shell;
use crate::cli::verbs::Done;
use crate::cli::{Context, complete};
use crate::ops::shell::{self, RestoreFrom};

/// Go back to a state of a shell.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Folder, variables, functions and options become what they were; files don't. The states before the last ten commands are kept, too.\n\nExamples:\n  deck shell restore api                       to the last checkpoint\n  deck shell restore api before-upgrade\n  deck shell restore api --before api/1        to the state before a job\n  deck shell restore api --as api-2            in a new shell"
)]
pub struct Args {
    /// The shell.
    #[arg(value_name = "SHELL", add = complete::shells())]
    shell: String,
    /// The checkpoint [default: the last one].
    #[arg(value_name = "NAME", conflicts_with = "before")]
    checkpoint: Option<String>,
    /// Go back to the state before this job.
    #[arg(long, value_name = "JOB", add = complete::jobs())]
    before: Option<String>,
    /// Make a new shell of this name in that state, and leave this one as it is.
    #[arg(long = "as", value_name = "NEWNAME")]
    into: Option<String>,
}

pub(super) fn run(args: Args, context: &mut Context) -> Done {
    let cx = context.wiring.cx();
    let from = match (args.checkpoint, args.before) {
        (Some(name), _) => RestoreFrom::Checkpoint(name),
        (None, Some(job)) => RestoreFrom::BeforeJob(job),
        (None, None) => RestoreFrom::Last,
    };
    let shell = shell::restore(&cx, &args.shell, &from, args.into.as_deref())?;
    if context.out.json {
        context.out.value(&Shell::from(&shell::details(&cx, shell)?))?;
    } else if args.into.is_some() {
        context.out.line(shell.session_id.as_str())?;
    } else if !context.out.quiet {
        context.out.line(&format!("restored {}, in {}", shell.label(), shell.work_dir))?;
    }
    Ok(ExitCode::SUCCESS)
}
