//! What `deck add -w` and `deck worktree add` take alike, and the plan in words.

use crate::cli::Context;
use crate::config::paths::{Environment, expand, tilde};
use crate::domain::text;
use crate::ops::Cx;
use crate::ops::worktree::{WorktreePlan, WorktreeWish};

/// How a worktree is made.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Worktree")]
pub(super) struct PlaceArgs {
    /// Branch or commit that a new branch begins at [default: the repository's base].
    #[arg(long, value_name = "REF")]
    base: Option<String>,
    /// Folder of the worktree [default: by `worktree.location`].
    #[arg(long, value_name = "PATH", value_hint = clap::ValueHint::DirPath)]
    at: Option<String>,
    /// Check out the commit that is named, and no branch.
    #[arg(long, conflicts_with = "base")]
    detach: bool,
    /// Fetch first.
    #[arg(long)]
    fetch: bool,
    /// Don't copy the ignored files that .worktreeinclude names.
    #[arg(long)]
    no_copy: bool,
}

impl PlaceArgs {
    /// Whether any of them is given.
    pub fn is_given(&self) -> bool {
        self.base.is_some() || self.at.is_some() || self.detach || self.fetch || self.no_copy
    }

    /// What is wished for this branch.
    pub fn wish(&self, branch: &str, env: &Environment) -> WorktreeWish {
        WorktreeWish {
            base: self.base.clone(),
            at: self.at.as_deref().map(|at| expand(at, env)),
            detach: self.detach,
            fetch: self.fetch,
            copies: !self.no_copy,
            ..WorktreeWish::of(branch)
        }
    }
}

/// What a worktree comes to, as comments of the script that is printed.
pub(super) fn plan_words(context: &Context, cx: &Cx, plan: &WorktreePlan) -> String {
    let now = cx.clock.now();
    let path = tilde(&plan.path.display().to_string(), context.wiring.env.get("HOME"));
    let mut lines = vec![format!("worktree {path} {}", plan.what(now))];
    lines.extend(plan.details(now));
    if plan.is_to_be_allowed() {
        let names: Vec<&str> = plan.content.files.iter().map(|(name, _)| name.as_str()).collect();
        lines.push(format!("asks first: {} of the repository are not allowed yet", names.join(", ")));
    }
    lines.iter().map(|line| format!("# {}\n", text::clean(line))).collect()
}
