//! `deck status`: sessions counted by status.

use std::process::ExitCode;

use super::Done;
use crate::api::StatusCounts;
use crate::cli::Context;
use crate::cli::error::CliError;
use crate::domain::status::{Status, StatusKind};
use crate::domain::text;
use crate::ops::{Watcher, needy};

/// Count sessions by status.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  deck status\n  deck status --json\n  deck status --format '◐ {ask}  ✕ {failed}  ◆ {done}'     for a prompt or a status line"
)]
pub struct Args {
    /// Format string; supports {ask}, {failed}, {done}, {waiting}, {running}, {idle}, {error}, {starting},
    /// {stopped}, {total}, {profile} and {needs} (titles of sessions that need you).
    #[arg(long, value_name = "TEXT", conflicts_with = "json")]
    format: Option<String>,
}

/// Fills the placeholders of a format in.
fn filled(format: &str, value: impl Fn(&str) -> Option<String>) -> Result<String, CliError> {
    let mut text = String::new();
    let mut rest = format;
    while let Some((before, after)) = rest.split_once('{') {
        let unknown = |name: &str| {
            CliError::usage(format!("unknown placeholder {{{name}}}")).hint("`deck status --help` lists them")
        };
        let (name, after) = after.split_once('}').ok_or_else(|| unknown(after))?;
        text.push_str(before);
        text.push_str(&value(name).ok_or_else(|| unknown(name))?);
        rest = after;
    }
    text.push_str(rest);
    Ok(text)
}

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    let snapshot = Watcher::new().tick(&context.wiring.cx())?;
    context.warn_about(&snapshot);
    let count = |status| snapshot.states.values().filter(|l| l.verdict.status == status).count();
    let of_kind = |kind| snapshot.states.values().filter(|l| l.verdict.kind() == kind).count();
    let out = context.out;
    if let Some(format) = &args.format {
        let value = |name: &str| match name {
            "total" => Some(snapshot.states.len().to_string()),
            "profile" => Some(context.wiring.profile.to_string()),
            "needs" => {
                let titles = needy(&snapshot).into_iter().map(|(s, _)| text::clean(&s.title));
                Some(titles.collect::<Vec<_>>().join(", "))
            }
            word => match Status::from_word(word) {
                Some(status) => Some(count(status).to_string()),
                None => {
                    StatusKind::ALL.into_iter().find(|k| k.word() == word).map(|k| of_kind(k).to_string())
                }
            },
        };
        out.line(&filled(format, value)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    if out.json {
        let statuses = snapshot.states.values().map(|l| l.verdict.status);
        out.value(&StatusCounts::of(context.wiring.profile.as_str(), statuses))?;
        return Ok(ExitCode::SUCCESS);
    }
    let parts: Vec<String> = StatusKind::ALL
        .into_iter()
        .filter(|k| of_kind(*k) > 0)
        .map(|k| format!("{} {} {}", out.status(k, k.glyph()), of_kind(k), k.word()))
        .collect();
    out.line(&if parts.is_empty() { "no sessions".to_owned() } else { parts.join("   ") })?;
    Ok(ExitCode::SUCCESS)
}
