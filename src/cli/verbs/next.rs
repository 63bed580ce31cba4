//! `deck next`: the session that needs you most.

use std::process::ExitCode;

use super::{Done, attach};
use crate::api::{self, Code};
use crate::cli::Context;
use crate::cli::error::CliError;
use crate::domain::age;
use crate::domain::text;
use crate::ops::{Watcher, needy};

/// Show the session that needs you most.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Questions come first, then errors, then finished turns; longest-waiting first.\nExits 1 if no session needs attention.\n\nExamples:\n  deck next\n  deck next --attach           attach to it"
)]
pub struct Args {
    /// Attach to it.
    #[arg(long)]
    attach: bool,
}

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    let cx = context.wiring.cx();
    let snapshot = Watcher::new().tick(&cx)?;
    context.warn_about(&snapshot);
    let Some((session, state)) = needy(&snapshot).into_iter().next() else {
        if context.out.json {
            context.out.value(&None::<api::Session>)?;
            return Ok(ExitCode::from(1));
        }
        return Err(CliError::new(Code::Failed, "no session needs your attention")
            .hint("`deck list` shows all sessions"));
    };
    if args.attach {
        return attach::attach(context, &cx, session);
    }
    if context.out.json {
        context.out.value(&Some(api::Session::of(session, cx.profile.name.as_str(), Some(state))))?;
    } else if context.out.quiet {
        context.out.line(session.id.as_str())?;
    } else {
        let v = &state.verdict;
        let reason = v.reason.as_ref().map(|r| format!(" · {r}")).unwrap_or_default();
        let asks = v.asks.as_ref().map(|a| format!("  {}", text::clean(a))).unwrap_or_default();
        let (title, age) = (text::clean(&session.title), age::age(snapshot.at, v.since));
        let status =
            context.out.status(v.kind(), &format!("{} {title}  {}{reason}", v.kind().glyph(), v.status));
        context.out.line(&format!("{status}  {age}{asks}"))?;
    }
    Ok(ExitCode::SUCCESS)
}
