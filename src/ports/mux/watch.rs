//! Watching a pane for viewers elsewhere, and typing what their terminals send.

use super::{MuxError, PaneRef};
use crate::domain::frame;

/// What viewers on other screens need of a pane.
pub trait MuxWatch: Send + Sync {
    /// What one pane shows with up to `back` lines of its history, all of one instant; `None` when it is gone. A capture
    /// without rows was broken by what the pane printed: the next one is whole.
    ///
    /// # Errors
    /// [`MuxError`] when the server can't be asked.
    fn instant(&self, pane: &PaneRef, back: u32) -> Result<Option<frame::Capture>, MuxError>;

    /// Lines of a pane's history with their escape sequences, oldest first: up to `lines` of them, of which the newest has
    /// `newer` lines of the history below it; `None` when the pane is gone.
    ///
    /// # Errors
    /// [`MuxError`] when the server can't be asked.
    fn older(&self, pane: &PaneRef, newer: u32, lines: u32) -> Result<Option<Vec<Vec<u8>>>, MuxError>;

    /// Sends bytes as they are, as if the terminal had sent them.
    ///
    /// # Errors
    /// [`MuxError`] when the pane is gone.
    fn bytes(&self, pane: &PaneRef, bytes: &[u8]) -> Result<(), MuxError>;
}
