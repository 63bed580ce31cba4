//! The programs between an agent and an MCP server of the user's: they are started by the agent, and speak the protocol on
//! stdin and stdout.
//!
//! Invariants: not one byte of deck's own goes to stdout but an answer of the protocol; no value of a variable is in an
//! argument or in what is printed.

mod answer_error;
mod check;
mod connect;
mod control;
mod lines;
mod place;
mod pool;
mod queue;
mod run;
mod server_process;
mod spec;

pub use check::check;
pub use control::{Pooled, logs, pools, restart};

use std::process::ExitCode;

/// Runs one of these programs if the words of the command line are for one: `mcp run NAME --set FILE`, or the
/// process that shares a server. It is asked before the
/// command line is parsed: an agent waits for its servers.
pub fn dispatch(words: &[String]) -> Option<ExitCode> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["mcp", "run", name, "--set", set] => Some(run::run(name, set.as_ref())),
        ["mcp", verb] if verb == pool::VERB => Some(pool::serve()),
        _ => None,
    }
}
