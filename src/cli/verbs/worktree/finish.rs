//! `deck worktree finish` and `deck worktree rm`.

use std::process::ExitCode;

use super::super::Done;
use crate::api;
use crate::cli::hint::way_on;
use crate::cli::{Context, complete, consent};
use crate::domain::quote::sh;
use crate::domain::session::SessionName;
use crate::domain::text;
use crate::ops::Cx;
use crate::ops::worktree::{self, FinishPlan, FinishWish, Finished, MergeWish};

/// Merge if asked, remove the worktree, archive its sessions.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Nothing is removed while anything would be lost: uncommitted or ignored files, commits that are nowhere else, running sessions,\nother processes in it. All that is in the way is named at once. git itself removes the folder. The branch stays, and `deck undo` brings\nfolder and sessions back.\n\nExamples:\n  deck worktree finish feat/login --dry-run         what would be done, and what is in the way\n  deck worktree finish feat/login --merge --stop\n  deck worktree finish feat/login --squash --into main --delete-branch\n  deck worktree finish feat/login --push            for a pull request"
)]
pub struct Args {
    /// The worktree, or a session that works in it.
    #[arg(add = complete::worktrees())]
    worktree: String,
    /// Merge the branch into the one that it was made from.
    #[arg(long, conflicts_with_all = ["squash", "rebase"])]
    merge: bool,
    /// The same as one commit.
    #[arg(long, conflicts_with = "rebase")]
    squash: bool,
    /// Rebase it first, so that no merge commit is needed.
    #[arg(long)]
    rebase: bool,
    /// Merge into this branch instead.
    #[arg(long, value_name = "BRANCH")]
    into: Option<String>,
    /// Push the branch.
    #[arg(long)]
    push: bool,
    /// Delete the branch, if all of it is in the other one.
    #[arg(long)]
    delete_branch: bool,
    /// Stop the sessions that run in it.
    #[arg(long)]
    stop: bool,
    /// Keep the worktree: only merge and push.
    #[arg(long, conflicts_with_all = ["stop", "delete_branch", "discard_ignored"])]
    keep: bool,
    /// Remove ignored files with it that a build doesn't make again.
    #[arg(long)]
    discard_ignored: bool,
    /// Print what would be done.
    #[arg(long)]
    pub dry_run: bool,
}

impl Args {
    pub fn word(&self) -> String {
        self.worktree.clone()
    }

    pub const fn merge(&self) -> Option<MergeWish> {
        match (self.merge, self.squash, self.rebase) {
            (true, ..) => Some(MergeWish::Merge),
            (_, true, _) => Some(MergeWish::Squash),
            (.., true) => Some(MergeWish::Rebase),
            _ => None,
        }
    }

    pub fn wish(&self) -> FinishWish {
        FinishWish {
            merge: self.merge(),
            into: self.into.clone(),
            push: self.push,
            delete_branch: self.delete_branch,
            stop: self.stop,
            keep: self.keep,
            discard_ignored: self.discard_ignored,
            archive: true,
            consent: None,
        }
    }
}

/// Remove a worktree; its branch stays.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "As `deck worktree finish`, without merging, and its sessions are not archived: `deck worktree restore` makes it again for one of them.\n\nExamples:\n  deck worktree rm feat/login\n  deck worktree rm feat/login --stop --dry-run"
)]
pub struct RmArgs {
    /// The worktree, or a session that works in it.
    #[arg(add = complete::worktrees())]
    worktree: String,
    /// Stop the sessions that run in it.
    #[arg(long)]
    stop: bool,
    /// Remove ignored files with it that a build doesn't make again.
    #[arg(long)]
    discard_ignored: bool,
    /// Print what would be done.
    #[arg(long)]
    pub dry_run: bool,
}

impl RmArgs {
    pub fn word(&self) -> String {
        self.worktree.clone()
    }

    pub fn wish(&self) -> FinishWish {
        FinishWish { stop: self.stop, discard_ignored: self.discard_ignored, ..FinishWish::default() }
    }
}

