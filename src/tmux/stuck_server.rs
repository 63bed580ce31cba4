//! A server that never finishes ending.
//!
//! A session that is created while the server ends (`kill-server` beside a deck that just connects; seen on
//! 3.3a) keeps the server alive for ever: it accepts no client, answers each with "server exited
//! unexpectedly", and its socket stays in use. Nothing on it can be reached any more, so another SIGTERM only
//! completes what was asked for. The server is ended only if both are true: it has no terminal but the
//! holder's, and none of its child processes is an agent that deck started. Then no agent can be lost,
//! whatever the reason is that it accepts no client.

use std::path::Path;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::silence;
use crate::sys::process;

/// Ends the server on `socket` if all that it has is the holder's terminal, and no agent is among its
/// children. True if it was signalled.
pub(super) fn end(socket: &Path) -> bool {
    let Some(pid) = silence::server(socket) else { return false };
    // Whatever else listens there is somebody's own.
    if !silence::is_tmux(pid) {
        return false;
    }
    let is_agent = |child: &i32| process::variable(*child, "DECK_SESSION_ID").is_some();
    if terminals(pid).is_none_or(|n| n > 1)
        || process::families().get(&pid).is_some_and(|all| all.iter().any(is_agent))
    {
        return false;
    }
    tracing::warn!(pid, "the tmux server accepted no client and had no agent: sent SIGTERM");
    kill(Pid::from_raw(pid), Signal::SIGTERM).is_ok()
}

/// How many terminals a process has given to others; `None` when that can't be seen.
fn terminals(pid: i32) -> Option<usize> {
    let files = std::fs::read_dir(format!("/proc/{pid}/fd")).ok()?;
    let links = files.flatten().filter_map(|f| std::fs::read_link(f.path()).ok());
    Some(links.filter(|to| to.ends_with("ptmx")).count())
}
