//! `deck archive` and `deck unarchive`: put sessions away, and bring them back.

use std::process::ExitCode;

use super::Done;
use crate::cli::error::CliError;
use crate::cli::{Context, complete};
use crate::domain::resolve::resolve_in;
use crate::domain::text;
use crate::ops;

/// Put sessions away; those that run are stopped, and their conversations stay.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  deck archive api docs\n  deck unarchive             what is put away\n  deck unarchive api"
)]
pub struct Args {
    /// The sessions.
    #[arg(required = true, value_name = "SESSION", add = complete::sessions())]
    sessions: Vec<String>,
}

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    let context = &*context;
    context.each(&args.sessions, |deck, session| {
        ops::archive(deck, &session.id)?;
        if context.out.json {
            return context.answer(&serde_json::json!({ "id": session.id, "title": session.title }));
        }
        context
            .out
            .line(&format!("archived {}; `deck unarchive` brings it back", text::clean(&session.title)))
    })
}

/// Bring back sessions that were put away.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Without a name, what is put away is listed.\n\nExamples:\n  deck unarchive\n  deck unarchive api"
)]
pub struct Back {
    /// The sessions.
    #[arg(value_name = "SESSION")]
    sessions: Vec<String>,
}

pub(super) fn back(args: &Back, context: &mut Context) -> Done {
    let deck = context.wiring.deck();
    let away = ops::archived(&deck)?;
    let out = context.out;
    if args.sessions.is_empty() {
        let titles: Vec<String> = away.iter().map(|s| text::clean(&s.title)).collect();
        if out.json {
            out.value(&titles)?;
        } else {
            titles.iter().try_for_each(|t| out.line(t))?;
            out.note(if titles.is_empty() {
                "nothing is archived"
            } else {
                "`deck unarchive NAME` brings one back"
            });
        }
        return Ok(ExitCode::SUCCESS);
    }
    let mut failed = Vec::new();
    for name in &args.sessions {
        let found = resolve_in(away.iter(), name, None).map(|s| s.id.clone()).map_err(ops::OpError::from);
        match found.and_then(|id| ops::unarchive(&deck, &id)) {
            Ok(session) => context.tell_session(&deck, &session.id, &format!("{} is back", session.title))?,
            Err(error) => failed.push(CliError::from(error)),
        }
    }
    context.conclude(args.sessions.len(), failed)
}
