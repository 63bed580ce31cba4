//! The last changes of each session's status.

use std::io;

use crate::domain::id::SessionId;
use crate::domain::status::Change;

/// How many changes are kept of a session.
pub const KEPT: usize = 50;

/// Keeps the last changes of status. Losing one loses an explanation, nothing else.
pub trait History: Send + Sync {
    /// Keeps a change, unless it is the last one that is kept.
    ///
    /// # Errors
    /// The system's error.
    fn note(&self, session: &SessionId, change: &Change) -> io::Result<()>;

    /// The last [`KEPT`] changes, oldest first.
    ///
    /// # Errors
    /// The system's error; a session without any has none.
    fn changes(&self, session: &SessionId) -> io::Result<Vec<Change>>;
}
