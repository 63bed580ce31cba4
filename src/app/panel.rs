//! What a dialog shows, as data: the TUI draws it, tests read it.

pub use super::role::{Role, role_of};

/// A piece of text with its meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// What it means.
    pub role: Role,
    pub text: String,
}

/// A piece of text.
pub fn span(role: Role, text: impl Into<String>) -> Span {
    Span { role, text: text.into() }
}

/// What is between two choices of a line.
pub const BETWEEN: &str = "   ";

/// One line, or group of lines, of a dialog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Block {
    /// A text field.
    Field {
        /// Its name.
        label: String,
        text: String,
        /// The caret, in characters, when it has the focus.
        caret: Option<usize>,
        /// What is beside it.
        note: Option<Span>,
    },
    /// A line of choices.
    Choices {
        /// Its name.
        label: String,
        /// The choices, as they are drawn.
        spans: Vec<Span>,
        /// Whether it has the focus.
        focused: bool,
    },
    /// A line of text, wrapped.
    Line(Vec<Span>),
    /// The same, however many lines it takes.
    Text(Vec<Span>),
    /// Something to choose, as many lines as it takes.
    Choice {
        /// What is before its first line.
        lead: Span,
        /// Its text.
        spans: Vec<Span>,
        /// Whether it is the chosen one.
        selected: bool,
    },
    /// A row of a list.
    Item {
        /// Its text.
        spans: Vec<Span>,
        /// What is at its right end.
        right: Vec<Span>,
        /// Whether it is the chosen one.
        selected: bool,
    },
    /// A hairline.
    Rule,
    /// A blank line.
    Gap,
}

/// Where a dialog is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Place {
    /// In the middle, over everything.
    #[default]
    Middle,
    /// Beside the session's capture: it is about what is shown there.
    BesideCapture,
    /// At the bottom of the capture, which is moved up: what is answered to can be read.
    BelowCapture,
    /// At the bottom, over the whole width.
    Bottom,
}

/// A dialog as it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Panel {
    /// Its header.
    pub title: String,
    /// The keys it takes: key and what it does.
    pub keys: Vec<(String, String)>,
    /// Its lines.
    pub blocks: Vec<Block>,
    /// The width it would like, in cells.
    pub width: u16,
    pub place: Place,
    /// Whether a row of a list has one line: the selected one is shown as a whole elsewhere.
    pub one_line: bool,
}
