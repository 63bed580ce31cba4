//! The tree of groups, sessions and headless shells: changing it, and laying it out as rows.

mod edit;
mod order;
mod rows;
mod shells;

pub use edit::{DeleteMode, GroupError};
pub use order::Slot;
pub use rows::{GroupRow, Row, RowKey, SessionRow, in_row_order, rows};
pub use shells::{ShellNode, ShellRow, ShellsRow, with_shells};
