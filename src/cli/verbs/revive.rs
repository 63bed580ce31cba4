//! `deck revive`: restart sessions that were lost with their server.

use std::process::ExitCode;
use std::sync::Mutex;

use super::Done;
use crate::api::{self, Revival, Revive, RevivedSession, Version};
use crate::cli::error::CliError;
use crate::cli::{Context, complete};
use crate::domain::id::SessionId;
use crate::domain::session::Session;
use crate::domain::text;
use crate::ops::worker::returned_words;
use crate::ops::{self, OpError, Revived};

/// Restart sessions that were lost, e.g. after a reboot.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A session is lost if it should be running but its tmux session is gone. Conversations are resumed.\nWithout --all or SESSION, list them.\n\nExamples:\n  deck revive                  list lost sessions\n  deck revive --all\n  deck revive api docs"
)]
pub struct Args {
    /// Sessions to restart.
    #[arg(value_name = "SESSION", add = complete::sessions())]
    sessions: Vec<String>,
    /// Restart all lost sessions.
    #[arg(long, conflicts_with = "sessions")]
    all: bool,
    /// Run the commands of their terminals again, too.
    #[arg(long)]
    rerun: bool,
}

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    context.listen_for_interrupts()?;
    let cx = context.wiring.cx();
    let out = context.out;
    let snapshot = ops::look_settled(&cx)?;
    context.warn_about(&snapshot);
    let lost = ops::lost(&snapshot);
    let title = |id: &SessionId| {
        snapshot.profile.session(id).map(|s| text::clean(&s.title)).unwrap_or_else(|| id.to_string())
    };
    let ids: Vec<SessionId> = if args.sessions.is_empty() {
        lost.iter().map(|s| s.id.clone()).collect()
    } else {
        args.sessions.iter().map(|n| Ok(context.find(&cx, n)?.id)).collect::<Result<_, CliError>>()?
    };
    if !args.all && args.sessions.is_empty() {
        if out.json {
            let profile = cx.profile.name.as_str();
            let one = |s: &&Session| api::Session::of(s, profile, snapshot.state(&s.id));
            out.value(&Revive::Lost(lost.iter().map(one).collect()))?;
        } else {
            for id in &ids {
                out.line(&if out.quiet { id.to_string() } else { title(id) })?;
            }
            out.note(if ids.is_empty() { "no lost sessions" } else { "`deck revive --all` restarts them" });
        }
        return Ok(ExitCode::SUCCESS);
    }
    if args.all {
        // Also where the agent runs, or doesn't: a deck that was killed in the middle left some.
        for id in ops::worker::with_lost_terminals(&cx)?.into_iter().filter(|id| !ids.contains(id)) {
            let terminals = ops::worker::bring_back(&cx, &id, args.rerun)?;
            if !out.json && !out.quiet {
                out.line(&format!("{}{}", title(&id), ops::worker::returned_words(&terminals)))?;
            }
        }
    }
    let (failed, results) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
    let total = ids.len();
    ops::revive(&cx, &ids, |id, result| {
        let mut results = results.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut beside = String::new();
        let (result, error) = match result {
            Revived::Started(terminals) if args.rerun => match ops::worker::rerun(&cx, id, &terminals) {
                Ok(()) => (Revival::Revived, None),
                Err(error) => (Revival::Failed, Some(error)),
            },
            Revived::Started(terminals) => {
                beside = returned_words(&terminals);
                (Revival::Revived, None)
            }
            Revived::Running => (Revival::Running, None),
            Revived::Failed(error) => (Revival::Failed, Some(error)),
        };
        results.push(RevivedSession {
            schema_version: Version,
            id: id.to_string(),
            title: title(id),
            result,
            error: error.as_ref().map(ToString::to_string),
        });
        // Where nobody reads any more the work continues: writing there would end deck in the middle of it.
        if !out.json && !out.quiet && !out.is_closed() {
            let _ = out.line(&format!("{}/{total}  {}: {}{beside}", results.len(), title(id), result.word()));
        }
        if let Some(error) = error {
            failed.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(error);
        }
    });
    if out.json {
        let results = results.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        out.value(&Revive::Done(results))?;
    }
    let failed: Vec<OpError> = failed.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    context.conclude(0, failed.into_iter().map(CliError::from).collect())
}
