//! Continuing a session's work in a new conversation of the same agent, since the context of the old one is full.
//!
//! Invariants: as for a handoff, the intent is on disk first and the packet is sent once; the old conversation's id stays in the
//! session's record, and nothing of it is removed.

use std::time::Duration;

use super::{HandoffError, Receipt, Wish, await_receipt, begun, lock_file, mark, packet_file, ready};
use crate::domain::handoff::HandoffState;
use crate::domain::id::SessionId;
use crate::ops::restart::restart_with;
use crate::ops::send::{SendOptions, paste_when_ready};
use crate::ops::talk;
use crate::ops::{Cx, OpError, OpResult};
use crate::ports::transact;

/// Begins a new conversation of a session that is idle, with what must be known of the old one as its first prompt.
///
/// # Errors
/// [`HandoffError`] and others. Once the new conversation has begun, the old one's id is in the session's record.
pub fn roll_over(cx: &Cx, id: &SessionId) -> OpResult<Receipt> {
    let session = cx.session(id)?;
    let file = lock_file(cx, id);
    let failed = |source| OpError::CheckpointFile { file: file.clone(), source };
    let held = cx.host.hold(&file, Duration::ZERO, &cx.cancel).map_err(failed)?;
    let held = held.ok_or_else(|| HandoffError::UnderWay(session.name()))?;
    let done = under_lock(cx, id);
    cx.host.release(&file, held);
    done
}

fn under_lock(cx: &Cx, id: &SessionId) -> OpResult<Receipt> {
    let session = cx.session(id)?;
    let wish = Wish { to: session.tool.clone(), keep: true, ..Wish::default() };
    let ready = ready(cx, id, &wish, true)?;
    if let Some(carries) = &session.carries {
        // The last of the old conversation.
        talk::catch_up(cx, &talk::read(cx, std::path::Path::new(&carries.root), &carries.id)?)?;
    }
    let file = packet_file(cx, &ready.id);
    let failed = |source| OpError::CheckpointFile { file: file.clone(), source };
    cx.host.put(&file, &ready.packet).map_err(failed)?;
    begun(cx, id, &wish, &ready)?;
    transact(&*cx.profile.store, |profile| {
        if let Some(session) = profile.session_mut(id) {
            session.handoff = Some(ready.id.clone());
        }
        Ok::<_, OpError>(())
    })?;
    cx.host.reached("rollover-begun");
    let restarted = restart_with(cx, id, true, Some(&ready.packet));
    let restarted = restarted.inspect_err(|error| give_up(cx, &ready.id, id, &error.to_string()))?;
    mark(cx, &ready.id, Some(id), HandoffState::Begun)?;
    cx.host.reached("rollover-started");
    if let Some(text) = restarted.launched.plan.paste.clone() {
        paste_when_ready(cx, id, &text, SendOptions::default())?;
    }
    let receipt = await_receipt(cx, &cx.session(id)?, &ready)?;
    mark(cx, &ready.id, Some(id), HandoffState::Done)?;
    Ok(receipt)
}

fn give_up(cx: &Cx, handoff: &str, id: &SessionId, why: &str) {
    if let Err(error) = mark(cx, handoff, Some(id), HandoffState::Failed(why.to_owned())) {
        tracing::warn!(%error, "can't record that a new conversation was not begun");
    }
}
