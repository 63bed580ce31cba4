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

/// What has the room that list and preview share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Zoom {
    /// Both; where there is room for one only, the list.
    #[default]
    Off,
    /// The preview alone.
    Preview,
    /// The list alone.
    List,
}

impl Zoom {
    /// What comes after this.
    #[must_use]
    pub const fn next(self, layout: Layout) -> Self {
        match (self, layout) {
            (Self::Off, _) | (Self::List, Layout::Narrow) => Self::Preview,
            (Self::Preview, Layout::Medium | Layout::Wide) => Self::List,
            _ => Self::Off,
        }
    }
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
