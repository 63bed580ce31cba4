//! The thread that polls all sessions: for the TUI, for notifications, for the status line of attached sessions.
//!
//! Invariants: it sends only what changed and never waits for the loop; while something else has the
//! terminal it keeps polling but sends nothing, and while deck is suspended it rests.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::sync::mpsc::Sender;
use tokio::sync::mpsc::error::TrySendError;

use super::workers::PollerMsg;
use crate::app::Msg;
use crate::config::{self, Loaded, Notify};
use crate::domain::id::SessionId;
use crate::domain::session::Session;
use crate::ops::{Cx, Notifier, Snapshot, StatusLine, Watcher, count_of, preview_header};
use crate::ports::mux::PaneRow;
use crate::sys::spawn;
use crate::wiring::{LiveTools, ToolsStamp};

/// Between two polls while something moves.
const BUSY: Duration = Duration::from_millis(500);
/// Between two polls while nothing does.
const QUIET: Duration = Duration::from_millis(1000);
/// The most between two polls while something moves: what is shown is never older than a second.
const SLOWEST: Duration = Duration::from_millis(850);
/// A poll may take one part in N of the time: where many agents work it is the server's time, too.
const SHARE: u32 = 40;
/// How long something counts as having moved lately.
const LATELY: Duration = Duration::from_secs(10);
/// The least time between two headers of one session.
const HEADING: Duration = Duration::from_secs(2);
/// How much of a conversation is counted at one poll, in bytes.
const PIECE: u64 = 1024 * 1024;
/// How long the user's command for notifier may take.
const COMMAND: Duration = Duration::from_secs(10);

/// The most that is read of what it prints, in bytes.
const MAX_BYTES: u64 = 64 * 1024;

/// What becomes of the thread after a wait.
enum Wake {
    Time,
    PollerMsg,
    Gone,
}

/// Polls all sessions until it is told to end.
pub(super) struct Poller {
    cx: Cx,
    loop_: Sender<Msg>,
    notify: Notify,
    watcher: Watcher,
    notifier: Notifier,
    status_line: StatusLine,
    sent: Option<Snapshot>,
    trouble: bool,
    away: bool,
    /// Whether the next poll is sent even if it shows nothing new.
    fresh: bool,
    at: Option<SessionId>,
    /// What the last header was read for, and when.
    headed: Option<(HeaderKey, Instant)>,
    settings: SettingsFile,
    /// The file's state when it was read last.
    settings_seen: ToolsStamp,
    /// The same of the tools: while deck is away from its terminal, the settings wait.
    tools_seen: ToolsStamp,
    /// What was counted to its end.
    counted: Option<HeaderKey>,
}

/// The settings file, and where what was read of it is left for the loop.
#[derive(Debug, Clone)]
pub(super) struct SettingsFile {
    pub path: PathBuf,
    pub slot: Arc<Mutex<Option<Result<Loaded, String>>>>,
    /// The tools, whose files are read again with it.
    pub tools: Arc<LiveTools>,
}

/// A header is read again when one of these is another: the session, its conversation, the second in
/// which its window moved last.
type HeaderKey = (SessionId, Option<String>, Option<i64>);

impl Poller {
    pub fn new(cx: Cx, loop_: Sender<Msg>, notify: Notify, settings: SettingsFile) -> Self {
        let settings_seen = settings.tools.stamp();
        Self {
            cx,
            loop_,
            notify,
            watcher: Watcher::new(),
            notifier: Notifier::default(),
            status_line: StatusLine::default(),
            sent: None,
            trouble: false,
            away: false,
            fresh: false,
            at: None,
            headed: None,
            settings,
            tools_seen: settings_seen.clone(),
            settings_seen,
            counted: None,
        }
    }

    pub fn run(mut self, told: &Receiver<PollerMsg>) {
        let mut moved = Instant::now();
        loop {
            let begun = Instant::now();
            match self.poll() {
                Ok(true) => moved = begun,
                Ok(false) => {}
                // The loop is gone.
                Err(()) => return,
            }
            let lively =
                self.sent.as_ref().is_some_and(|s| s.states.values().any(|l| l.verdict.status.is_live()));
            let pace = if lively || moved.elapsed() < LATELY { pace_after(begun.elapsed()) } else { QUIET };
            match self.wait(told, pace.saturating_sub(begun.elapsed())) {
                Wake::Time => {}
                // Something came, went or was done: all of it is looked at.
                Wake::PollerMsg => self.watcher.forget(),
                Wake::Gone => return,
            }
        }
    }

