//! Turns that nobody had seen when their session was lost with its server.
//!
//! What was seen went with the server; the history of changes has it.

use super::Cx;
use crate::domain::session::{DesiredState, Session};
use crate::domain::status::{Change, Reason, Status};

/// Whether a session that is gone had ended a turn that its user had not seen. One that its user stopped was seen.
pub(super) fn was_unseen(cx: &Cx, session: &Session) -> bool {
    if session.wanted != DesiredState::Running {
        return false;
    }
    let changes = cx.history.changes(&session.id).unwrap_or_else(|error| {
        tracing::warn!(session = %session.id, %error, "can't read what its last status was");
        Vec::new()
    });
    changes.iter().rev().find(|c| !is_of_loss(c)).is_some_and(is_finished)
}

/// The loss itself, and a start that was lost again before the agent was up.
fn is_of_loss(change: &Change) -> bool {
    change.status == Status::Starting || change.reason == Some(Reason::Gone)
}

fn is_finished(change: &Change) -> bool {
    change.status == Status::Waiting && change.reason == Some(Reason::Finished)
}
