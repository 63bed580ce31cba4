//! Attaching: tmux gets the terminal until its client ends.

use std::process::Command;

use super::connection::program;
use super::server::HOLDER;
use crate::ports::mux::{PaneRef, ServerId};

/// The command that attaches this terminal to a session.
///
/// `-E`: the session keeps its own environment, so that a restart finds what its user gave it.
/// Refused for the holder: it shows nothing. `inside` is for a caller in a pane of the same server:
/// its client is switched to the session instead, since a server can't be shown inside itself. With `pane`, it shows the
/// window of that.
pub fn attach_command(
    tmux: &str,
    server: &ServerId,
    session_name: &str,
    pane: Option<&PaneRef>,
    inside: bool,
) -> Option<Command> {
    if session_name.is_empty() || session_name == HOLDER {
        return None;
    }
    let target = format!("={session_name}");
    let mut command = program(tmux);
    if inside {
        command.envs(std::env::vars_os().filter(|(k, _)| k == "TMUX" || k == "TMUX_PANE"));
        command.args(["-u", "switch-client", "-E", "-t", &target]);
    } else {
        command.args(["-u", "-L", server.as_str(), "attach-session", "-E", "-t", &target]);
    }
    if let Some(pane) = pane {
        command.args([";", "select-window", "-t", &pane.pane]);
    }
    Some(command)
}
