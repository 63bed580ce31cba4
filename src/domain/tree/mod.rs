//! The tree of groups and sessions: changing it, and laying it out as rows.

mod edit;
mod order;
mod rows;

pub use edit::{DeleteMode, GroupError};
pub use order::Slot;
pub use rows::{GroupRow, Row, RowKey, SessionRow, in_row_order, rows};
