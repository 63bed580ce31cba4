//! The tmux engine: deck's own server, one control-mode connection a socket.
//!
//! Invariants: `connection.rs` is the only place that starts `tmux`; all commands of a deck go
//! down its one pipe; what the server announces to all takes turns (`turn.rs`); targets are `$id` and `%id`; nothing foreign is expanded as a format
//! (no `E:` or `T:`); every name given to tmux is `[A-Za-z0-9_-]`. It must not know tools,
//! statuses or the screen.

mod attach;
mod connection;
mod hook_note;
mod input;
mod leftovers;
mod making;
mod protocol;
mod quote;
mod rows;
mod server;
mod servers;
mod tmux_mux;
mod turn;
mod visit;
mod wedged;

pub use attach::attach_command;
pub use connection::{Connection, Event};
pub use hook_note::{HookPlace, put_hook_note};
pub use server::{MINIMUM, socket_is_live, socket_path};
pub use servers::Servers;
pub use tmux_mux::{Open, TmuxMux};