    /// One poll. Returns whether anything changed.
    fn poll(&mut self) -> Result<bool, ()> {
        let snapshot = match self.watcher.tick(&self.cx) {
            Ok(snapshot) => snapshot,
            Err(error) => {
                self.trouble = true;
                return self.send(Msg::WatchFailed(error.to_string())).map(|_| false);
            }
        };
        self.look_at_settings()?;
        if let Some(words) = self.notifier.take(&snapshot, self.at.as_ref().filter(|_| !self.away)) {
            self.tell(&words)?;
        }
        if self.notify.status_line
            && let Err(error) = self.status_line.show(&self.cx, &snapshot)
        {
            tracing::debug!(%error, "can't update the status line of attached sessions");
        }
        self.head(&snapshot)?;
        if !self.trouble && !self.fresh && self.sent.as_ref().is_some_and(|s| is_same(s, &snapshot)) {
            return Ok(false);
        }
        // A busy loop, or one that is away, gets the next poll.
        if self.send(Msg::Snapshot(Box::new(snapshot.clone())))? {
            let silences: Vec<String> = snapshot.silences().iter().map(ToString::to_string).collect();
            if !silences.is_empty() {
                self.send(Msg::WatchFailed(silences.join("; ")))?;
            }
            (self.sent, self.trouble, self.fresh) = (Some(snapshot), false, false);
        }
        Ok(true)
    }

    /// Reads the settings again when their file has changed.
    fn look_at_settings(&mut self) -> Result<(), ()> {
        let state = self.settings.tools.stamp();
        if state == self.settings_seen {
            return Ok(());
        }
        let read = config::load(&self.settings.path).map_err(|e| e.to_string());
        if let Some(loaded) = read.as_ref().ok().filter(|_| self.tools_seen != state) {
            // Other decks judge by them already, and all share one memory of each status.
            self.settings.tools.read_again(&loaded.text, &loaded.tools);
            self.watcher.read_again();
            self.tools_seen.clone_from(&state);
        }
        *self.settings.slot.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(read);
        if self.send(Msg::SettingsMoved)? {
            self.settings_seen = state;
        }
        Ok(())
    }

    /// Reads what is above the capture of the session that the user is viewing.
    fn head(&mut self, snapshot: &Snapshot) -> Result<(), ()> {
        let session = self.at.as_ref().filter(|_| !self.away).and_then(|id| snapshot.profile.session(id));
        let Some(session) = session else { return Ok(()) };
        let row = snapshot.state(&session.id).and_then(|l| l.row.as_ref());
        let conversation = row.and_then(|r| r.tags.resume_id.clone()).or_else(|| session.resume.id.clone());
        let of = (session.id.clone(), conversation, row.map(|r| r.facts.activity));
        self.count(session, row, &of);
        let is_due = self
            .headed
            .as_ref()
            .is_none_or(|(last, at)| *last != of && (last.0 != of.0 || at.elapsed() >= HEADING));
        if !is_due {
            return Ok(());
        }
        match preview_header(&self.cx, session, row) {
            Ok(preview_header) => {
                if self.send(Msg::PreviewHeader(session.id.clone(), Box::new(preview_header)))? {
                    self.headed = Some((of, Instant::now()));
                }
            }
            Err(error) => tracing::debug!(%error, "can't read a session's conversation"),
        }
        Ok(())
    }

    /// Continues counting the conversation, so that its totals are ready when asked for.
    fn count(&mut self, session: &Session, row: Option<&PaneRow>, of: &HeaderKey) {
        if self.counted.as_ref() == Some(of) {
            return;
        }
        match count_of(&self.cx, session, row, PIECE) {
            Ok(Some(counted)) if !counted.whole => {}
            Ok(_) => self.counted = Some(of.clone()),
            Err(error) => tracing::debug!(%error, "can't count a conversation"),
        }
    }

    /// Sends without waiting. Returns whether it was taken.
    fn send(&self, msg: Msg) -> Result<bool, ()> {
        if self.away {
            return Ok(false);
        }
        match self.loop_.try_send(msg) {
            Ok(()) => Ok(true),
            Err(TrySendError::Full(_)) => Ok(false),
            Err(TrySendError::Closed(_)) => Err(()),
        }
    }

