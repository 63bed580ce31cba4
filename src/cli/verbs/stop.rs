//! `deck stop`: stop sessions.

use super::Done;
use super::of_group::OfGroup;
use crate::cli::{Context, complete};
use crate::domain::session::Session;
use crate::ops;

/// Stop sessions; they and their conversations are kept.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "This ends the agents. `deck start` resumes them. Terminals beside them keep running.\n\nExamples:\n  deck stop api\n  deck stop --with-workers api    end its terminals, too\n  deck stop api docs\n  deck stop --group work          all sessions of a group"
)]
pub struct Args {
    /// Sessions to stop.
    #[arg(required_unless_present = "group", value_name = "SESSION", add = complete::sessions())]
    sessions: Vec<String>,
    /// End the terminals beside the agents, too.
    #[arg(long)]
    with_workers: bool,
    #[command(flatten)]
    of: OfGroup,
}

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    let context = &*context;
    context.listen_for_interrupts()?;
    let terminals = if args.with_workers { ops::Terminals::End } else { ops::Terminals::Keep };
    let stop = |cx: &ops::Cx, session: &Session| Ok(ops::stop(cx, &session.id, terminals)?);
    let names = context.named(&args.sessions, &args.of)?;
    context.each_at_once(&names, stop, |session, stopped| {
        let stays = match &stopped.terminals[..] {
            [] => String::new(),
            names => format!("; terminals keep running: {} (--with-workers ends them)", names.join(", ")),
        };
        let sentence = if stopped.ran {
            format!("stopped {}{stays}", session.title)
        } else {
            format!("{} was not running{stays}", session.title)
        };
        context.tell_session(&context.wiring.cx(), &session.id, &sentence)
    })
}
