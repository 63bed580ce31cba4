//! `deck shell end`.

use crate::api::ShellEnded;
use crate::cli::error::CliError;
use crate::cli::verbs::Done;
use crate::cli::{Context, complete};
use crate::ops::shell;

/// End shells.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A shell whose job runs is ended only with --kill.\n\nExamples:\n  deck shell end api\n  deck shell end api --kill --now"
)]
pub struct Args {
    /// The shells.
    #[arg(required = true, value_name = "SHELL", add = complete::shells())]
    shells: Vec<String>,
    /// End their jobs, too.
    #[arg(long)]
    kill: bool,
    /// Remove their files at once.
    #[arg(long)]
    now: bool,
}

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    let cx = context.wiring.cx();
    context.collect_answers(args.shells.len());
    let mut failed = Vec::new();
    for word in &args.shells {
        let result = shell::end(&cx, word, args.kill, args.now).map_err(CliError::from);
        let told = result.and_then(|ended| {
            if context.out.json {
                return context.answer(&ShellEnded::from(&ended));
            }
            let line = format!("ended {}", ended.shell.label());
            if context.out.quiet { Ok(()) } else { context.out.line(&line) }
        });
        failed.extend(told.err());
    }
    context.conclude(args.shells.len(), failed)
}
