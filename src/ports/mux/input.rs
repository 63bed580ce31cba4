//! Typing into a pane.

use super::{MuxError, PaneRef};

/// What a user would do at a pane.
pub trait MuxInput: Send + Sync {
    /// Presses keys, by their tmux names.
    ///
    /// # Errors
    /// [`MuxError`] when the pane is gone.
    fn keys(&self, pane: &PaneRef, keys: &[&str]) -> Result<(), MuxError>;

    /// Types a text as it is, without any reading of it as keys.
    ///
    /// # Errors
    /// [`MuxError`] when the pane is gone.
    fn type_text(&self, pane: &PaneRef, text: &str) -> Result<(), MuxError>;

    /// Pastes a text, bracketed when the program asked for that.
    ///
    /// # Errors
    /// [`MuxError`] when the pane is gone.
    fn paste(&self, pane: &PaneRef, text: &str) -> Result<(), MuxError>;

    /// Turns the wheel over a pane: as its program wants it, if it takes the mouse; as arrow keys where it
    /// has the whole screen.
    ///
    /// # Errors
    /// [`MuxError`] when the pane is gone.
    fn wheel(&self, pane: &PaneRef, up: bool) -> Result<(), MuxError>;
}
