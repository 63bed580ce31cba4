//! How many lines changed in the folder of the session that the user is viewing, read on a thread of its own.
//!
//! Invariant: git is started only when the branch, the commit or the index has moved, a turn has begun or ended, or
//! another session is selected; one reading at a time, which ends when its session is left.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use jiff::Timestamp;
use tokio::sync::mpsc::Sender;

use crate::app::Msg;
use crate::domain::diff::Against;
use crate::domain::id::SessionId;
use crate::domain::session::Session;
use crate::domain::status::Status;
use crate::ops::{self, Cancel, Cx, SessionState};
use crate::ports::git::Lines;

/// What the numbers are read for: another one of these needs another reading.
type Key = (SessionId, Option<u64>, Option<Timestamp>);

/// Reads the numbers when they may be others.
pub(super) struct WorktreeReader {
    read: Option<Key>,
    is_reading: Arc<AtomicBool>,
    /// Ends the last reading.
    cancel: Cancel,
}

impl WorktreeReader {
    pub fn new() -> Self {
        Self { read: None, is_reading: Arc::default(), cancel: Cancel::default() }
    }

    /// Reads the numbers of a session's folder, if something moved there.
    pub fn follow(&mut self, cx: &Cx, loop_: &Sender<Msg>, session: &Session, state: Option<&SessionState>) {
        if self.is_reading.load(Ordering::SeqCst) {
            if self.read.as_ref().is_some_and(|(id, ..)| *id != session.id) {
                // Nobody waits for it any more; this session is read when it has ended.
                self.cancel.cancel();
                self.read = None;
            }
            return;
        }
        let works = |s: &SessionState| matches!(s.verdict.status, Status::Running | Status::Starting);
        let turn = state.filter(|s| !works(s)).map(|s| s.verdict.since);
        let stamp = cx.git.stamp(Path::new(&session.project_path));
        let key = (session.id.clone(), stamp, turn);
        if self.read.as_ref() == Some(&key) {
            return;
        }
        self.read = Some(key);
        self.is_reading.store(true, Ordering::SeqCst);
        self.cancel = Cancel::default();
        let cx = Cx { cancel: self.cancel.clone(), ..cx.clone() };
        let (loop_, session, flag) = (loop_.clone(), session.clone(), self.is_reading.clone());
        let run = std::thread::Builder::new().name("worktree".to_owned()).spawn(move || {
            let read = if stamp.is_some() {
                ops::diff(&cx, &session, &Against::Head, &Lines::None).ok()
            } else {
                None
            };
            let changes = read.filter(|d| !d.files.is_empty()).map(|d| d.totals());
            if !cx.cancel.is_cancelled() {
                // A loop that is gone needs no answer.
                let _ = loop_.blocking_send(Msg::Changes(session.id, changes));
            }
            flag.store(false, Ordering::SeqCst);
        });
        if let Err(error) = run {
            self.is_reading.store(false, Ordering::SeqCst);
            tracing::warn!(%error, "can't read what changed in a folder");
        }
    }
}

impl Drop for WorktreeReader {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}
