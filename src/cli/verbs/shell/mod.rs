//! `deck shell …`: headless shells.

mod checkpoint;
mod end;
mod error;
mod exec;
mod exec_once;
mod history;
mod list;
mod open;
mod replay;
mod restore;
mod show;
mod start;
mod update;

pub(super) use exec::{answer, follow};
pub(super) use open::{EnterArgs, enter};

use super::Done;
use crate::cli::Context;

/// Run commands in shells that keep their state, without a terminal.
#[derive(Debug, clap::Subcommand)]
#[command(
    after_help = "A shell keeps its folder, variables, functions and options between commands. Between two commands of a bash or sh no process runs; a python3 or node is one. Each command is a job: see `deck job`.\n\nSHELL: a name, an id, an id suffix, or `.` in the code of a shell.\n\nExamples:\n  deck shell start --name build\n  deck shell exec build 'cd /tmp; x=1'\n  deck shell exec build 'pwd; echo $x'\n  deck shell end build"
)]
pub enum Args {
    /// Start a shell.
    Start(start::Args),
    /// Run code in a shell.
    Exec(exec::Args),
    /// List shells.
    #[command(visible_alias = "ls")]
    List(list::Args),
    /// Show a shell's details.
    Show(show::Args),
    /// Show the finished jobs of a shell.
    History(history::Args),
    /// Change a shell: its folder, its variables, its name.
    Update(update::Args),
    /// Open a shell as a session.
    Open(open::Args),
    /// Keep a shell's state under a name.
    Checkpoint(checkpoint::Args),
    /// Go back to a state of a shell.
    Restore(restore::Args),
    /// Run a lost shell's commands again.
    Replay(replay::Args),
    /// End shells.
    End(end::Args),
}

pub(super) fn run(args: Args, context: &mut Context) -> Done {
    match args {
        Args::Start(args) => start::run(args, context),
        Args::Exec(args) => exec::run(args, context),
        Args::List(args) => list::run(&args, context),
        Args::Show(args) => show::run(&args, context),
        Args::History(args) => history::run(&args, context),
        Args::Update(args) => update::run(args, context),
        Args::Open(args) => open::run(&args, context),
        Args::Checkpoint(args) => checkpoint::run(&args, context),
        Args::Restore(args) => restore::run(args, context),
        Args::Replay(args) => replay::run(&args, context),
        Args::End(args) => end::run(&args, context),
    }
}
