//! The terminal multiplexer that sessions live on, in a trait for each use.
//!
//! Invariants of every implementation: targets are the multiplexer's own ids, never names;
//! nothing foreign is expanded as a format; reading starts no server; it keeps nothing that a caller has to say
//! first: each question carries all that it needs.

mod error;
mod input;
mod panes;
mod read;
mod refs;
#[cfg(feature = "web")]
mod watch;
mod write;

pub use super::tags::{Tag, TagName};
pub use error::{MuxError, Silence};
pub use input::MuxInput;
pub use panes::{ForeignPane, PaneFacts, PaneList, PaneRow, SessionTags, Strangers, TerminalRow};
pub use read::{MuxRead, RecordTags, ScreenCapture};
pub use refs::{PaneRef, ServerId, SessionRef};
#[cfg(feature = "web")]
pub use watch::MuxWatch;
pub use write::{CreatedPane, MuxWrite, NewSession, NewWindow, Respawn, RespawnWindow};

/// deck's own server, and those on which sessions were adopted: all uses in one object.
#[cfg(not(feature = "web"))]
pub trait Mux: MuxRead + MuxWrite + MuxInput {}

#[cfg(not(feature = "web"))]
impl<T: MuxRead + MuxWrite + MuxInput> Mux for T {}

/// The same, for viewers elsewhere, too.
#[cfg(feature = "web")]
pub trait Mux: MuxRead + MuxWrite + MuxInput + MuxWatch {}

#[cfg(feature = "web")]
impl<T: MuxRead + MuxWrite + MuxInput + MuxWatch> Mux for T {}
