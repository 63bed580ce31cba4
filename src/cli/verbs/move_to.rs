//! `deck move`: move sessions to a group.

use super::Done;
use crate::cli::{Context, complete};
use crate::domain::group::GroupPath;
use crate::ops;

/// Move sessions to a group.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  deck move api docs --to work/backend\n  deck move api --to ''        ungroup it"
)]
pub struct Args {
    /// Sessions to move.
    #[arg(required = true, value_name = "SESSION", add = complete::sessions())]
    sessions: Vec<String>,
    /// Target group (created if needed); '' for none.
    #[arg(long, value_name = "GROUP", add = complete::groups())]
    to: String,
}

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    let context = &*context;
    let group = if args.to.trim().is_empty() { GroupPath::root() } else { GroupPath::parse(&args.to)? };
    let place = if group.is_root() { "out of any group".to_owned() } else { format!("to {group}") };
    context.each(&args.sessions, |cx, session| {
        ops::move_to(cx, std::slice::from_ref(&session.id), &group)?;
        context.tell_session(cx, &session.id, &format!("moved {} {place}", session.title))
    })
}
