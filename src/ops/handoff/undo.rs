//! Undoing a handoff: the first session continues under its own id, the other one is stopped and kept.

use super::{catch_up, mark};
use crate::domain::handoff::HandoffState;
use crate::domain::talk::Carries;
use crate::ops::launch::start;
use crate::ops::stop::{Terminals, stop};
use crate::ops::{Cx, OpError, OpResult};
use crate::ports::transact;

/// Undoes the handoff that was done last, if that is what was done last in the profile.
pub(in crate::ops) fn undo(cx: &Cx) -> OpResult<()> {
    let profile = cx.profile.store.load()?.profile;
    let Some(change) = profile.changes.last().filter(|c| Some(c.at) >= profile.last_deletion()) else {
        return Ok(());
    };
    let handoff = change.handoff.as_ref().and_then(|id| profile.handoffs.iter().find(|h| h.id == *id));
    let Some(handoff) = handoff else { return Ok(()) };
    match start(cx, &handoff.from, false, None) {
        Ok(_) | Err(OpError::Running(_)) => {}
        Err(error) => return Err(error),
    }
    if let Some(to) = handoff.to.as_ref().filter(|to| profile.session(to).is_some_and(|s| s.is_live())) {
        stop(cx, to, Terminals::Keep)?;
    }
    if let Some(carried) = &handoff.carried {
        // What the other agent has said belongs to it.
        catch_up(cx, carried);
    }
    transact(&*cx.profile.store, |profile| {
        // What it came to carry since stays with it.
        let is_that = |carries: &Carries| handoff.carried.as_ref().is_some_and(|c| c.id == carries.id);
        let to = handoff.to.as_ref().and_then(|to| profile.session_mut(to));
        let back = to.and_then(|to| to.carries.take_if(|carries| is_that(carries)));
        if let Some(session) = profile.session_mut(&handoff.from) {
            session.handed_to = None;
            session.carries = session.carries.take().or(back);
        }
        Ok::<_, OpError>(())
    })?;
    mark(cx, &handoff.id, None, HandoffState::Undone)
}
