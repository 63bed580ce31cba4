//! `deck checkpoint`: what somebody must know who continues a session's work.

use std::process::ExitCode;

use super::Done;
use crate::api;
use crate::cli::error::CliError;
use crate::cli::{Context, complete};
use crate::config::paths::expand;
use crate::domain::text;
use crate::ops::{self, SendOptions};

/// Print a checkpoint of a session.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "It is made from the agent's transcript and from git, without a model and without the network: what was asked first, what was said last, the last\nanswer, what was done last, what is not committed, and what resumes the conversation. Secrets are hidden. The last twenty of a session are kept.\n\nExamples:\n  deck checkpoint api\n  deck checkpoint api --out notes.md\n  deck checkpoint api --json"
)]
pub struct Args {
    /// The session.
    #[arg(add = complete::sessions())]
    session: String,
    /// Write it to a new file.
    #[arg(long, value_name = "FILE", conflicts_with = "send", value_hint = clap::ValueHint::FilePath)]
    out: Option<String>,
    /// Send it to the session itself, such as after its agent has compacted its context.
    #[arg(long)]
    send: bool,
}

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    context.listen_for_interrupts()?;
    let cx = context.wiring.cx();
    let session = context.find(&cx, &args.session)?;
    if let Some(carries) = &session.carries {
        // What was said last is in its conversation, too.
        let caught = ops::talk::read(&cx, std::path::Path::new(&carries.root), &carries.id)
            .and_then(|talk| ops::talk::catch_up(&cx, &talk));
        if let Err(error) = caught {
            context.out.warn(&format!("can't read what is new in {}: {error}", carries.id));
        }
    }
    let kept = ops::session_checkpoint(&cx, &session.id)?;
    let mut sent = None;
    let mut written = None;
    if let Some(out) = &args.out {
        let path = expand(out, &context.wiring.env);
        if cx.host.exists(&path) {
            return Err(CliError::new(api::Code::Refused, format!("{} is there already", path.display()))
                .hint("give another name; nothing is overwritten"));
        }
        cx.host.put(&path, &kept.words)?;
        written = Some(path);
    }
    if args.send {
        sent = Some(ops::send(&cx, &session.id, &kept.words, SendOptions::default())?);
        ops::talk::mark_compacted(&cx, &session.id, false)?;
    }
    let out = context.out;
    if out.json {
        out.value(&api::SessionCheckpoint::of(&session, &kept))?;
    } else if out.quiet {
        out.line(&kept.file.to_string_lossy())?;
    } else if let Some(path) = &written {
        out.line(&format!(
            "wrote a checkpoint of {} to {}",
            session.title,
            text::clean(&path.to_string_lossy())
        ))?;
    } else if let Some(receipt) = sent {
        out.line(&format!("{}: {}", session.title, receipt.words()))?;
    } else {
        out.raw(text::clean_lines(&kept.words).as_bytes())?;
        out.line("")?;
    }
    if kept.is_cut {
        out.note("not all of it fits: the transcript has the rest");
    }
    if !kept.hidden.is_empty() {
        out.note(&format!("hidden: {}", kept.hidden.join(", ")));
    }
    Ok(ExitCode::SUCCESS)
}
