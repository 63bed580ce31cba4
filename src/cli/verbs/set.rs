//! `deck set`: change what is recorded of a session.

use std::process::ExitCode;

use super::Done;
use crate::cli::error::CliError;
use crate::cli::{Context, complete};
use crate::config::paths::expand_to_text;
use crate::ops;

/// Change what is recorded of a session.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Keys: title, path, command, args, env.NAME. What runs is left alone: it holds from the next start on.\n\nExamples:\n  deck set api path=~/src/api-moved\n  deck set api args='--model opus' env.DEBUG=1"
)]
pub struct Args {
    /// The session.
    #[arg(add = complete::sessions())]
    session: String,
    /// What to set.
    #[arg(required = true, value_name = "KEY=VALUE")]
    pairs: Vec<String>,
}

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    let deck = context.wiring.deck();
    let session = context.find(&deck, &args.session)?;
    let mut pairs = Vec::new();
    for pair in &args.pairs {
        let (key, value) = pair.split_once('=').ok_or_else(|| {
            CliError::usage(format!("{pair:?} sets nothing"))
                .hint("write it as KEY=VALUE, such as path=~/src/api")
        })?;
        pairs.push((key, value));
    }
    for (key, value) in pairs {
        let value = match key {
            "path" => expand_to_text(value, &context.wiring.env).map_err(ops::OpError::NotText)?,
            _ => value.to_owned(),
        };
        ops::set(&deck, &session.id, key, &value)?;
    }
    context.tell_session(
        &deck,
        &session.id,
        &format!("set {} of {}", args.pairs.join(" "), session.title),
    )?;
    Ok(ExitCode::SUCCESS)
}
