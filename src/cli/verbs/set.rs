//! `deck set`: change a session's settings.

use std::process::ExitCode;

use super::Done;
use crate::cli::error::CliError;
use crate::cli::{Context, complete};
use crate::config::paths::expand_to_text;
use crate::ops;

/// Change a session's settings.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Keys: title, path, command, args, env.NAME, draft (a first prompt that was not sent). Takes effect at the next start.\n\nExamples:\n  deck set api path=~/src/api-moved\n  deck set api args='--model opus' env.DEBUG=1"
)]
pub struct Args {
    /// Session to change.
    #[arg(add = complete::sessions())]
    session: String,
    /// Settings to change.
    #[arg(required = true, value_name = "KEY=VALUE")]
    pairs: Vec<String>,
}

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    let cx = context.wiring.cx();
    let session = context.find(&cx, &args.session)?;
    let mut pairs = Vec::new();
    for pair in &args.pairs {
        let (key, value) = pair.split_once('=').ok_or_else(|| {
            CliError::usage(format!("invalid setting {pair:?}"))
                .hint("write it as KEY=VALUE, such as path=~/src/api")
        })?;
        pairs.push((key, value));
    }
    for (key, value) in pairs {
        let value = match key {
            "path" => expand_to_text(value, &context.wiring.env).map_err(ops::OpError::NotText)?,
            _ => value.to_owned(),
        };
        ops::set(&cx, &session.id, key, &value)?;
    }
    context.tell_session(&cx, &session.id, &format!("set {} of {}", args.pairs.join(" "), session.title))?;
    Ok(ExitCode::SUCCESS)
}
