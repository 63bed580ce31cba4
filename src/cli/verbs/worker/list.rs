//! `deck worker list`.

use std::process::ExitCode;

use super::super::Done;
use crate::api;
use crate::cli::table::{Paint, Table, dim, plain, strong, terminal_width};
use crate::cli::{Context, complete};
use crate::domain::status::Exit;
use crate::domain::text;
use crate::ops::Cx;
use crate::ops::worker::{self, Listed};

/// List the workers of a session.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  deck worker list api\n  deck worker list api --json")]
pub struct Args {
    /// The session.
    #[arg(add = complete::sessions())]
    session: String,
}

pub(super) fn run(args: &Args, context: &Context, cx: &Cx) -> Done {
    let session = context.find(cx, &args.session)?;
    let all = worker::list(cx, &session)?;
    let out = context.out;
    if out.json {
        out.value(&all.iter().map(|listed| api::Worker::of(&session, listed)).collect::<Vec<_>>())?;
        return Ok(ExitCode::SUCCESS);
    }
    if out.quiet {
        all.iter().try_for_each(|listed| out.line(&listed.id))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = Table::default();
    for listed in &all {
        table.row(vec![
            (listed.tab.to_string(), dim as Paint),
            (text::clean(&listed.name), strong),
            (text::clean(&listed.kind), plain),
            (state(listed), plain),
            (text::clean(&what(&session, listed)), dim),
        ]);
    }
    table.lines(terminal_width(), &out).iter().try_for_each(|line| out.line(line))?;
    Ok(ExitCode::SUCCESS)
}

/// Whether something runs in it, or how it ended.
pub(super) fn state(listed: &Listed) -> String {
    match (&listed.alive, &listed.exit) {
        (None, _) => String::new(),
        (Some(true), _) => "running".to_owned(),
        (_, Some(exit)) => exit_words(exit),
        (_, None) => "stopped".to_owned(),
    }
}

/// How something ended.
pub(in crate::cli) fn exit_words(exit: &Exit) -> String {
    match exit {
        Exit::Code(code) => format!("exited {code}"),
        Exit::Signal(signal) => format!("killed by {signal}"),
        _ => "exited".to_owned(),
    }
}

/// What it shows or runs.
pub(super) fn what(session: &crate::domain::session::Session, listed: &Listed) -> String {
    let record = listed.record.as_ref();
    record
        .and_then(|w| w.file.clone().or(w.against.as_ref().map(|against| format!("against {against}"))))
        .or_else(|| record.and_then(|w| w.url.as_deref()).map(|url| api::address(session, url)))
        .or_else(|| listed.command.clone())
        .unwrap_or_default()
}
