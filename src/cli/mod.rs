//! The command line: one file for each verb, one form of output, and the exit code of each error.
//!
//! Invariants: nothing goes to stdout but the answer; every verb that reads or creates has
//! `--json`; no verb asks anything, but for consent at a terminal. It must not know tmux, files or how the TUI is drawn.

mod args;
mod complete;
mod consent;
mod error;
mod hint;
mod interrupt;
mod output;
mod table;
mod verbs;

use std::process::ExitCode;
use std::sync::Mutex;

use clap::{CommandFactory, Parser};

pub use args::Cli;
pub use error::CliError;

use crate::config::paths::Environment;
use crate::wiring::Wiring;
use output::Out;

/// What a verb works with.
pub(crate) struct Context {
    pub wiring: Wiring,
    pub out: Out,
    /// The JSON answers about several sessions, until they are printed as one array.
    answers: Mutex<Option<Vec<serde_json::Value>>>,
}

/// Parses the command line and runs it.
pub fn main() -> ExitCode {
    if let Some(code) = crate::wiring::run_behind() {
        return code;
    }
    clap_complete::CompleteEnv::with_factory(Cli::command).var(complete::VARIABLE).complete();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    let out = Out::new(&cli);
    let report = Out::new(&cli);
    match run(cli, out) {
        Ok(code) => code,
        Err(error) => report.error(&error),
    }
}

/// Help and versions go to stdout and are no failure; everything else is a usage error.
fn usage(error: &clap::Error) -> ExitCode {
    // The line could not be read, but that it asks for JSON can be seen.
    if error.use_stderr() && std::env::args_os().any(|a| a == "--json") {
        let text = error.to_string();
        let message = text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
        let hint = error.context().find_map(|(_, v)| match v {
            clap::error::ContextValue::StyledStrs(s) => s.first().map(ToString::to_string),
            _ => None,
        });
        let error = CliError { hint, ..CliError::usage(message) };
        return Out::json().error(&error);
    }
    // A closed pipe is not an error.
    let _ = error.print();
    if error.use_stderr() { ExitCode::from(2) } else { ExitCode::SUCCESS }
}

fn run(cli: Cli, out: Out) -> Result<ExitCode, CliError> {
    let env = Environment::of_process();
    // Verbs that must work whatever the settings say come first.
    if let Some(code) = verbs::early(&cli, &env, &out)? {
        return Ok(code);
    }
    let wiring = Wiring::new(env, cli.profile.as_deref())?;
    crate::sys::logging::start(&wiring.paths.state, wiring.env.get("DECK_LOG"));
    // The TUI shows them itself.
    if cli.verb.is_some() {
        verbs::warn_of_settings(&wiring.settings.problems, &out);
    }
    let mut context = Context { wiring, out, answers: Mutex::new(None) };
    verbs::run(cli.verb, &mut context)
}
