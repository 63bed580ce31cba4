//! `deck guard-connection`: disconnects a deck's tmux client, even if that deck was killed.

use std::path::PathBuf;

use crate::wiring::guard_connection;

/// See a connection's client out.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The note that the deck keeps locked for as long as it lives.
    note: PathBuf,
}

/// Prints nothing: its stdin, stdout and stderr are the client's.
pub(super) fn run(args: &Args) {
    // Without this process the client leaves by itself, and nobody is there to hear of it.
    let _ = guard_connection(&args.note);
}
