//! `deck worktree …`: the worktrees of repositories.

mod add;
mod finish;
mod list;
mod prune;
mod show;

use std::process::ExitCode;

use super::Done;
use crate::api;
use crate::cli::error::CliError;
use crate::cli::{Context, complete};
use crate::config::paths::tilde;
use crate::ops::worktree::{self, Named};

/// List, show, lock and unlock the worktrees of repositories.
#[derive(Debug, clap::Subcommand)]
#[command(
    after_help = "W is a worktree: its branch, its path, the name of its folder, or a session that works in it. R is a repository.\n\nExamples:\n  deck worktree list\n  deck worktree show feat/login\n  deck worktree finish feat/login --merge --stop"
)]
pub enum Args {
    /// List the worktrees of a repository, or of all.
    #[command(alias = "ls")]
    List(list::Args),
    /// Make a worktree without a session.
    Add(add::Args),
    /// Show a worktree.
    Show(show::Args),
    /// Run the setup of a session's worktree again at its next start.
    #[command(after_help = "Examples:\n  deck worktree setup api")]
    Setup {
        /// The session that works in it.
        #[arg(add = complete::sessions())]
        session: String,
    },
    /// Make the worktree of a session again, whose folder is gone.
    #[command(
        after_help = "It is made at its path, from its branch or its last commit.\n\nExamples:\n  deck worktree restore api"
    )]
    Restore {
        /// The session that worked in it.
        #[arg(add = complete::sessions())]
        session: String,
    },
    /// Merge if asked, remove the worktree, archive its sessions.
    Finish(finish::Args),
    /// Remove a worktree; its branch stays.
    Rm(finish::RmArgs),
    /// Remove what is left of worktrees, one by one.
    Prune(prune::Args),
    /// Keep a worktree from being removed or moved.
    #[command(
        after_help = "Examples:\n  deck worktree lock feat/login\n  deck worktree lock feat/login --reason 'long experiment'"
    )]
    Lock {
        /// The worktree.
        #[arg(add = complete::worktrees())]
        worktree: String,
        /// Why.
        #[arg(long, default_value = "", hide_default_value = true)]
        reason: String,
    },
    /// Let a worktree be removed and moved again.
    #[command(after_help = "Examples:\n  deck worktree unlock feat/login")]
    Unlock {
        /// The worktree.
        #[arg(add = complete::worktrees())]
        worktree: String,
    },
}

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    context.listen_for_interrupts()?;
    let cx = context.wiring.cx();
    match args {
        Args::List(args) => list::run(args, context, &cx),
        Args::Add(args) => add::run(args, context, &cx),
        Args::Setup { session } => {
            let session = context.find(&cx, session)?;
            worktree::want_setup(&cx, &session)?;
            let words =
                format!("{}: its setup runs at its next start; `deck restart` starts it now", session.title);
            context.tell_session(&cx, &session.id, &words)?;
            Ok(ExitCode::SUCCESS)
        }
        Args::Restore { session } => {
            let session = context.find(&cx, session)?;
            let restored = worktree::restore(&cx, &session)?;
            let folder = restored.place.map(|place| place.worktree).unwrap_or_default();
            let words = format!("restored {}", path(context, std::path::Path::new(&folder)));
            context.tell_session(&cx, &session.id, &words)?;
            Ok(ExitCode::SUCCESS)
        }
        Args::Finish(args) => finish::run(&args.word(), &args.wish(), args.dry_run, context, &cx),
        Args::Rm(args) => finish::run(&args.word(), &args.wish(), args.dry_run, context, &cx),
        Args::Prune(args) => prune::run(args, context, &cx),
        Args::Show(args) => show::run(args, context, &cx),
        Args::Lock { worktree, reason } => tell(context, &worktree::lock(&cx, worktree, reason)?, "locked"),
        Args::Unlock { worktree } => tell(context, &worktree::unlock(&cx, worktree)?, "unlocked"),
    }
}

/// Reports what was done to a worktree.
fn tell(context: &Context, named: &Named, done: &str) -> Done {
    if context.out.json {
        context.out.value(&api::Worktree::of(&named.listed, None))?;
    } else if context.out.quiet {
        context.out.line(&named.listed.entry.path.display().to_string())?;
    } else {
        context.out.line(&format!("{done} {}", short(context, named)))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A worktree's path for people.
fn short(context: &Context, named: &Named) -> String {
    path(context, &named.listed.entry.path)
}

fn path(context: &Context, path: &std::path::Path) -> String {
    crate::domain::text::clean(&tilde(&path.display().to_string(), context.wiring.env.get("HOME")))
}

/// Warns of repositories that could not be asked.
fn warn_of_failed(context: &Context, failed: worktree::Unasked) {
    for (repository, error) in failed {
        let error = CliError::from(crate::ops::OpError::from(error));
        context.out.warn(&format!("repository {} is not listed: {}", repository.name, error.message));
    }
}
