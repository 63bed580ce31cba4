//! `deck status`: sessions counted by status.

use std::process::ExitCode;

use serde_json::{Map, Value};

use super::Done;
use crate::cli::Context;
use crate::domain::status::Status;
use crate::ops::Watcher;

/// Count sessions by status.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  deck status\n  deck status --json")]
pub struct Args {}

pub(super) fn run(_: &Args, context: &mut Context) -> Done {
    let snapshot = Watcher::new().tick(&context.wiring.deck())?;
    context.tell_recovery(snapshot.recovered.as_deref());
    let count = |status| snapshot.looks.values().filter(|l| l.verdict.status == status).count();
    let out = context.out;
    if out.json {
        let mut body = Map::new();
        body.insert("profile".to_owned(), context.wiring.profile.as_str().into());
        body.insert("total".to_owned(), snapshot.looks.len().into());
        for status in Status::ALL {
            body.insert(status.word().to_owned(), count(status).into());
        }
        out.value(&Value::Object(body))?;
        return Ok(ExitCode::SUCCESS);
    }
    let parts: Vec<String> = Status::ALL
        .into_iter()
        .filter(|s| count(*s) > 0)
        .map(|s| format!("{} {}", out.status(s, s.glyph()), format_args!("{} {s}", count(s))))
        .collect();
    out.line(&if parts.is_empty() { "no sessions".to_owned() } else { parts.join("   ") })?;
    Ok(ExitCode::SUCCESS)
}
