//! `deck rm`: delete sessions.

use super::Done;
use crate::api::Deleted;
use crate::cli::{Context, complete};
use crate::config::paths::tilde;
use crate::domain::place::Place;
use crate::domain::session::Session;
use crate::ops;

/// Delete sessions (`deck undo` restores them).
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Deleted sessions can be restored for seven days; `deck undo` restores all that one command deleted. A running session is refused without --stop. A worktree stays.\n\nExamples:\n  deck rm old-idea\n  deck rm --stop api           stop it, then delete it"
)]
pub struct Args {
    /// Sessions to delete.
    #[arg(required = true, value_name = "SESSION", add = complete::sessions())]
    sessions: Vec<String>,
    /// Stop running sessions first.
    #[arg(long)]
    stop: bool,
}

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    let context = &*context;
    context.listen_for_interrupts()?;
    let delete =
        |cx: &ops::Cx, session: &Session| Ok(ops::delete(cx, std::slice::from_ref(&session.id), args.stop)?);
    context.each_at_once(&args.sessions, delete, |session, deleted| {
        let stopped = if deleted.stopped > 0 { "stopped and deleted" } else { "deleted" };
        let home = context.wiring.env.get("HOME");
        let stays = |place: &Place| format!("; its worktree {} stays", tilde(&place.worktree, home));
        let stays = session.place.as_ref().map(stays).unwrap_or_default();
        let sentence = format!("{stopped} {}; `deck undo` restores it{stays}", session.title);
        if context.out.json {
            return context.answer(&Deleted::new(&session.id));
        }
        if context.out.quiet { context.out.line(session.id.as_str()) } else { context.out.line(&sentence) }
    })
}
