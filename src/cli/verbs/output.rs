//! `deck output`: print a session's screen or last answer.

use std::process::ExitCode;

use super::Done;
use crate::api::{Output, TextFrom, address};
use crate::cli::error::CliError;
use crate::cli::{Context, complete};
use crate::domain::screen::Lines;
use crate::domain::session::Session;
use crate::domain::text;
use crate::domain::worker::{Worker, WorkerType};
use crate::ops::worker::{Target, WorkerName};
use crate::ops::{self, Cx};
use crate::ports::mux::ScreenCapture;

/// Print a session's screen or last answer.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  deck output api              print its screen as text\n  deck output api --ansi       keep colours\n  deck output api --lines 200  include scrollback\n  deck output api --last       print the agent's last answer\n  deck output api:tests        print what its terminal tests shows\n  deck output api:PLAN.md      print a file that is one of its workers"
)]
pub struct Args {
    /// Session to read.
    #[arg(add = complete::sessions())]
    session: String,
    /// Print the last answer (falls back to the screen).
    #[arg(long, conflicts_with_all = ["lines", "ansi", "screen"])]
    last: bool,
    /// Print the current screen (default).
    #[arg(long, conflicts_with = "lines")]
    screen: bool,
    /// Print the last N lines, with scrollback.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    lines: Option<u32>,
    /// Keep colours.
    #[arg(long, conflicts_with = "lines")]
    ansi: bool,
}

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    let cx = context.wiring.cx();
    let session = match ops::worker::find(&cx, &args.session)? {
        Target::Session(session) => *session,
        Target::Worker(session, worker) => return of_worker(args, context, &cx, &session, &worker),
    };
    let digest = if args.last { ops::digest(&cx, &session.id)? } else { None };
    let last = digest.and_then(|d| d.last_response);
    let from = if last.is_some() { TextFrom::Conversation } else { TextFrom::Screen };
    if args.last && last.is_none() {
        context.out.note("no answer found in its conversation; printing the screen");
    }
    let text = match args.lines {
        _ if last.is_some() => text::clean_lines(&last.unwrap_or_default()),
        Some(lines) => ops::history(&cx, &session.id, lines)?,
        None => {
            let capture = ops::screen(&cx, &session.id)?;
            screen(&capture, args.ansi && !context.out.json)
        }
    };
    if context.out.json {
        context.out.value(&Output::new(&session, from, text))?;
    } else {
        context.out.raw(text.as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What a worker shows that is no agent.
fn of_worker(args: &Args, context: &Context, cx: &Cx, session: &Session, worker: &Worker) -> Done {
    let name = WorkerName { session: session.id.clone(), worker: worker.id.clone() };
    if args.last {
        return Err(CliError::usage("a terminal has no last answer").hint("leave out --last"));
    }
    let text = match (args.lines, &worker.kind) {
        (_, WorkerType::Diff) => return super::diff::of_worker(context, cx, session, worker),
        (_, WorkerType::Markdown) => {
            let file = worker.file.as_deref().unwrap_or_default();
            text::clean_lines(&ops::worker::read_file(cx, session, file)?)
        }
        (_, WorkerType::Link) => {
            worker.url.as_deref().map(|url| format!("{}\n", address(session, url))).unwrap_or_default()
        }
        (Some(lines), _) => ops::worker::terminal_history(cx, &name, lines)?,
        (None, _) => screen(&ops::worker::terminal_capture(cx, &name)?, args.ansi && !context.out.json),
    };
    if context.out.json {
        context.out.value(&Output::new(session, TextFrom::Screen, text))?;
    } else {
        context.out.raw(text.as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A screen as text, with its colours if they are kept.
fn screen(capture: &ScreenCapture, with_colours: bool) -> String {
    let lines: Vec<_> = capture.lines.iter().map(|l| String::from_utf8_lossy(l).into_owned()).collect();
    let styled = lines.join("\n");
    if with_colours {
        return styled.trim_end().to_owned() + "\x1b[0m\n";
    }
    Lines::of(&styled).raw.iter().map(|l| format!("{l}\n")).collect()
}
