//! `deck hook`: an agent's report about itself. It must never keep the agent waiting or fail it.

use std::io::Read;
use std::process::ExitCode;

use super::Done;
use crate::cli::Context;
use crate::domain::session::IdSource;
use crate::ops;

/// The most that is read of a hook's payload, in bytes.
const MOST: u64 = 64 * 1024;

/// Take a hook's report from an agent.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What happened.
    event: String,
}

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    let mut payload = String::new();
    std::io::stdin().lock().take(MOST).read_to_string(&mut payload)?;
    let deck = context.wiring.deck();
    let Some(session) = deck.place.inside.clone() else { return Ok(ExitCode::SUCCESS) };
    if args.event == "session-start" {
        let id = serde_json::from_str::<serde_json::Value>(&payload).ok();
        let id = id.as_ref().and_then(|v| v.get("session_id")).and_then(|v| v.as_str());
        if let Some(id) = id.filter(|id| !id.is_empty()) {
            ops::learn(&deck, &session, id, IdSource::Reported)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
