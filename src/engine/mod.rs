//! The one watcher of a process: it polls all sessions, and everyone else subscribes to what it saw.
//!
//! Invariants: nobody else in the process polls all sessions; a subscriber that is slow or gone delays neither
//! the engine nor another subscriber; what counts as a change is defined in `changes.rs` alone.

mod carried;
mod changes;
mod notifier;
mod pace;
#[cfg(feature = "web")]
mod pane_watch;
mod poll;
mod preview;
mod status_line;
mod subscription;
mod wait;

pub use carried::Carried;
pub use changes::{Changes, Event};
#[cfg(feature = "web")]
pub use notifier::Notice;
pub use notifier::Notifier;
#[cfg(feature = "web")]
pub use pane_watch::{PaneWatches, Update, Viewer};
pub use poll::{Engine, Pace, Poll, Waker};
pub use preview::{Fit, PreviewRequest, Shown, Taken, Target, run_preview};
pub use status_line::StatusLine;
pub use subscription::{Blocking, Next, Subscription};
pub use wait::{Goal, Progress, wait};
