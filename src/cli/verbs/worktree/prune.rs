//! `deck worktree prune`.

use std::io::{BufRead, IsTerminal, Write};

use super::super::Done;
use crate::api;
use crate::cli::Context;
use crate::cli::error::CliError;
use crate::domain::{age, text};
use crate::ops::worktree::{self, Leftover, PruneKind};
use crate::ops::{Cx, OpError};

/// Remove what is left of worktrees, one by one.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Left over are: entries of git whose folder is gone, worktrees that deck made, merged and clean, in which no session works, and\ncommits of worktrees that were removed over 30 days ago. Each is asked about. What is on a disk that may only be missing is left alone.\n\nExamples:\n  deck worktree prune --dry-run\n  deck worktree prune --yes"
)]
pub struct Args {
    /// Print what would be removed.
    #[arg(long)]
    dry_run: bool,
    /// Remove all of it without asking.
    #[arg(long, conflicts_with = "dry_run")]
    yes: bool,
}

pub(super) fn run(args: &Args, context: &Context, cx: &Cx) -> Done {
    let (all, left) = worktree::prune(cx)?;
    let out = context.out;
    let can_ask = std::io::stdin().is_terminal() && std::io::stderr().is_terminal() && !out.json;
    let mut done = Vec::new();
    let mut failed = Vec::new();
    for leftover in &all {
        let words = words(context, cx, leftover);
        let is_wanted = match (args.dry_run, args.yes) {
            (true, _) => false,
            (_, true) => true,
            _ if can_ask => match asks(&words)? {
                Some(wanted) => wanted,
                None => break,
            },
            _ => {
                return Err(CliError::usage("removing needs a terminal to ask at, or --yes")
                    .hint("`deck worktree prune --dry-run` shows what would be removed"));
            }
        };
        let result = if is_wanted { worktree::prune_one(cx, leftover).map(|()| true) } else { Ok(false) };
        let is_removed = *result.as_ref().unwrap_or(&false);
        if !out.json {
            match (is_removed, args.dry_run) {
                (true, _) => out.line(&format!("removed {words}"))?,
                (_, true) => out.line(&format!("would remove {words}"))?,
                _ => {}
            }
        }
        done.push(api::Pruned::of(leftover, is_removed));
        failed.extend(result.err().map(OpError::into));
    }
    if out.json {
        out.value(&done)?;
    } else {
        left.iter().for_each(|why| out.note(&format!("left alone: {}", text::clean(why))));
        if all.is_empty() {
            out.note("nothing is left over");
        }
    }
    context.conclude(all.len(), failed)
}

fn words(context: &Context, cx: &Cx, leftover: &Leftover) -> String {
    let words = match &leftover.kind {
        PruneKind::Gone(path) => {
            format!("git's entry of {}, whose folder is gone", super::path(context, path))
        }
        PruneKind::Merged { path, branch, base } => {
            format!("{}: {base} has all of {branch}", super::path(context, path))
        }
        PruneKind::Kept { refs, at } => {
            let age = age::age(cx.clock.now(), *at);
            format!("{} kept of a worktree that was removed {age} ago", text::counted(refs.len(), "commit"))
        }
    };
    format!("{words} ({})", text::clean(&leftover.repository))
}

/// Asks about one; none to stop asking.
fn asks(words: &str) -> Result<Option<bool>, CliError> {
    let mut to = std::io::stderr().lock();
    loop {
        write!(to, "Remove {words}? [y]es, [n]o, [q]uit: ")?;
        to.flush()?;
        let mut line = String::new();
        let is_over = std::io::stdin().lock().read_line(&mut line)? == 0;
        match line.trim().to_lowercase().as_str() {
            "y" | "yes" => return Ok(Some(true)),
            "n" | "no" => return Ok(Some(false)),
            "q" | "quit" => return Ok(None),
            _ if is_over => return Ok(None),
            _ => {}
        }
    }
}
