//! `deck stop`: stop sessions.

use super::Done;
use super::of_group::OfGroup;
use crate::cli::{Context, complete};
use crate::domain::session::Session;
use crate::ops;

/// Stop sessions; they and their conversations are kept.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "This ends the agents. `deck start` resumes them.\n\nExamples:\n  deck stop api\n  deck stop api docs\n  deck stop --group work          all sessions of a group"
)]
pub struct Args {
    /// Sessions to stop.
    #[arg(required_unless_present = "group", value_name = "SESSION", add = complete::sessions())]
    sessions: Vec<String>,
    #[command(flatten)]
    of: OfGroup,
}

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    let context = &*context;
    context.listen_for_interrupts()?;
    let stop = |cx: &ops::Cx, session: &Session| Ok(ops::stop(cx, &session.id)?);
    let names = context.named(&args.sessions, &args.of)?;
    context.each_at_once(&names, stop, |session, ran| {
        let sentence = if ran {
            format!("stopped {}", session.title)
        } else {
            format!("{} was not running", session.title)
        };
        context.tell_session(&context.wiring.cx(), &session.id, &sentence)
    })
}
