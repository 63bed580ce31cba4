//! `deck undo`: restore what was deleted or ended.

use std::process::ExitCode;

use super::Done;
use crate::api::Restored;
use crate::cli::Context;
use crate::config::paths::tilde;
use crate::domain::quote::sh;
use crate::domain::text;
use crate::ops;

/// Undo what was deleted, ended or arranged last, or restore a deleted session.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Undoes the last command that deleted, archived, renamed, moved or sorted sessions or groups, finished or removed a\nworktree, or handed a session over, as a whole; again, the one before it. An archived session that was stopped stays stopped.\n\nExamples:\n  deck undo                    undo the last deletion, move, rename, …\n  deck undo api                restore one session, by title or id"
)]
pub struct Args {
    /// Deleted session or ended shell to restore [default: undo what was done last].
    session: Option<String>,
}

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    let cx = context.wiring.cx();
    if let Some(shell) = ops::shell::to_bring_back(&cx, args.session.as_deref())? {
        let shell = ops::shell::bring_back(&cx, &shell)?;
        if context.out.json {
            context.out.value(&Restored::of_shell(&shell))?;
        } else {
            context.out.line(&format!("restored shell {}", shell.label()))?;
            if cx.shells.is_lost(&shell) {
                let label = sh(shell.label());
                context.out.note(&format!(
                    "its state ended with its process; `deck shell replay {label}` runs its commands again"
                ));
            }
        }
        return Ok(ExitCode::SUCCESS);
    }
    let undone = ops::undo(&cx, args.session.as_deref())?;
    if context.out.json {
        context.out.value(&Restored::from(&undone))?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(words) = &undone.change {
        context.out.line(&format!("undid: {}", text::clean(words)))?;
        for worktree in &undone.worktrees {
            let path = text::clean(&tilde(&worktree.path, context.wiring.env.get("HOME")));
            match &worktree.error {
                None => context.out.line(&format!("restored the worktree {path}"))?,
                Some(error) => context.out.warn(&format!("couldn't restore the worktree {path}: {error}")),
            }
        }
        return Ok(ExitCode::SUCCESS);
    }
    let groups = undone.restored.groups.iter().map(|g| format!("group {g}"));
    let all: Vec<String> = undone.titles.iter().cloned().chain(groups).collect();
    context.out.line(&format!("restored {}", all.join(", ")))?;
    Ok(ExitCode::SUCCESS)
}
