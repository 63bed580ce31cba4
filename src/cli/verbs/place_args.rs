//! What `deck add -w` and `deck worktree add` take alike, and the plan in words.

use crate::cli::Context;
use crate::config::paths::{Environment, expand, tilde};
use crate::domain::worktree::Checkout;
use crate::domain::{age, text};
use crate::ops::Cx;
use crate::ops::worktree::{How, WorktreePlan, WorktreeWish};

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
    let short = |path: &std::path::Path| tilde(&path.display().to_string(), context.wiring.env.get("HOME"));
    let mut lines = Vec::new();
    let path = short(&plan.path);
    let commit = plan.commit.as_ref().map(|commit| {
        let id = commit.id.get(..8).unwrap_or_default();
        format!("{id} {:?}, {}", text::fit(&commit.subject, 50), age::age(cx.clock.now(), commit.at))
    });
    let commit = commit.unwrap_or_default();
    match &plan.how {
        How::Make(Checkout::Branch(branch)) => {
            lines.push(format!("worktree {path} for the branch {branch}, at {commit}"));
        }
        How::Make(Checkout::Track { branch, remote_branch }) => {
            lines.push(format!(
                "worktree {path} for a new branch {branch} that follows {remote_branch}, at {commit}"
            ));
        }
        How::Make(Checkout::New { branch, .. }) => {
            let base = plan.base.as_deref().unwrap_or("a commit");
            lines.push(format!("worktree {path} for a new branch {branch} from {base}, at {commit}"));
        }
        How::Make(Checkout::Detached(_)) => lines.push(format!("worktree {path} at {commit}")),
        How::Reuse => lines.push(format!("the worktree {path}, which is there")),
        How::Continue(session) => {
            lines.push(format!("the worktree {path}, which was begun for the session {:?}", session.title));
        }
    }
    if let Some(at) = plan.fetched_at.filter(|_| matches!(plan.how, How::Make(_))) {
        lines.push(format!("last fetched {}", age::age(cx.clock.now(), at)));
    }
    let copies = &plan.copies;
    if !copies.files.is_empty() {
        lines.push(format!(
            "copies {}, {}",
            text::counted(copies.files.len(), "file"),
            text::bytes(copies.bytes)
        ));
    }
    for link in plan.content.part.link.iter().flatten() {
        lines.push(format!("links {link}"));
    }
    if !plan.content.files.is_empty() && !plan.repository.allows(&plan.content.sha256()) {
        let names: Vec<&str> = plan.content.files.iter().map(|(name, _)| name.as_str()).collect();
        lines.push(format!("asks first: {} of the repository are not allowed yet", names.join(", ")));
    }
    lines.iter().map(|line| format!("# {}\n", text::clean(line))).collect()
}
