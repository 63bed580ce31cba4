//! `deck worktree add`.

use super::super::Done;
use super::super::place_args::PlaceArgs;
use crate::cli::{Context, complete};
use crate::ops::{Cx, repository, worktree};

/// Make a worktree without a session; `deck add -w` makes one with a session.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  deck worktree add feat/search -r api\n  deck worktree add v1.2 -r api --detach       the commit, without a branch"
)]
pub struct Args {
    /// The branch; with --detach, any commit.
    branch: String,
    /// The repository [default: the one that this folder is in].
    #[arg(short, long, value_name = "R", add = complete::repositories())]
    repository: Option<String>,
    #[command(flatten)]
    place: PlaceArgs,
}

pub(super) fn run(args: &Args, context: &Context, cx: &Cx) -> Done {
    let folder = match &args.repository {
        Some(word) => repository::resolve(cx, word)?.path.into(),
        None => cx.caller.cwd.clone(),
    };
    let wish = args.place.wish(&args.branch, &context.wiring.env);
    super::tell(context, &worktree::add(cx, &folder, &wish)?, "made")
}
