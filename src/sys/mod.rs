//! The operating system: processes, files, signals, logging.
//!
//! Invariants: the only place that writes files ([`files`]) and starts programs other than tmux
//! ([`spawn`]). It must not know sessions, tools or tmux.

pub mod clock;
pub mod files;
pub mod folders;
pub mod host;
pub mod lock;
pub mod logging;
pub mod process;
pub mod spawn;
pub mod step;
pub mod terminal_program;
