//! `deck worktree show`.

use std::process::ExitCode;

use super::super::Done;
use crate::api;
use crate::cli::{Context, complete};
use crate::domain::text;
use crate::ops::{Cx, worktree};

/// Show a worktree: its branch, what isn't committed, who works in it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  deck worktree show feat/login\n  deck worktree show .")]
pub struct Args {
    /// The worktree.
    #[arg(add = complete::worktrees())]
    worktree: String,
}

pub(super) fn run(args: &Args, context: &Context, cx: &Cx) -> Done {
    let named = worktree::find(cx, &args.worktree, None)?;
    let (listed, out) = (&named.listed, context.out);
    let state = worktree::state_of(cx, listed).map_err(crate::ops::OpError::from)?;
    if out.json {
        out.value(&api::Worktree::of(listed, state.as_ref()))?;
        return Ok(ExitCode::SUCCESS);
    }
    if out.quiet {
        out.line(&listed.entry.path.display().to_string())?;
        return Ok(ExitCode::SUCCESS);
    }
    out.line(&out.strong(&super::short(context, &named)))?;
    let profile = cx.profile.store.load()?.profile;
    let titles: Vec<String> =
        listed.sessions.iter().filter_map(|id| profile.session(id)).map(|s| text::clean(&s.title)).collect();
    let head = listed.entry.head.as_deref().and_then(|head| head.get(..8)).unwrap_or("no commit yet");
    let branch = listed.entry.branch.clone().unwrap_or_else(|| "none, a commit by itself".to_owned());
    let mut rows = vec![
        (
            "repository",
            listed.repository.clone().filter(|n| !n.is_empty()).unwrap_or_else(|| "not added".to_owned()),
        ),
        ("branch", if listed.entry.is_bare { "bare repository".to_owned() } else { branch }),
        ("commit", head.to_owned()),
    ];
    if let Some(state) = &state {
        rows.push(("changes", super::list::changes(state)));
    }
    rows.extend(super::list::notes(listed).into_iter().map(|note| ("note", note)));
    rows.push(("sessions", if titles.is_empty() { "none".to_owned() } else { titles.join(", ") }));
    for (name, value) in rows {
        out.line(&format!("{}  {}", out.dim(&format!("{name:<10}")), text::clean(&value)))?;
    }
    Ok(ExitCode::SUCCESS)
}
