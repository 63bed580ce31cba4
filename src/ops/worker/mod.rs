//! What works in a session beside its agent: terminals, a diff, rendered files, links, further agents.
//!
//! Invariants: the record comes before the window; the agent's pane is never touched here; nothing is made on a server of the
//! user's own.

mod add;
mod error;
mod file;
mod find;
mod listed;
mod remove;
mod rename;
mod restart;
mod terminal;
mod terminal_input;

pub use add::{NewWorker, add};
pub use error::WorkerError;
pub use file::read_file;
#[cfg(feature = "web")]
pub use file::read_picture;
pub use find::{Target, WorkerName, find};
pub use listed::{Listed, list, listed};
pub use remove::remove;
pub use rename::rename;
pub use restart::{rerun, restart};
pub(super) use terminal::end_all;
pub use terminal::{Returned, bring_back, panes_of, returned_words, with_lost_terminals};
pub use terminal_input::{
    await_end, terminal_capture, terminal_history, terminal_press, terminal_row, terminal_send,
};
