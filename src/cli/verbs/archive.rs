//! `deck archive` and `deck unarchive`: archive sessions and restore them.

use std::process::ExitCode;

use super::Done;
use super::of_group::OfGroup;
use crate::api::{Archived, Unarchived};
use crate::cli::error::CliError;
use crate::cli::{Context, complete};
use crate::domain::resolve::resolve_in;
use crate::domain::session::Session;
use crate::domain::text;
use crate::ops;

/// Archive sessions, stopping those that run.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "An archived session is hidden from lists. Its settings and conversation are kept.\n\nExamples:\n  deck archive api docs\n  deck unarchive             list archived sessions\n  deck unarchive api         restore one"
)]
pub struct Args {
    /// The sessions.
    #[arg(required_unless_present = "group", value_name = "SESSION", add = complete::sessions())]
    sessions: Vec<String>,
    #[command(flatten)]
    of: OfGroup,
}

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    let context = &*context;
    context.listen_for_interrupts()?;
    let names = context.named(&args.sessions, &args.of)?;
    let archive = |cx: &ops::Cx, session: &Session| Ok(ops::archive(cx, &session.id)?);
    context.each_at_once(&names, archive, |session, _| {
        if context.out.json {
            return context.answer(&Archived::new(session));
        }
        context.out.line(&format!("archived {}; `deck unarchive` restores it", text::clean(&session.title)))
    })
}

/// Restore archived sessions, or list them.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Without SESSION, list archived sessions.\n\nExamples:\n  deck unarchive             list archived sessions\n  deck unarchive api"
)]
pub struct Back {
    /// The sessions.
    #[arg(value_name = "SESSION")]
    sessions: Vec<String>,
}

pub(super) fn back(args: &Back, context: &mut Context) -> Done {
    let cx = context.wiring.cx().for_command();
    let away = ops::archived(&cx)?;
    let out = context.out;
    if args.sessions.is_empty() {
        let titles: Vec<String> = away.iter().map(|s| text::clean(&s.title)).collect();
        if out.json {
            out.value(&Unarchived::Titles(titles))?;
        } else {
            titles.iter().try_for_each(|t| out.line(t))?;
            out.note(if titles.is_empty() {
                "nothing is archived"
            } else {
                "`deck unarchive NAME` restores one"
            });
        }
        return Ok(ExitCode::SUCCESS);
    }
    let mut failed = Vec::new();
    context.collect_answers(args.sessions.len());
    for name in &args.sessions {
        let found = resolve_in(away.iter(), name, None).map(|s| s.id.clone()).map_err(ops::OpError::from);
        match found.and_then(|id| ops::unarchive(&cx, &id)) {
            Ok(session) => context.tell_session(&cx, &session.id, &format!("restored {}", session.title))?,
            Err(error) => failed.push(CliError::from(error)),
        }
    }
    context.conclude(args.sessions.len(), failed)
}
