//! The thread that follows the engine: for the TUI, for notifications, for the status line of attached sessions.
//!
//! Invariants: it sends only what changed and never waits for the loop; while something else has the
//! terminal it follows but sends nothing, and while deck is suspended the engine rests; after a message that asks
//! for a poll nothing is sent that was seen before it.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::mpsc::{Sender, UnboundedReceiver};

use super::row_reader::RowReader;
use super::shell_reader::ShellReader;
use super::workers::PollerMsg;
use super::worktree::WorktreeReader;
use crate::app::Msg;
use crate::config::{self, Loaded, Notify};
use crate::domain::id::SessionId;
use crate::domain::session::Session;
use crate::engine::{Carried, Engine, Notifier, Poll, StatusLine, Subscription, Waker};
use crate::ops::{Cx, Snapshot, count_of, preview_header};
use crate::ports::mux::PaneRow;
use crate::sys::spawn;
use crate::wiring::{LiveTools, ToolsStamp};

/// The least time between two headers of one session.
const HEADING: Duration = Duration::from_secs(2);
/// How much of a conversation is counted at one poll, in bytes.
const PIECE: u64 = 1024 * 1024;
/// How long the user's notification command may take.
const COMMAND: Duration = Duration::from_secs(10);

/// The most that is read of what it prints, in bytes.
const MAX_BYTES: u64 = 64 * 1024;

/// Follows an engine until the loop is gone.
pub(super) struct Poller {
    cx: Cx,
    loop_: Sender<Msg>,
    notify: Notify,
    polls: Subscription,
    engine: Waker,
    notifier: Notifier,
    /// None if its thread could not be started: the columns stay empty.
    rows: Option<RowReader>,
    /// None if its thread could not be started: conversations are read on when somebody asks.
    carried: Option<Carried>,
    /// None if its thread could not be started: the shells stay as they were.
    shells: Option<ShellReader>,
    status_line: StatusLine,
    /// What the loop has, and the version of it.
    sent: Option<(u64, Arc<Snapshot>)>,
    trouble: bool,
    away: bool,
    /// Whether the engine rests: what it saw before is not sent.
    rests: bool,
    /// The last poll that was asked for: what was seen before it is not sent.
    asked: u64,
    /// Whether the next poll is sent even if it shows nothing new.
    fresh: bool,
    at: Option<SessionId>,
    /// What the last header was read for, and when.
    headed: Option<(HeaderKey, Instant)>,
    worktree: WorktreeReader,
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
    pub slot: Arc<Mutex<Option<Loaded>>>,
    /// The tools, whose files are read again with it.
    pub tools: Arc<LiveTools>,
}

/// A header is read again when one of these is another: the session, its conversation, the second in
/// which its window moved last.
type HeaderKey = (SessionId, Option<String>, Option<i64>);

impl Poller {
    pub fn new(cx: Cx, engine: &Engine, loop_: Sender<Msg>, notify: Notify, settings: SettingsFile) -> Self {
        // Not what they are like now: what changed since they were read is still to be read.
        let settings_seen = settings.tools.seen();
        Self {
            rows: RowReader::start(cx.clone(), loop_.clone())
                .inspect_err(|error| tracing::warn!(%error, "can't start the thread that reads rows"))
                .ok(),
            carried: Carried::start(&cx)
                .inspect_err(
                    |error| tracing::warn!(%error, "can't start the thread that follows transcripts"),
                )
                .ok(),
            shells: ShellReader::start(cx.clone(), loop_.clone())
                .inspect_err(|error| tracing::warn!(%error, "can't start the thread that reads shells"))
                .ok(),
            cx,
            loop_,
            notify,
            polls: engine.subscribe(),
            engine: engine.waker(),
            notifier: Notifier::default(),
            status_line: StatusLine::default(),
            sent: None,
            trouble: false,
            away: false,
            rests: false,
            asked: 0,
            fresh: false,
            at: None,
            headed: None,
            worktree: WorktreeReader::new(),
            settings,
            tools_seen: settings_seen.clone(),
            settings_seen,
            counted: None,
        }
    }

