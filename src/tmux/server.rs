//! deck's own server: its socket, its configuration, and the versions it works with.

use std::os::fd::{AsRawFd as _, OwnedFd};
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, FdFlag, OFlag, fcntl};

use crate::ports::mux::ServerId;

/// The oldest tmux that works.
pub const MINIMUM: &str = "3.2a";

/// The session that keeps the connection's place on the server; hidden from the user.
pub(super) const HOLDER: &str = "_deck";

/// What must be set before the first session exists.
pub(super) const CONFIG: &str = "\
# Written by deck for its own tmux server. Changes are lost: deck sets everything else over its connection.
set -s exit-empty off
set -g default-terminal tmux-256color
set -g history-limit 20000
set -g remain-on-exit on
";

/// The line below an attached session. q/h doubles every # of the title, so that nothing in it is a
/// style or a command; a comma inside of a choice is written `#,`.
/// What is cut where there is little room is the title.
const STATUS_LEFT: &str =
    " #{?pane_dead,ended · ctrl-q to go back,ctrl-q detaches}  #[bold]#{q/h:@deck_title}#[nobold]";

/// Who else needs the user, as deck notes it on a session that is looked at; q/h as above. The key is shown if there is
/// a session to go to; inside another tmux, that one takes the first prefix.
const STATUS_RIGHT: &str = "#{?@deck_needs,#[fg=yellow]#{q/h:@deck_needs}#[default]#{?@deck_next,  #[dim]#{?#{m/r:^(screen|tmux),#{client_termname}},#{s/C-/ctrl-/:prefix} ,}#{s/C-/ctrl-/:prefix} space: go there#[default],} ,}";

/// Goes to the agent that needs the user most, whichever window of its session was shown last. `@deck_next` is an id of tmux's own that deck wrote.
const JUMP: &str = "if-shell -F '#{@deck_next}' { run-shell -C \"set-option -t '#{@deck_next}' activity-action none ; switch-client -t '#{@deck_next}'\" } { if-shell -F '#{@deck_needs}' { display-message 'on another tmux server: detach to go there' } { display-message 'nothing else needs your attention' } }";

/// The channel on which changes of windows are signalled.
pub(super) const CHANNEL: &str = "deck-wake";

/// What a window that reports activity does.
const WAKE: &str = "wait-for -S deck-wake";

/// Lets a window of each session report activity unless somebody is attached to it: to them every report would be a beep.
/// Only those that are not as they should be are changed. Nothing in it comes from outside but tmux's own ids.
const REPORTING: &str = "run-shell -C \"#{S:#{?#{==:#{?session_attached,none,any},#{activity-action}},,set-option -t '#{session_id}' activity-action #{?session_attached,none,any} ; }}\"";

/// Which client was last shown which session: its process and tmux's id of the session.
pub(super) const SHOWN: &str = "@deck_shown";

/// Notes that, for a client with a terminal: who leaves it there finds the row of the session that they left.
const NOTE_SHOWN: &str =
    "if-shell -F '#{client_control_mode}' '' { set-option -sF @deck_shown '#{client_pid} #{session_id}' }";

/// What is set at every connect, so that a newer deck meets an older server. Each is one command.
pub(super) const OPTIONS: &[&[&str]] = &[
    &["set-option", "-s", "escape-time", "10"],
    &["set-option", "-s", "exit-empty", "off"],
    &["set-option", "-s", "focus-events", "on"],
    &["set-option", "-s", "extended-keys", "on"],
    &["set-option", "-g", "remain-on-exit", "on"],
    // From tmux 3.3 on: the last lines of an agent that ended stay as they were.
    &["set-option", "-g", "remain-on-exit-format", ""],
    &["set-option", "-g", "mouse", "on"],
    &["set-option", "-g", "allow-rename", "off"],
    &["set-option", "-g", "automatic-rename", "off"],
    &["set-option", "-g", "set-titles", "off"],
    &["set-option", "-g", "window-size", "latest"],
    &["set-option", "-g", "destroy-unattached", "off"],
    &["set-option", "-g", "status", "on"],
    &["set-option", "-g", "status-position", "bottom"],
    &["set-option", "-g", "status-style", "default"],
    &["set-option", "-g", "status-left-length", "42"],
    &["set-option", "-g", "status-left", STATUS_LEFT],
    &["set-option", "-g", "status-right-length", "120"],
    &["set-option", "-g", "status-right", STATUS_RIGHT],
    &["set-option", "-g", "window-status-format", ""],
    &["set-option", "-g", "window-status-current-format", ""],
    &["bind-key", "-n", "C-q", "detach-client"],
    &["bind-key", "Space", JUMP],
    // How deck is woken (`wake.rs`). The last comes last: before it nothing is reported.
    &["set-option", "-g", "visual-activity", "off"],
    &["set-option", "-g", "activity-action", "any"],
    &["set-hook", "-g", "alert-activity", WAKE],
    &["set-hook", "-g", "client-session-changed[0]", REPORTING],
    &["set-hook", "-g", "client-session-changed[1]", NOTE_SHOWN],
    &["set-hook", "-g", "client-detached", REPORTING],
    // As a hook: commands within a command would be answered one by one.
    &["set-hook", "-R", "client-detached"],
    &["set-option", "-g", "monitor-activity", "on"],
];

