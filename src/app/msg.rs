//! Everything that can happen to the model.

use jiff::Timestamp;

use super::done::Done;
use super::key::Key;
use crate::domain::id::{ProfileName, SessionId};
use crate::domain::worker::WorkerId;
use crate::ops::shell::ShellsSeen;
use crate::ops::{PreviewHeader, RowFacts, Snapshot};
use crate::ports::mux::ScreenCapture;

/// What the mouse did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MouseKind {
    /// A press of the left button.
    Press,
    /// A move with the left button held.
    Drag,
    Release,
    /// The wheel, upwards.
    WheelUp,
    /// The wheel, downwards.
    WheelDown,
}

/// A mouse event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mouse {
    /// What it did.
    pub kind: MouseKind,
    pub column: u16,
    pub row: u16,
}

/// Something that happened.
#[derive(Debug)]
pub enum Msg {
    Key(Key),
    /// A mouse event.
    Mouse(Mouse),
    /// A bracketed paste.
    Paste(String),
    /// The terminal has this size now.
    Resize(u16, u16),
    /// The time at which the next message came.
    Clock(Timestamp),
    /// The time at a moment at which no input waits, while something moves.
    Idle(Timestamp),
    /// What all sessions do.
    Snapshot(Box<Snapshot>),
    /// The sessions could not be polled.
    WatchFailed(String),
    /// Notify the user that sessions need them.
    Notice(String),
    /// The settings file has changed; the sender holds its contents.
    SettingsMoved,
    /// Whether the terminal's window has the focus.
    Focus(bool),
    ScreenCapture(SessionId, Option<WorkerId>, Box<ScreenCapture>),
    /// What is above a session's capture.
    PreviewHeader(SessionId, Box<PreviewHeader>),
    /// What rows show beside a status.
    RowFacts(Vec<(SessionId, RowFacts)>),
    /// What is known of a profile's headless shells.
    Shells(ProfileName, Box<ShellsSeen>),
    /// Lines added and removed in a session's folder since the last commit, if that is known.
    Changes(SessionId, Option<(usize, usize)>),
    /// Keys that were typed into a session were lost, and why. This finishes no effect.
    NotTyped(String),
    /// An effect is done, well or not.
    Done(Done),
    /// The same for an effect on a profile, which needn't be the one that is shown by now.
    DoneIn(ProfileName, Done),
}
