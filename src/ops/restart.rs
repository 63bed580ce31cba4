//! Restarting a session in tiers: the same pane, else a new one; the conversation is resumed.

use super::launch::{self, Launched};
use super::panes::find_row;
use super::stop::end_processes;
use super::{Cx, OpResult, guard};
use crate::domain::guard::Act;
use crate::domain::id::SessionId;

/// What a restart did.
#[derive(Debug, Clone)]
pub struct Restarted {
    /// What runs now.
    pub launched: Launched,
    /// Whether a conversation is resumed.
    pub resumed: bool,
}

/// Ends the agent and starts it again in the same pane, with its conversation unless `fresh`.
///
/// # Errors
/// [`super::OpError`]; what can be known beforehand is checked before anything is ended.
pub fn restart(cx: &Cx, id: &SessionId, fresh: bool) -> OpResult<Restarted> {
    restart_with(cx, id, fresh, None)
}

/// The same, with a first prompt.
///
/// # Errors
/// As for [`restart`].
pub(super) fn restart_with(
    cx: &Cx,
    id: &SessionId,
    fresh: bool,
    prompt: Option<&str>,
) -> OpResult<Restarted> {
    let session = cx.session(id)?;
    guard::check(cx, Act::Start, &session)?;
    let session = super::worktree::complete(cx, &session)?;
    launch::preview(cx, &session, fresh, prompt)?;
    let row = find_row(cx, &session)?;
    let has_adopted = row.as_ref().is_some_and(|r| r.tags.adopted.is_some());
    let mut session = session;
    // From here on an interruption would leave it ended.
    let _whole = cx.cancel.hold_off();
    cx.check_cancelled()?;
    if let Some(row) = &row {
        // Respawning alone sends a hang-up that some agents survive.
        end_processes(cx, &session, row)?;
    }
    let row = match row {
        Some(row) if has_adopted => {
            session = super::adopt::rehome(cx, &session, &row)?;
            None
        }
        row => row,
    };
    let launched = launch::launch(cx, &session, fresh, prompt, row.as_ref())?;
    let resumed = !fresh && launched.plan.id.is_some() && session.resume.id.is_some();
    Ok(Restarted { launched, resumed })
}
