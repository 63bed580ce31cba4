//! The screen.

use crate::wiring::Wiring;

/// Opens the screen.
///
/// # Errors
/// The terminal's.
pub fn run(_wiring: &Wiring) -> std::io::Result<()> {
    Ok(())
}
