//! The thread that follows the transcripts of sessions that carry conversations.
//!
//! Invariants: a transcript is read while its session's window moves and a moment longer, and then no more; nothing is read of
//! sessions that carry none; nothing waits for this thread.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::domain::conversation::Bookmark;
use crate::domain::id::SessionId;
use crate::domain::session::Session;
use crate::domain::status::StatusKind;
use crate::ops::handoff;
use crate::ops::talk::{self, Compacted, How};
use crate::ops::{Cancel, Cx, OpResult, SessionState, Snapshot};
use crate::ports::conversations::Talk;
use crate::ports::mux::PaneRow;

/// The least time between two looks at one transcript.
const GAP: Duration = Duration::from_millis(700);
/// How often a transcript is looked at after its window moved: it is written a moment later than what is drawn.
const LOOKS: u8 = 4;

/// Sessions for which something is to be done once what is being done for another one is over.
type Waiting = Arc<Mutex<BTreeSet<SessionId>>>;

fn lock(waiting: &Waiting) -> MutexGuard<'_, BTreeSet<SessionId>> {
    waiting.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What is known of one session's transcript.
#[derive(Debug)]
struct Known {
    /// When its window moved last, in seconds, and whether it was at rest then.
    moved: (i64, bool),
    looked_at: Option<Instant>,
    /// How often it is still to be looked at.
    looks: u8,
}

/// Finds out which transcripts are to be read on, and hands them to the thread.
#[derive(Debug)]
pub struct Carried {
    jobs: SyncSender<(Arc<Snapshot>, Vec<SessionId>)>,
    known: BTreeMap<SessionId, Known>,
    again: Waiting,
    cancel: Cancel,
}

impl Carried {
    /// Starts the thread; it ends with this.
    ///
    /// # Errors
    /// The system's error when there is no thread to be had.
    pub fn start(cx: &Cx) -> std::io::Result<Self> {
        let (jobs, given) = sync_channel(1);
        let again = Waiting::default();
        let waiting = again.clone();
        let cancel = Cancel::default();
        let cx = Cx { cancel: cancel.clone(), ..cx.clone() };
        std::thread::Builder::new()
            .name("carried".to_owned())
            .spawn(move || Reader::new(cx, waiting).run(&given))?;
        Ok(Self { jobs, known: BTreeMap::new(), again, cancel })
    }

