//! Turns: an undo begins when the commands before it have ended, and those after it wait for it. All others go
//! side by side.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Waker};

use tokio::sync::{OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock};

use crate::app::{Effect, Subject};

/// Who waits for whom, in one profile's record.
#[derive(Debug, Clone, Default)]
pub(super) struct Turns(Arc<RwLock<()>>);

/// A turn: as long as it is kept, what has to wait for it waits.
pub(super) enum Turn {
    Beside { _held: OwnedRwLockReadGuard<()> },
    Alone { _held: OwnedRwLockWriteGuard<()> },
}

/// A place in the queue.
pub(super) type Place = Pin<Box<dyn Future<Output = Turn> + Send>>;

impl Turns {
    /// Takes the next place in the queue for these effects, now: none for what works on no record.
    pub fn next(&self, subject: &Subject, effects: &[Effect]) -> Option<Place> {
        if *subject != Subject::Record {
            return None;
        }
        let lock = self.0.clone();
        let mut place: Place = if effects.contains(&Effect::Undo) {
            Box::pin(async move { Turn::Alone { _held: lock.write_owned().await } })
        } else {
            Box::pin(async move { Turn::Beside { _held: lock.read_owned().await } })
        };
        // A lock gives the places away at the first poll: tasks would be polled in any order.
        match place.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            std::task::Poll::Ready(turn) => Some(Box::pin(std::future::ready(turn))),
            std::task::Poll::Pending => Some(place),
        }
    }
}
