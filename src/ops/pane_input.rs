//! What a user types into an agent's pane, exactly as they typed it.

use crate::ports::MuxError;
use crate::ports::mux::{MuxInput, PaneRef};

/// What goes to an agent's terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PaneInput {
    /// Characters, as they are.
    Text(String),
    /// A key, by the multiplexer's name for it.
    Key(String),
    Paste(String),
    /// The wheel; whether upwards.
    Wheel(bool),
}

/// Types into a pane.
///
/// # Errors
/// [`MuxError`] when it did not arrive.
pub fn type_into(mux: &dyn MuxInput, pane: &PaneRef, input: &PaneInput) -> Result<(), MuxError> {
    match input {
        PaneInput::Text(text) => mux.type_text(pane, text),
        PaneInput::Key(name) => mux.keys(pane, &[name]),
        PaneInput::Paste(text) => mux.paste(pane, text),
        PaneInput::Wheel(up) => mux.wheel(pane, *up),
    }
}