    /// Takes a poll.
    pub fn follow(&mut self, snapshot: &Arc<Snapshot>) {
        let now = Instant::now();
        let due = due(&mut self.known, snapshot, &lock(&self.again).clone(), now);
        if due.is_empty() {
            return;
        }
        // A thread that is still reading gets them with a later poll.
        match self.jobs.try_send((snapshot.clone(), due.clone())) {
            Ok(()) => {
                for id in due {
                    lock(&self.again).remove(&id);
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

/// Whether its agent waits for its user, who has seen what it did.
fn is_at_rest(state: &SessionState) -> bool {
    state.verdict.kind() == StatusKind::Idle
}

/// The sessions whose transcripts are to be looked at.
fn due(
    known: &mut BTreeMap<SessionId, Known>,
    snapshot: &Snapshot,
    again: &BTreeSet<SessionId>,
    now: Instant,
) -> Vec<SessionId> {
    let mut due = Vec::new();
    for session in snapshot.profile.live_sessions().filter(|session| session.carries.is_some()) {
        let state = snapshot.state(&session.id);
        let row = state.and_then(|state| state.row.as_ref());
        // What a session said before it ended was read while it ran, or is read when somebody asks.
        let Some(row) = row.filter(|row| row.facts.dead.is_none()) else { continue };
        let moved = (row.facts.activity, state.is_some_and(is_at_rest));
        let known = known.entry(session.id.clone()).or_insert(Known { moved, looked_at: None, looks: LOOKS });
        if known.moved != moved {
            (known.moved, known.looks) = (moved, LOOKS);
        }
        let is_rested = known.looked_at.is_none_or(|at| now.duration_since(at) >= GAP);
        if (known.looks > 0 || again.contains(&session.id)) && is_rested {
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
    /// The conversations of agents that were left for new ones, or could not be.
    rolled: BTreeMap<SessionId, String>,
    /// Whether a conversation is being compacted, or a new one begun: one at a time.
    busy: Arc<AtomicBool>,
    again: Waiting,
}

impl Reader {
    fn new(cx: Cx, again: Waiting) -> Self {
        Self {
            cx,
            ahead: BTreeMap::new(),
            tried: BTreeMap::new(),
            rolled: BTreeMap::new(),
            busy: Arc::default(),
            again,
        }
    }

    fn run(mut self, given: &Receiver<(Arc<Snapshot>, Vec<SessionId>)>) {
        while let Ok((snapshot, ids)) = given.recv() {
            for id in &ids {
                if self.cx.cancel.is_cancelled() {
                    return;
                }
                let Some(session) = snapshot.profile.session(id) else { continue };
                let state = snapshot.state(id);
                let rests =
                    state.is_some_and(|s| matches!(s.verdict.kind(), StatusKind::Idle | StatusKind::Done));
                if let Err(error) = self.look(session, state.and_then(|state| state.row.as_ref()), rests) {
                    tracing::warn!(session = %id, %error, "can't read on in the transcript of a session");
                }
            }
            self.ahead.retain(|id, _| snapshot.profile.session(id).is_some());
        }
    }

    fn look(&mut self, session: &Session, row: Option<&PaneRow>, rests: bool) -> OpResult<()> {
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
        if rests {
            self.roll_over(session, &now)?;
        }
        if talk::due(&self.cx, &now.state) && self.tried.get(&session.id) != Some(&now.state.seq) {
            self.compact(session, now);
        }
        Ok(())
    }

    /// Begins a new conversation of an agent whose context is full, if its role wants that.
    fn roll_over(&mut self, session: &Session, of: &Talk) -> OpResult<()> {
        let carrier = of.state.carrier.as_ref();
        let conversation = carrier.map(|carrier| carrier.bookmark.conversation.clone()).unwrap_or_default();
        if self.rolled.get(&session.id) == Some(&conversation) || !handoff::is_rollover_due(&self.cx, of)? {
            return Ok(());
        }
        let id = session.id.clone();
        let begun = self.beside(session, move |cx| match handoff::roll_over(cx, &id) {
            Ok(receipt) => tracing::info!(session = %id, receipt = receipt.word(), "its agent began anew"),
            Err(error) => tracing::warn!(session = %id, %error, "can't begin a new conversation"),
        });
        if begun {
            self.rolled.insert(session.id.clone(), conversation);
        }
        Ok(())
    }

    /// Compacts deck's own record of a conversation: a model may take minutes.
    fn compact(&mut self, session: &Session, of: Talk) {
        let seq = of.state.seq;
        let begun = self.beside(session, move |cx| match talk::compact(cx, &of, How::default()) {
            Ok(Compacted::Nothing(why)) => {
                tracing::info!(id = %of.state.id, why, "nothing was compacted");
            }
            Ok(Compacted::NotDue { .. } | Compacted::Done(_)) => {}
            Err(error) => tracing::warn!(id = %of.state.id, %error, "can't compact a conversation"),
        });
        if begun {
            self.tried.insert(session.id.clone(), seq);
        }
    }

    /// Does something that takes long for a session, beside everything else. While something else is being done so the session
    /// is looked at again later; returns whether it was begun.
    fn beside(&self, session: &Session, act: impl FnOnce(&Cx) + Send + 'static) -> bool {
        if self.busy.swap(true, Ordering::AcqRel) {
            lock(&self.again).insert(session.id.clone());
            return false;
        }
        let (cx, busy) = (self.cx.clone(), self.busy.clone());
        let run = move || {
            act(&cx);
            busy.store(false, Ordering::Release);
        };
        if let Err(error) = std::thread::Builder::new().name("conversation".to_owned()).spawn(run) {
            tracing::warn!(%error, "can't start a thread for a conversation");
            self.busy.store(false, Ordering::Release);
        }
        true
    }
}
