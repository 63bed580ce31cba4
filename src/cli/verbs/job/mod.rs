//! `deck job …`: what runs, and has run, in headless shells.

mod kill;
mod list;
mod output;
mod prune;
mod run;
mod show;
mod wait;
mod write;

pub(super) use list::table;

use super::Done;
use crate::cli::Context;

/// Follow, wait for and end the jobs of shells.
#[derive(Debug, clap::Subcommand)]
#[command(
    after_help = "Each `deck shell exec` is a job.\n\nJOB: SHELL/NUMBER, a job's id, or %NUMBER in the code of a shell.\n\nExamples:\n  deck job list\n  deck job output api/1\n  deck job wait api/1"
)]
pub enum Args {
    /// List jobs, the newest first.
    #[command(visible_alias = "ls")]
    List(list::Args),
    /// Show a job's record.
    Show(show::Args),
    /// Print what a job printed.
    Output(output::Args),
    /// Wait for jobs.
    Wait(wait::Args),
    /// End jobs.
    Kill(kill::Args),
    /// Write to what a job reads.
    Write(write::Args),
    /// Run a program as a job, from the code of a shell.
    Run(run::Args),
    /// Remove what finished jobs left.
    Prune(prune::Args),
}

pub(super) fn run(args: Args, context: &mut Context) -> Done {
    match args {
        Args::List(args) => list::run(&args, context),
        Args::Show(args) => show::run(&args, context),
        Args::Output(args) => output::run(&args, context),
        Args::Wait(args) => wait::run(&args, context),
        Args::Kill(args) => kill::run(&args, context),
        Args::Write(args) => write::run(args, context),
        Args::Run(args) => run::run(args, context),
        Args::Prune(args) => prune::run(&args, context),
    }
}
