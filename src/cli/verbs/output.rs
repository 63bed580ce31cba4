//! `deck output`: print a session's screen or last answer.

use std::process::ExitCode;

use super::Done;
use crate::api::{Output, TextFrom};
use crate::cli::{Context, complete};
use crate::domain::screen::Lines;
use crate::domain::text;
use crate::ops;

/// Print a session's screen or last answer.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  deck output api              print its screen as text\n  deck output api --ansi       keep colours\n  deck output api --lines 200  include scrollback\n  deck output api --last       print the agent's last answer"
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
    let session = context.find(&cx, &args.session)?;
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
            let lines: Vec<_> =
                capture.lines.iter().map(|l| String::from_utf8_lossy(l).into_owned()).collect();
            let styled = lines.join("\n");
            if args.ansi && !context.out.json {
                styled.trim_end().to_owned() + "\x1b[0m\n"
            } else {
                Lines::of(&styled).raw.iter().map(|l| format!("{l}\n")).collect()
            }
        }
    };
    if context.out.json {
        context.out.value(&Output::new(&session, from, text))?;
    } else {
        context.out.raw(text.as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}
