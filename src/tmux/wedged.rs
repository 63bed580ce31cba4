//! A server that never finishes ending.
//!
//! A session that is made while the server ends (`kill-server` beside a deck that just connects; seen on
//! 3.3a) keeps it for ever: it accepts nobody, tells whoever comes that it "exited unexpectedly",
//! and its socket stays taken. Nothing can be reached on it any more, so telling it once more to end
//! only finishes what was asked. It is told so only if no terminal is left on it but the holder's: then no
//! agent can be lost by it, whatever the reason is that it lets nobody in.

use std::path::Path;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::silence;
use crate::sys::process;

/// Tells the server on `socket` to end if all that it holds is the holder's terminal. True if it was told.
pub(super) fn end(socket: &Path) -> bool {
    let Some(pid) = silence::server(socket) else { return false };
    // Whatever else listens there is somebody's own.
    if !process::name(pid).is_some_and(|name| name.starts_with("tmux")) {
        return false;
    }
    let is_agent = |child: &i32| process::variable(*child, "DECK_SESSION_ID").is_some();
    if terminals(pid).is_none_or(|n| n > 1) || process::children(pid).iter().any(is_agent) {
        return false;
    }
    tracing::warn!(pid, "the tmux server let nobody in and held nothing: told to end");
    kill(Pid::from_raw(pid), Signal::SIGTERM).is_ok()
}

/// How many terminals a process has given to others; `None` when that can't be seen.
fn terminals(pid: i32) -> Option<usize> {
    let files = std::fs::read_dir(format!("/proc/{pid}/fd")).ok()?;
    let links = files.flatten().filter_map(|f| std::fs::read_link(f.path()).ok());
    Some(links.filter(|to| to.ends_with("ptmx")).count())
}
