//! `deck rm`: delete sessions.

use super::Done;
use crate::cli::{Context, complete};
use crate::ops;

/// Delete sessions; `deck undo` brings them back.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  deck rm old-idea\n  deck rm --stop api           one that still runs")]
pub struct Args {
    /// The sessions.
    #[arg(required = true, value_name = "SESSION", add = complete::sessions())]
    sessions: Vec<String>,
    /// Stop those that run.
    #[arg(long)]
    stop: bool,
}

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    let context = &*context;
    context.each(&args.sessions, |deck, session| {
        let deleted = ops::delete(deck, std::slice::from_ref(&session.id), args.stop)?;
        let stopped = if deleted.stopped > 0 { "stopped and deleted" } else { "deleted" };
        let sentence = format!("{stopped} {}; `deck undo` brings it back", session.title);
        if context.out.json {
            return context.answer(&serde_json::json!({ "id": session.id, "deleted": true }));
        }
        if context.out.quiet { context.out.line(session.id.as_str()) } else { context.out.line(&sentence) }
    })
}
