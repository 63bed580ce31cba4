//! Which agents wait for which: two that wait for each other would wait for ever.

use std::sync::atomic::{AtomicU64, Ordering};

use super::talk_file::{self, TalkFile, Wait};
use super::{Actor, actor};
use crate::domain::guard::Refusal;
use crate::domain::id::SessionId;
use crate::ops::{Cx, OpResult};

/// A wait that has begun; it ends when this is dropped.
#[derive(Debug)]
pub struct Waiting {
    cx: Cx,
    noted: Option<Wait>,
}

/// Notes that the caller waits for these sessions, which it may see. Nothing is noted for a user.
///
/// # Errors
/// [`crate::ops::OpError::Guard`] if one of them waits for the caller.
pub fn begin_wait(cx: &Cx, on: &[SessionId]) -> OpResult<Waiting> {
    let waiting = |noted| Waiting { cx: cx.clone(), noted };
    let Actor::Agent(agent) = actor(cx)? else { return Ok(waiting(None)) };
    // Who only says that they are an agent keeps no agent from waiting.
    if agent.check_proven().is_err() {
        return Ok(waiting(None));
    }
    let process = i32::try_from(std::process::id()).ok().and_then(|pid| cx.host.started(pid));
    let (Some(who), Some(process)) = (agent.session.map(|s| s.id), process) else { return Ok(waiting(None)) };
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let wait = Wait { who: who.clone(), on: on.to_vec(), process, number };
    let closed = talk_file::change(cx, |file| {
        file.waits.retain(|w| cx.host.started(w.process.pid) == Some(w.process));
        let closed = on.iter().find(|id| waits_for(file, id, &who)).cloned();
        if closed.is_none() {
            file.waits.push(wait.clone());
        }
        closed
    })?;
    match closed {
        Some(id) => Err(Refusal::Ring(cx.session(&id)?.title).into()),
        None => Ok(waiting(Some(wait))),
    }
}

/// Whether one waits for the other, at once or through others.
fn waits_for(file: &TalkFile, one: &SessionId, other: &SessionId) -> bool {
    let mut seen = vec![one.clone()];
    let mut at = 0;
    while let Some(who) = seen.get(at).cloned() {
        let next = file.waits.iter().filter(|w| w.who == who).flat_map(|w| &w.on);
        for id in next {
            if id == other {
                return true;
            }
            if !seen.contains(id) {
                seen.push(id.clone());
            }
        }
        at += 1;
    }
    false
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let Some(wait) = self.noted.take() else { return };
        let gone = talk_file::change(&self.cx.uncancelled(), |file| file.waits.retain(|w| *w != wait));
        if let Err(error) = gone {
            // It counts no more once this process has ended.
            tracing::debug!(%error, "a wait that ended is still noted");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::session::StartedProcess;

    #[test]
    fn a_ring_is_seen_through_others() {
        let wait = |who: &str, on: &[&str]| Wait {
            who: SessionId::new(who),
            on: on.iter().map(|id| SessionId::new(*id)).collect(),
            process: StartedProcess { pid: 1, start: 1 },
            number: 0,
        };
        let waits = vec![wait("a", &["b", "x"]), wait("b", &["c"]), wait("x", &["x"])];
        let file = TalkFile { waits, ..TalkFile::default() };
        let is = |one: &str, other: &str| waits_for(&file, &SessionId::new(one), &SessionId::new(other));
        assert!(is("a", "b") && is("a", "c"));
        assert!(!is("c", "a") && !is("b", "a"));
    }
}
