//! `deck undo`: restore what was deleted.

use std::process::ExitCode;

use super::Done;
use crate::api::Restored;
use crate::cli::Context;
use crate::ops;

/// Undo the last deletion, or restore a deleted session.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  deck undo                    restore what was deleted last\n  deck undo api                restore one session, by title or id"
)]
pub struct Args {
    /// Deleted session to restore [default: the last deletion].
    session: Option<String>,
}

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    let cx = context.wiring.cx();
    let undone = ops::undo(&cx, args.session.as_deref())?;
    if context.out.json {
        context.out.value(&Restored::from(&undone.restored))?;
        return Ok(ExitCode::SUCCESS);
    }
    let groups = undone.restored.groups.iter().map(|g| format!("group {g}"));
    let all: Vec<String> = undone.titles.iter().cloned().chain(groups).collect();
    context.out.line(&format!("restored {}", all.join(", ")))?;
    Ok(ExitCode::SUCCESS)
}
