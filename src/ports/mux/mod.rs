//! The terminal multiplexer that sessions live on, in three traits by use.
//!
//! Invariants of every implementation: targets are the multiplexer's own ids, never names;
//! nothing foreign is expanded as a format; reading starts no server; it keeps nothing that a caller has to say
//! first: each question carries all that it needs.

mod error;
mod input;
mod panes;
mod read;
mod refs;
mod write;

pub use super::tags::{Tag, TagName};
pub use error::{MuxError, Silence};
pub use input::MuxInput;
pub use panes::{ForeignPane, PaneFacts, PaneList, PaneRow, SessionTags, Strangers, TerminalRow};
pub use read::{MuxRead, RecordTags, ScreenCapture};
pub use refs::{PaneRef, ServerId, SessionRef};
pub use write::{CreatedPane, MuxWrite, NewSession, NewWindow, Respawn, RespawnWindow};

/// deck's own server, and those on which sessions were adopted: all three uses in one object.
pub trait Mux: MuxRead + MuxWrite + MuxInput {}

impl<T: MuxRead + MuxWrite + MuxInput> Mux for T {}
