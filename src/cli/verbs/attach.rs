//! `deck attach`: hand this terminal to a session.

use std::io::IsTerminal;
use std::process::ExitCode;

use super::Done;
use crate::cli::error::{CliError, Code};
use crate::cli::{Context, complete};
use crate::domain::session::Session;
use crate::ops::{self, Deck, OpError};

/// Hand this terminal to a session; ctrl-q comes back.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  deck attach api")]
pub struct Args {
    /// The session.
    #[arg(add = complete::sessions())]
    session: String,
}

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    let deck = context.wiring.deck();
    let session = context.find(&deck, &args.session)?;
    attach(context, &deck, &session)
}

/// Attaches, and notes that the user has seen what was there when he leaves.
pub(super) fn attach(context: &Context, deck: &Deck, session: &Session) -> Done {
    if !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
        return Err(CliError::usage("attaching needs a terminal")
            .hint("`deck output --screen` prints what an agent shows"));
    }
    let snapshot = ops::Watcher::new().tick(deck)?;
    let row = snapshot.look(&session.id).and_then(|l| l.row.as_ref());
    let Some(row) = row else { return Err(OpError::NotRunning(session.title.clone()).into()) };
    let command = context.wiring.attach_command(&row.name);
    let mut command = command.ok_or_else(|| CliError::new(Code::Failed, "that is no session of deck's"))?;
    let status = command.status()?;
    ops::acknowledge(deck, &session.id)?;
    if status.success() {
        Ok(ExitCode::SUCCESS)
    } else {
        Err(CliError::new(Code::Failed, format!("tmux could not attach to {:?}", session.title)))
    }
}