    /// Notifies the user: with their own command, and through the terminal while deck has it.
    fn tell(&self, words: &str) -> Result<(), ()> {
        if let Some((program, args)) = self.notify.command.split_first() {
            let mut command = spawn::command(program);
            // As a separate argument, or in a variable: what an agent asks is never read as a script.
            command.args(args.iter().map(|a| if a == "{text}" { words } else { a })).env("DECK_TEXT", words);
            command.stdin(std::process::Stdio::null()).stderr(std::process::Stdio::null());
            command.stdout(std::process::Stdio::piped());
            let run = std::thread::Builder::new().name("notify".to_owned()).spawn(move || {
                if let Err(error) = spawn::output_within(&mut command, COMMAND, MAX_BYTES) {
                    tracing::warn!(%error, "can't run the notification command");
                }
            });
            if let Err(error) = run {
                tracing::warn!(%error, "can't run the notification command");
            }
        }
        self.send(Msg::Notice(words.to_owned())).map(|_| ())
    }

    /// Waits for the next poll. Several reasons to look at once make one poll.
    fn wait(&mut self, told: &Receiver<PollerMsg>, pace: Duration) -> Wake {
        let until = Instant::now() + pace;
        loop {
            match told.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Err(RecvTimeoutError::Timeout) => return Wake::Time,
                Err(RecvTimeoutError::Disconnected) | Ok(PollerMsg::Stop) => return Wake::Gone,
                Ok(PollerMsg::At(session)) => {
                    self.at = session;
                    if let Some(snapshot) = self.sent.clone()
                        && self.head(&snapshot).is_err()
                    {
                        return Wake::Gone;
                    }
                }
                Ok(PollerMsg::Notify(notify)) => self.notify = *notify,
                Ok(PollerMsg::Away) => self.away = true,
                Ok(what @ (PollerMsg::Now | PollerMsg::Fresh)) => {
                    self.away = false;
                    self.fresh |= matches!(what, PollerMsg::Fresh);
                    return self.drain(told);
                }
                Ok(PollerMsg::Rest) => return self.rest(told),
            }
        }
    }

    fn drain(&mut self, told: &Receiver<PollerMsg>) -> Wake {
        while let Ok(more) = told.try_recv() {
            match more {
                PollerMsg::Rest => return self.rest(told),
                PollerMsg::Stop => return Wake::Gone,
                PollerMsg::Away => self.away = true,
                PollerMsg::At(session) => self.at = session,
                PollerMsg::Notify(notify) => self.notify = *notify,
                PollerMsg::Now => self.away = false,
                PollerMsg::Fresh => (self.away, self.fresh) = (false, true),
            }
        }
        Wake::PollerMsg
    }

    fn rest(&mut self, told: &Receiver<PollerMsg>) -> Wake {
        loop {
            match told.recv() {
                Ok(PollerMsg::Rest | PollerMsg::Away) => {}
                Ok(PollerMsg::At(session)) => self.at = session,
                Ok(PollerMsg::Notify(notify)) => self.notify = *notify,
                Ok(PollerMsg::Now) => return Wake::PollerMsg,
                Ok(PollerMsg::Fresh) => {
                    self.fresh = true;
                    return Wake::PollerMsg;
                }
                Ok(PollerMsg::Stop) | Err(_) => return Wake::Gone,
            }
        }
    }
}

/// The time from one poll to the next while something moves, by how long the last one took.
fn pace_after(look: Duration) -> Duration {
    look.saturating_mul(SHARE).clamp(BUSY, SLOWEST)
}

/// Whether two polls show the same.
fn is_same(a: &Snapshot, b: &Snapshot) -> bool {
    let same_profile = std::sync::Arc::ptr_eq(&a.profile, &b.profile) || a.profile == b.profile;
    let shown = |s: &Snapshot| {
        let of = |(id, l): (&SessionId, &crate::ops::SessionState)| {
            let row = l
                .row
                .as_ref()
                .map(|r| (r.pane.clone(), r.facts.pid, r.facts.attached > 0, r.tags.note.clone()));
            let v = &l.verdict;
            (id.clone(), v.status, v.reason.clone(), v.since, v.asks.clone(), v.unsure, row, l.dialog.clone())
        };
        s.states.iter().map(of).collect::<Vec<_>>()
    };
    same_profile && a.recovered == b.recovered && a.unreached == b.unreached && shown(a) == shown(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_looks_are_rarer_but_never_too_rare() {
        let ms = Duration::from_millis;
        assert_eq!(pace_after(ms(2)), BUSY);
        assert_eq!(pace_after(ms(15)), ms(600));
        assert_eq!(pace_after(ms(90)), SLOWEST);
    }
}
