//! The thread that follows the transcripts of sessions that carry conversations.
//!
//! Invariants: a transcript is read while its session's window moves and a moment longer, and then no more; nothing is read of
//! sessions that carry none; nothing waits for this thread.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::time::{Duration, Instant};

use crate::domain::conversation::Bookmark;
use crate::domain::id::SessionId;
use crate::domain::session::Session;
use crate::ops::talk::{self, Compacted, How};
use crate::ops::{Cancel, Cx, OpResult, Snapshot};
use crate::ports::conversations::Talk;
use crate::ports::mux::PaneRow;

/// The least time between two looks at one transcript.
const GAP: Duration = Duration::from_millis(700);
/// How often a transcript is looked at after its window moved: it is written a moment later than what is drawn.
const LOOKS: u8 = 4;

/// What is known of one session's transcript.
#[derive(Debug)]
struct Known {
    /// When its window moved last, in seconds.
    moved: i64,
    looked_at: Option<Instant>,
    /// How often it is still to be looked at.
    looks: u8,
}

/// Finds out which transcripts are to be read on, and hands them to the thread.
#[derive(Debug)]
pub struct Carried {
    jobs: SyncSender<(Arc<Snapshot>, Vec<SessionId>)>,
    known: BTreeMap<SessionId, Known>,
    cancel: Cancel,
}

impl Carried {
    /// Starts the thread; it ends with this.
    ///
    /// # Errors
    /// The system's error when there is no thread to be had.
    pub fn start(cx: &Cx) -> std::io::Result<Self> {
        let (jobs, given) = sync_channel(1);
        let cancel = Cancel::default();
        let cx = Cx { cancel: cancel.clone(), ..cx.clone() };
        std::thread::Builder::new().name("carried".to_owned()).spawn(move || Reader::new(cx).run(&given))?;
        Ok(Self { jobs, known: BTreeMap::new(), cancel })
    }

    /// Takes a poll.
    pub fn follow(&mut self, snapshot: &Arc<Snapshot>) {
        let now = Instant::now();
        let due = due(&mut self.known, snapshot, now);
        if due.is_empty() {
            return;
        }
        // A thread that is still reading gets them with a later poll.
        match self.jobs.try_send((snapshot.clone(), due.clone())) {
            Ok(()) => {
                for id in due {
                    if let Some(known) = self.known.get_mut(&id) {
                        known.looks = known.looks.saturating_sub(1);
                        known.looked_at = Some(now);
                    }
                }
            }
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => {}
        }
    }
}

impl Drop for Carried {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

/// The sessions whose transcripts are to be looked at.
fn due(known: &mut BTreeMap<SessionId, Known>, snapshot: &Snapshot, now: Instant) -> Vec<SessionId> {
    let mut due = Vec::new();
    for session in snapshot.profile.live_sessions().filter(|session| session.carries.is_some()) {
        let row = snapshot.state(&session.id).and_then(|state| state.row.as_ref());
        // What a session said before it ended was read while it ran, or is read when somebody asks.
        let Some(row) = row.filter(|row| row.facts.dead.is_none()) else { continue };
        let moved = row.facts.activity;
        let known = known.entry(session.id.clone()).or_insert(Known { moved, looked_at: None, looks: LOOKS });
        if known.moved != moved {
            (known.moved, known.looks) = (moved, LOOKS);
        }
        let is_rested = known.looked_at.is_none_or(|at| now.duration_since(at) >= GAP);
        if known.looks > 0 && is_rested {
            due.push(session.id.clone());
        }
    }
    known.retain(|id, _| snapshot.profile.session(id).is_some_and(|session| session.carries.is_some()));
    due
}

/// What is on the thread.
struct Reader {
    cx: Cx,
    /// How far each transcript was read.
    ahead: BTreeMap<SessionId, Bookmark>,
    /// At which record of a conversation its compaction was last tried.
    tried: BTreeMap<SessionId, u64>,
    /// Whether a conversation is being compacted: one at a time.
    compacts: Arc<AtomicBool>,
}

impl Reader {
    fn new(cx: Cx) -> Self {
        Self { cx, ahead: BTreeMap::new(), tried: BTreeMap::new(), compacts: Arc::default() }
    }

    fn run(mut self, given: &Receiver<(Arc<Snapshot>, Vec<SessionId>)>) {
        while let Ok((snapshot, ids)) = given.recv() {
            for id in &ids {
                if self.cx.cancel.is_cancelled() {
                    return;
                }
                let Some(session) = snapshot.profile.session(id) else { continue };
                let row = snapshot.state(id).and_then(|state| state.row.as_ref());
                if let Err(error) = self.look(session, row) {
                    tracing::warn!(session = %id, %error, "can't read on in the transcript of a session");
                }
            }
            self.ahead.retain(|id, _| snapshot.profile.session(id).is_some());
        }
    }

    fn look(&mut self, session: &Session, row: Option<&PaneRow>) -> OpResult<()> {
        let Some(carries) = &session.carries else { return Ok(()) };
        let root = Path::new(&carries.root);
        let found = talk::read(&self.cx, root, &carries.id)?;
        let is_followed =
            found.state.carrier.as_ref().is_some_and(|carrier| carrier.session == session.id.as_str());
        let caught = if is_followed {
            let ahead = self.ahead.get(&session.id).cloned().unwrap_or_default();
            talk::listen(&self.cx, &found, session, row, &ahead)?
        } else {
            talk::catch_up(&self.cx, &found)?
        };
        self.ahead.insert(session.id.clone(), caught.ahead);
        let now = Talk { state: caught.state, ..found };
        if talk::due(&self.cx, &now.state) && self.tried.get(&session.id) != Some(&now.state.seq) {
            self.tried.insert(session.id.clone(), now.state.seq);
            self.compact(now);
        }
        Ok(())
    }

    /// Compacts deck's own record of a conversation, beside everything else: a model may take minutes.
    fn compact(&self, of: Talk) {
        if self.compacts.swap(true, Ordering::AcqRel) {
            return;
        }
        let (cx, busy) = (self.cx.clone(), self.compacts.clone());
        let run = move || {
            match talk::compact(&cx, &of, How::default()) {
                Ok(Compacted::Nothing(why)) => {
                    tracing::info!(id = %of.state.id, why, "nothing was compacted")
                }
                Ok(Compacted::NotDue { .. } | Compacted::Done(_)) => {}
                Err(error) => tracing::warn!(id = %of.state.id, %error, "can't compact a conversation"),
            }
            busy.store(false, Ordering::Release);
        };
        if let Err(error) = std::thread::Builder::new().name("compact".to_owned()).spawn(run) {
            tracing::warn!(%error, "can't compact a conversation");
            self.compacts.store(false, Ordering::Release);
        }
    }
}
