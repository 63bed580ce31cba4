//! Why a session's work is not handed over.

use crate::domain::session::SessionName;

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HandoffError {
    #[error("session {0} asks something: it is not handed over before that is answered")]
    Asks(SessionName),
    #[error("session {0} is working: what it does now would be lost")]
    Works(SessionName),
    #[error("session {0} has no transcript that could be handed over")]
    NoTranscript(SessionName),
    #[error("session {0} is being handed over already")]
    UnderWay(SessionName),
    /// The first session is as it was.
    #[error("{to} was started, but did not confirm the handoff {id}: {why}")]
    NoReceipt { to: SessionName, id: String, why: String, is_over: bool },
}
