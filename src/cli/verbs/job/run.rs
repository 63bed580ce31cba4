//! `deck job run`.

use crate::cli::Context;
use crate::cli::verbs::{Done, shell};
use crate::ops::job;

/// Run a program as a job, from the code of a shell.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The program gets exactly these arguments; no shell is between. It is recorded as a job of the shell, with the job whose code runs it as its parent. Prints what the program prints, and exits as it does.\n\nExamples:\n  deck shell exec api 'deck job run -- echo hello'"
)]
pub struct Args {
    /// The program and its arguments.
    #[arg(required = true, last = true, value_name = "ARGV")]
    words: Vec<String>,
    /// Return as soon as it runs.
    #[arg(long)]
    background: bool,
}

pub(super) fn run(args: Args, context: &mut Context) -> Done {
    let cx = context.wiring.cx();
    let stream = !context.out.json && !args.background;
    let result = job::run(&cx, args.words, args.background, stream, &mut shell::follow());
    shell::answer(context, &cx, result, args.background)
}
