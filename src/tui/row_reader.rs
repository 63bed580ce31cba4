//! The thread that reads what rows show beside a status: branches, and the ends of conversations.
//!
//! Invariants: a session is read when it is first seen and when something has become of its conversation, which shows
//! in its status; never because time passed. What its folder is on is known of all sessions there then. Nothing waits for
//! this thread.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use tokio::sync::mpsc::Sender;

use crate::app::Msg;
use crate::domain::id::SessionId;
use crate::domain::session::Session;
use crate::domain::status::{Reason, Status};
use crate::ops::{Cancel, Cx, RowFacts, RowFactsReader, SessionState, Snapshot};
use crate::ports::mux::PaneRow;

/// The least time between two readings of one session: an agent at work moves often.
const GAP: Duration = Duration::from_secs(2);
/// How often what was read is shown while there is more to read.
const SHOWN_EVERY: Duration = Duration::from_millis(200);

/// What a session's facts were read for.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Key {
    folder: String,
    conversation: Option<String>,
    status: Option<Status>,
    reason: Option<Reason>,
    since: Option<Timestamp>,
}

impl Key {
    fn of(session: &Session, state: Option<&SessionState>) -> Self {
        let verdict = state.map(|l| &l.verdict);
        let carried = state.and_then(|l| l.row.as_ref()).and_then(PaneRow::conversation);
        Self {
            folder: session.project_path.clone(),
            conversation: carried.map(str::to_owned).or_else(|| session.resume.id.clone()),
            status: verdict.map(|v| v.status),
            reason: verdict.and_then(|v| v.reason.clone()),
            since: verdict.map(|v| v.since),
        }
    }
}

/// Finds out which sessions are to be read, and hands them to the thread.
pub(super) struct RowReader {
    jobs: SyncSender<(Arc<Snapshot>, Vec<SessionId>)>,
    read: BTreeMap<SessionId, (Key, Instant)>,
    cancel: Cancel,
}

impl RowReader {
    /// Starts the thread; it ends with this.
    pub fn start(cx: Cx, loop_: Sender<Msg>) -> std::io::Result<Self> {
        let (jobs, given) = sync_channel(1);
        let cancel = Cancel::default();
        let cx = Cx { cancel: cancel.clone(), ..cx };
        std::thread::Builder::new().name("rows".to_owned()).spawn(move || read_all(&cx, &loop_, &given))?;
        Ok(Self { jobs, read: BTreeMap::new(), cancel })
    }

    /// Takes a poll.
    pub fn follow(&mut self, snapshot: &Arc<Snapshot>) {
        let now = Instant::now();
        let mut due = Vec::new();
        for session in snapshot.profile.live_sessions() {
            let key = Key::of(session, snapshot.state(&session.id));
            let is_due = self
                .read
                .get(&session.id)
                .is_none_or(|(last, at)| *last != key && now.duration_since(*at) >= GAP);
            if is_due {
                due.push((session.id.clone(), key));
            }
        }
        if due.is_empty() {
            return;
        }
        let ids = due.iter().map(|(id, _)| id.clone()).collect();
        // A thread that is still reading gets them with a later poll.
        match self.jobs.try_send((snapshot.clone(), ids)) {
            Ok(()) => self.read.extend(due.into_iter().map(|(id, key)| (id, (key, now)))),
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => {}
        }
    }
}

impl Drop for RowReader {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

fn read_all(cx: &Cx, loop_: &Sender<Msg>, given: &Receiver<(Arc<Snapshot>, Vec<SessionId>)>) {
    let mut reader = RowFactsReader::default();
    let mut known: BTreeMap<SessionId, RowFacts> = BTreeMap::new();
    while let Ok((snapshot, ids)) = given.recv() {
        let sessions = snapshot.profile.by_id();
        let mut folders: BTreeMap<&str, RowFacts> = BTreeMap::new();
        let mut read = Vec::new();
        let mut sent = Instant::now();
        for id in &ids {
            let Some(session) = sessions.get(id) else { continue };
            let facts = reader.read(cx, session, snapshot.state(id));
            if cx.cancel.is_cancelled() {
                return;
            }
            folders.insert(&session.project_path, facts.clone());
            known.insert(id.clone(), facts.clone());
            read.push((id.clone(), facts));
            // One slow folder keeps no other from being shown.
            if sent.elapsed() >= SHOWN_EVERY {
                if loop_.blocking_send(Msg::RowFacts(std::mem::take(&mut read))).is_err() {
                    return;
                }
                sent = Instant::now();
            }
        }
        known.retain(|id, _| sessions.contains_key(id));
        let due: BTreeSet<&SessionId> = ids.iter().collect();
        for (id, facts) in &mut known {
            let folder = sessions.get(id).and_then(|s| folders.get(s.project_path.as_str()));
            let Some(folder) = folder.filter(|_| !due.contains(id)) else { continue };
            facts.branch.clone_from(&folder.branch);
            facts.ahead_behind = folder.ahead_behind;
            read.push((id.clone(), facts.clone()));
        }
        if loop_.blocking_send(Msg::RowFacts(read)).is_err() {
            return;
        }
    }
}
