//! The tmux engine: deck's own server, asked by a process for each of a few requests and over one
//! control-mode connection for many.
//!
//! Invariants: `connection.rs` is the only place that starts `tmux`; what the server announces to all
//! happens under its lock (`server_lock.rs`); targets are `$id` and `%id`; nothing foreign is expanded as a format
//! (no `E:` or `T:`); every name given to tmux is `[A-Za-z0-9_-]`. It must not know tools,
//! statuses or the screen.

mod attach;
mod connection;
pub mod guard;
mod hook_note;
mod input;
mod lifecycle;
mod oneshot;
mod protocol;
mod quote;
mod read;
mod rows;
mod server;
mod server_lock;
mod servers;
mod silence;
mod stale_clients;
mod stuck_server;
mod tags;
mod tmux_mux;
mod visited;
mod wake;
#[cfg(feature = "web")]
mod watching;

pub use attach::attach_command;
pub use connection::Event;
pub use hook_note::{HookPlace, put_hook_note};
pub use server::{socket_is_live, socket_path};
pub use servers::Servers;
pub use tmux_mux::{Open, TmuxMux};