pub(super) fn run(word: &str, wish: &FinishWish, dry_run: bool, context: &Context, cx: &Cx) -> Done {
    let cx = &cx.for_command();
    if dry_run {
        let plan = worktree::plan_finish(cx, word, wish)?;
        if context.out.json {
            context.out.value(&api::FinishPlan::from(&plan))?;
        } else {
            print_plan(context, &plan)?;
        }
        return Ok(if plan.blockers.is_empty() {
            ExitCode::SUCCESS
        } else {
            ExitCode::from(api::Code::Refused.number())
        });
    }
    let finished = match worktree::finish(cx, word, wish) {
        Err(error) => match consent::ask(context, &error)? {
            Some(given) => worktree::finish(cx, word, &FinishWish { consent: Some(given), ..wish.clone() })?,
            None => return Err(error.into()),
        },
        Ok(finished) => finished,
    };
    if context.out.json {
        context.out.value(&api::Finished::from(&finished))?;
    } else if context.out.quiet {
        context.out.line(&finished.path.display().to_string())?;
    } else {
        print(context, &finished)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn titles(all: &[SessionName]) -> String {
    let all: Vec<String> = all.iter().map(|name| text::clean(&name.title)).collect();
    all.join(", ")
}

fn print_plan(context: &Context, plan: &FinishPlan) -> Result<(), crate::cli::error::CliError> {
    let out = context.out;
    let branch = plan.branch.as_deref().unwrap_or("a commit by itself");
    let base = plan.base.as_ref().filter(|base| Some(*base) != plan.branch.as_ref());
    let lacks =
        plan.lacks.filter(|n| *n > 0).map(|n| format!(" · {} more", text::counted(n as usize, "commit")));
    let base = base.map(|base| format!(" → {base}{}", lacks.unwrap_or_default())).unwrap_or_default();
    out.line(&format!("{}  {branch}{base}", super::path(context, &plan.path)))?;
    if !plan.sessions.is_empty() {
        out.line(&format!("sessions: {}", titles(&plan.sessions)))?;
    }
    if let Some(stops) = plan.stops_words() {
        out.line(&stops)?;
    }
    plan.commands.iter().try_for_each(|line| out.line(&format!("  $ {}", text::clean(line))))?;
    for blocker in &plan.blockers {
        let way = way_on(&plan.path.display().to_string(), blocker.way_on());
        let way = if way.is_empty() { way } else { format!("  ({way})") };
        out.line(&format!("in the way: {}{way}", blocker.words()))?;
    }
    Ok(())
}

fn print(context: &Context, done: &Finished) -> Result<(), crate::cli::error::CliError> {
    let out = context.out;
    let path = super::path(context, &done.path);
    let (branch, base) = (done.branch.clone().unwrap_or_default(), done.base.clone().unwrap_or_default());
    let mut said = Vec::new();
    if done.is_merged {
        said.push(format!("merged {branch} into {base}"));
    }
    if let Some((remote, _)) = &done.pushed_to {
        said.push(format!("pushed {branch} to {remote}"));
    }
    if done.is_removed {
        said.push(format!("removed {path}"));
        if !done.sessions.is_empty() && done.is_archived {
            said.push(format!("archived {}", titles(&done.sessions)));
        }
    }
    out.line(&text::clean(&said.join("; ")))?;
    if let Some((ids, folder)) = &done.conversations {
        let folder = super::path(context, folder);
        out.line(&text::clean(&format!("moved {} to {folder}", text::counted(ids.len(), "conversation"))))?;
    }
    if let Some(why) = &done.leftover {
        out.warn(&text::clean(&format!("files are left in {path}, which is no worktree any more: {why}")));
    }
    match &done.branch_deleted {
        Ok(true) => out.line(&format!("deleted the branch {branch}"))?,
        Ok(false) if done.is_removed && !branch.is_empty() => {
            let lacks = done.lacks.unwrap_or_default();
            let lacks = if lacks > 0 {
                format!(": {base} lacks {}", text::counted(lacks as usize, "commit"))
            } else {
                String::new()
            };
            out.line(&text::clean(&format!("the branch {branch} stays{lacks}")))?;
        }
        Ok(false) => {}
        Err(why) => out.warn(&text::clean(why)),
    }
    match &done.pushed_to {
        Some((_, url)) => out.note(&format!("open a pull request at {}", text::clean(url))),
        None if done.is_removed && done.lacks.is_some_and(|n| n > 0) => {
            out.note(&format!("for a pull request: git push, then gh pr create --head {}", sh(&branch)));
        }
        None => {}
    }
    if done.is_removed && !done.sessions.is_empty() {
        out.note("`deck undo` restores it");
    }
    Ok(())
}