    pub async fn run(mut self, mut told: UnboundedReceiver<PollerMsg>) {
        loop {
            let result = tokio::select! {
                biased;
                what = told.recv() => match what {
                    Some(what) => self.take(what),
                    None => return,
                },
                poll = self.polls.next() => match poll {
                    Some(poll) => self.follow(&poll),
                    None => return,
                },
            };
            // The loop is gone.
            if result.is_err() {
                return;
            }
        }
    }

    fn take(&mut self, what: PollerMsg) -> Result<(), ()> {
        match what {
            PollerMsg::At(session) => {
                self.at = session;
                if let Some((_, snapshot)) = self.sent.clone().filter(|_| !self.rests) {
                    return self.head(&snapshot);
                }
            }
            PollerMsg::Notify(notify) => self.notify = *notify,
            PollerMsg::Shells(view) => {
                if let Some(shells) = &self.shells {
                    shells.view(view);
                }
            }
            PollerMsg::Away => {
                self.away = true;
                self.rest_shells(true);
            }
            PollerMsg::Rest => {
                self.rests = true;
                self.rest_shells(true);
                self.engine.rest();
            }
            PollerMsg::Now | PollerMsg::Fresh => {
                (self.away, self.rests) = (false, false);
                self.rest_shells(false);
                self.fresh |= matches!(what, PollerMsg::Fresh);
                self.asked = self.engine.poll();
            }
        }
        Ok(())
    }

    /// While something else has the terminal, nobody sees shells.
    fn rest_shells(&self, rests: bool) {
        if let Some(shells) = &self.shells {
            shells.rest(rests);
        }
    }

    /// What follows from a poll.
    fn follow(&mut self, poll: &Poll) -> Result<(), ()> {
        if self.rests || poll.answers < self.asked {
            return Ok(());
        }
        let snapshot = match poll.snapshot() {
            Ok(snapshot) => snapshot,
            Err(error) => {
                self.trouble = true;
                return self.send(Msg::WatchFailed(error.to_string())).map(drop);
            }
        };
        self.look_at_settings()?;
        if let Some(rows) = &mut self.rows {
            rows.follow(snapshot);
        }
        if let Some(carried) = &mut self.carried {
            carried.follow(snapshot);
        }
        if let Some(shells) = self.shells.as_ref().filter(|_| !self.away) {
            shells.polled();
        }
        if let Some(notice) = self.notifier.take(snapshot, self.at.as_ref().filter(|_| !self.away)) {
            self.tell(&notice.text)?;
        }
        if self.notify.status_line
            && let Err(error) = self.status_line.show(&self.cx, snapshot)
        {
            tracing::debug!(%error, "can't update the status line of attached sessions");
        }
        self.head(snapshot)?;
        if !self.trouble && !self.fresh && self.sent.as_ref().is_some_and(|(v, _)| *v == poll.version) {
            return Ok(());
        }
        // A busy loop, or one that is away, gets the next poll.
        if self.send(Msg::Snapshot(Box::new((**snapshot).clone())))? {
            let silences: Vec<String> = snapshot.silences().iter().map(ToString::to_string).collect();
            if !silences.is_empty() {
                self.send(Msg::WatchFailed(silences.join("; ")))?;
            }
            (self.sent, self.trouble, self.fresh) = (Some((poll.version, snapshot.clone())), false, false);
        }
        Ok(())
    }

    /// Reads the settings again when their file has changed.
    fn look_at_settings(&mut self) -> Result<(), ()> {
        let state = self.settings.tools.stamp();
        if state == self.settings_seen {
            return Ok(());
        }
        let read = config::load(&self.settings.path);
        if !read.is_broken && self.tools_seen != state {
            // Other decks judge by them already, and all share one memory of each status.
            self.settings.tools.read_again(&read.text, &read.tools);
            self.engine.read_again();
            self.tools_seen.clone_from(&state);
        }
        *self.settings.slot.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(read);
        if self.send(Msg::SettingsMoved)? {
            self.settings.tools.saw(state.clone());
            self.settings_seen = state;
        }
        Ok(())
    }

    /// Reads what is above the capture of the session that the user is viewing.
    fn head(&mut self, snapshot: &Snapshot) -> Result<(), ()> {
        let session = self.at.as_ref().filter(|_| !self.away).and_then(|id| snapshot.profile.session(id));
        let Some(session) = session else { return Ok(()) };
        self.worktree.follow(&self.cx, &self.loop_, session, snapshot.state(&session.id));
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
}
