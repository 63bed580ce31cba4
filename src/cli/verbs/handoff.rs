//! `deck handoff`: another agent continues a session's work.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use super::Done;
use crate::api::{self, Code};
use crate::cli::error::CliError;
use crate::cli::{Context, complete};
use crate::config::paths::expand;
use crate::domain::quote::sh;
use crate::domain::text;
use crate::engine::{self, Goal, Pace};
use crate::ops::handoff::{self, Receipt, Wish};

/// How often the session is looked at while it is waited for.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Hand a session's work over to another agent.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The other agent gets a checkpoint of the session as its first prompt (see `deck checkpoint`). The session is stopped only once the other agent's own\ntranscript has it; its conversation is kept, and `deck undo` continues it. Without that proof the session is left as it is.\n\nExamples:\n  deck handoff api --to codex\n  deck handoff api --to gemini --go --keep     both keep running\n  deck handoff api --to codex --when-idle --wait-answer    once it is done; returns when codex has answered\n  deck handoff api --to codex --dry-run        print what would be sent"
)]
pub struct Args {
    /// The session.
    #[arg(add = complete::sessions())]
    session: String,
    /// The tool, or the command, that continues.
    #[arg(long, value_name = "TOOL", add = complete::tools())]
    to: String,
    /// The new session's title [default: the session's, with the tool's name].
    #[arg(short, long)]
    title: Option<String>,
    /// The folder that it works in [default: the session's].
    #[arg(long = "in", value_name = "FOLDER", value_hint = clap::ValueHint::DirPath)]
    folder: Option<String>,
    /// Tell it to go on with the work at once.
    #[arg(long)]
    go: bool,
    /// Leave the session running.
    #[arg(long)]
    keep: bool,
    /// Also while the session works.
    #[arg(long)]
    force: bool,
    /// Wait until the session is idle.
    #[arg(long, conflicts_with_all = ["force", "dry_run"])]
    when_idle: bool,
    /// Wait until the other agent has answered, for five minutes at most.
    #[arg(long, conflicts_with = "dry_run")]
    wait_answer: bool,
    /// Print what would be sent, and start nothing.
    #[arg(long)]
    dry_run: bool,
}

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    context.listen_for_interrupts()?;
    let cx = context.wiring.cx().for_command();
    let session = context.find(&cx, &args.session)?;
    let wish = Wish {
        to: args.to.clone(),
        title: args.title.clone(),
        folder: args.folder.as_ref().map(|folder| -> PathBuf { expand(folder, &context.wiring.env) }),
        go: args.go,
        keep: args.keep,
        force: args.force,
    };
    let out = context.out;
    if args.dry_run {
        super::refuse_json(context, "--dry-run")?;
        let ready = handoff::ready(&cx, &session.id, &wish, false)?;
        out.raw(text::clean_lines(&ready.packet).as_bytes())?;
        out.line("")?;
        return Ok(ExitCode::SUCCESS);
    }
    if args.when_idle {
        let (watched, engine) = context.wiring.watching(Pace::Steady(POLL_INTERVAL))?;
        let mut polls = engine.subscribe().blocking()?;
        engine::wait(&watched, &mut polls, std::slice::from_ref(&session.id), Goal::Idle, true, None)?;
    }
    let mut done = handoff::hand_over(&cx, &session.id, &wish)?;
    if args.wait_answer {
        done = handoff::await_answer(&cx, done)?;
    }
    if out.json {
        out.value(&api::Handoff::of(&done))?;
    } else if out.quiet {
        out.line(done.to.id.as_str())?;
    } else {
        let arrived = match done.receipt {
            Receipt::NotVerified => "it keeps no transcript, so nothing proves that it got the checkpoint",
            Receipt::Recorded => "its own transcript has all that was handed over",
            Receipt::Answered => "it has answered",
        };
        let parked = if done.parked {
            format!("; {} is stopped, `deck undo` continues it", done.from.title)
        } else {
            format!("; {} is left as it is", done.from.title)
        };
        out.line(&format!("{} continues as {}: {arrived}{parked}", done.to.tool, done.to.title))?;
    }
    if args.wait_answer && done.receipt != Receipt::Answered {
        let message = format!("{:?} has not answered with `received {}`", done.to.title, done.ready.id);
        return Err(CliError::new(Code::TimedOut, message)
            .hint(format!("look at it with `deck output {}`", sh(&done.to.title))));
    }
    if let Some(rest) = &done.ready.rest {
        out.note(&format!("what did not fit is in {}", text::clean(&rest.to_string_lossy())));
    }
    Ok(ExitCode::SUCCESS)
}
