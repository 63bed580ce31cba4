//! What a pane shows at one instant.

/// What is known of a pane at the instant of its capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Facts {
    /// Columns and rows.
    pub size: (u16, u16),
    /// The cursor's column and row, from 0. The column is that after the last while the next character would wrap.
    pub cursor: (u16, u16),
    pub cursor_shown: bool,
    /// How many lines are kept above the screen.
    pub history: u32,
    /// How many lines are kept at most. At this limit a tenth of it is dropped at once.
    pub limit: u32,
    /// Whether a program has the alternate screen.
    pub alternate: bool,
    /// The process of the pane, while it runs.
    pub pid: Option<i32>,
}

/// A pane's screen with the end of its history, all of one instant.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Capture {
    pub facts: Facts,
    /// The rows with their escape sequences: the last lines of the history, oldest first, and then each row of the
    /// screen.
    pub rows: Vec<Vec<u8>>,
}

impl Capture {
    /// How many rows of it are history.
    pub fn back(&self) -> usize {
        self.rows.len().saturating_sub(usize::from(self.facts.size.1))
    }
}