/// Variables that every session of the server may have: what a program needs to run. Everything else
/// of whoever happened to start the server belongs to him alone: `#{NAME}` and new sessions fall back
/// to the server's environment, and a deck started inside an agent would hand that agent's to all.
const SHARED_ENV: &[&str] = &[
    "HOME",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "LOGNAME",
    "PATH",
    "SHELL",
    "TERM",
    "TMUX_TMPDIR",
    "USER",
    "XDG_RUNTIME_DIR",
];

/// Whether a server that is started gets this variable.
pub(super) fn is_shared(name: &std::ffi::OsStr) -> bool {
    SHARED_ENV.iter().any(|n| *n == name)
}

/// Where a server listens: tmux(1), `-L`.
pub fn socket_path(server: &ServerId, tmpdir: Option<&str>) -> PathBuf {
    let base = tmpdir.filter(|d| !d.is_empty()).unwrap_or("/tmp");
    let user = nix::unistd::getuid();
    PathBuf::from(base).join(format!("tmux-{user}")).join(server.as_str())
}

/// Whether a server listens on its socket. Starts no process.
pub fn socket_is_live(server: &ServerId, tmpdir: Option<&str>) -> bool {
    !matches!(knock(&socket_path(server, tmpdir)), Knock::NobodyListens)
}

/// What becomes of connecting to a socket.
#[derive(Debug)]
pub(super) enum Knock {
    /// A process listens, and the connection waits for it to be accepted.
    Connected(OwnedFd),
    /// A process listens, but accepts nobody: as many wait as the system allows.
    Full,
    /// No process listens.
    NobodyListens,
}

/// Connects to a socket without ever waiting: `connect` blocks for as long as the queue of a server that
/// accepts nobody is full, and a server that is stopped accepts nobody.
pub(super) fn knock(socket: &Path) -> Knock {
    use nix::sys::socket::{AddressFamily, SockFlag, SockType, UnixAddr, connect, socket as open};
    let open = || {
        let address = UnixAddr::new(socket)?;
        // At once where the system can: a process that another thread starts would have the socket, too.
        #[cfg(target_os = "linux")]
        let flags = SockFlag::SOCK_CLOEXEC;
        #[cfg(not(target_os = "linux"))]
        let flags = SockFlag::empty();
        let fd = open(AddressFamily::Unix, SockType::Stream, flags, None)?;
        fcntl(&fd, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC))?;
        fcntl(&fd, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
        connect(fd.as_raw_fd(), &address)?;
        Ok(fd)
    };
    match open() {
        Ok(fd) => Knock::Connected(fd),
        Err(Errno::EAGAIN | Errno::EINPROGRESS) => Knock::Full,
        Err(_) => Knock::NobodyListens,
    }
}

/// Whether a version such as `3.3a` or `next-3.5` is one that works. Unknown forms are let pass.
pub(super) fn is_new_enough(version: &str) -> bool {
    let numbers: String = version.chars().skip_while(|c| !c.is_ascii_digit()).collect();
    let mut parts = numbers.split('.');
    let major = parts.next().and_then(|m| m.parse::<u32>().ok());
    let minor =
        parts.next().map(|m| m.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default().to_owned());
    match (major, minor.and_then(|m| m.parse::<u32>().ok())) {
        (Some(major), Some(minor)) => (major, minor) >= (3, 2),
        (Some(major), None) => major > 3,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions() {
        for good in ["3.2", "3.2a", "3.3a", "3.10", "4.0", "next-3.6", "openbsd-7.4"] {
            assert!(is_new_enough(good), "{good}");
        }
        for old in ["3.1c", "2.9", "1.8"] {
            assert!(!is_new_enough(old), "{old}");
        }
    }
}
