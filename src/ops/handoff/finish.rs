//! Finishing handoffs that a killed process began.

use std::time::Duration;

use jiff::SignedDuration;

use super::{RECEIPT, complete, lock_file, mark, packet_file, receipt_of, sha256};
use crate::domain::handoff::{Handoff, HandoffState};
use crate::ops::{Cx, OpError, OpResult};

/// Finishes or gives up what was begun and is not done, unless a process works on it. Nothing is sent again: whether the packet
/// arrived is in the other agent's transcript.
///
/// # Errors
/// [`OpError`] when the profile can't be read or written.
pub fn finish(cx: &Cx) -> OpResult<()> {
    let profile = cx.profile.store.load()?.profile;
    let is_open = |handoff: &&Handoff| matches!(handoff.state, HandoffState::Begun | HandoffState::Recorded);
    for handoff in profile.handoffs.iter().filter(is_open) {
        let file = lock_file(cx, &handoff.from);
        let failed = |source| OpError::CheckpointFile { file: file.clone(), source };
        let Some(held) = cx.host.hold(&file, Duration::ZERO, &cx.cancel).map_err(failed)? else { continue };
        let done = one(cx, handoff);
        cx.host.release(&file, held);
        done?;
    }
    Ok(())
}

fn one(cx: &Cx, handoff: &Handoff) -> OpResult<()> {
    // Somebody may have finished it meanwhile.
    let profile = cx.profile.store.load()?.profile;
    let Some(now) = profile.handoffs.iter().find(|other| other.id == handoff.id) else { return Ok(()) };
    if !matches!(now.state, HandoffState::Begun | HandoffState::Recorded) {
        return Ok(());
    }
    let to = profile.live_sessions().find(|session| session.handoff.as_deref() == Some(&now.id));
    let Some(to) = to else {
        return mark(cx, &now.id, None, HandoffState::Failed("nothing was started".to_owned()));
    };
    // Without the very packet nothing can be said to have arrived.
    let packet = cx.host.read(&packet_file(cx, &now.id)).ok().filter(|packet| sha256(packet) == now.sha256);
    let receipt = packet.map(|packet| receipt_of(cx, &to.id, &now.id, &packet)).transpose()?.flatten();
    if receipt.is_some() {
        if to.id == now.from {
            // It continues in a conversation of its own: nothing else is to be done.
            return mark(cx, &now.id, Some(&to.id), HandoffState::Done);
        }
        mark(cx, &now.id, Some(&to.id), HandoffState::Recorded)?;
        return complete(cx, &now.id, &now.from, &to.id, now.keep).map(drop);
    }
    let limit = SignedDuration::try_from(RECEIPT).unwrap_or_default();
    if cx.clock.now().duration_since(now.at) < limit {
        // It may still arrive.
        return Ok(());
    }
    mark(cx, &now.id, Some(&to.id), HandoffState::Failed("it was not confirmed".to_owned()))
}
