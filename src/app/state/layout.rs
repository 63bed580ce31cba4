//! How the TUI is laid out, by the terminal's size.

/// How the TUI is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// Too small for anything.
    Tiny,
    /// The list alone, or the capture alone.
    Narrow,
    /// The capture below the list.
    Medium,
    /// Side by side.
    Wide,
}

/// The layout for a terminal of this size.
pub const fn layout_of(width: u16, height: u16) -> Layout {
    match (width, height) {
        (..40, _) | (_, ..10) => Layout::Tiny,
        (..60, _) | (_, ..18) => Layout::Narrow,
        (..100, _) => Layout::Medium,
        _ => Layout::Wide,
    }
}
