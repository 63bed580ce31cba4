//! The threads beside the loop: one polls all sessions, one captures the selected session's screen.
//!
//! Invariants: each sends only when something changed, and never waits for the loop.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::Instant;

use tokio::sync::mpsc::Sender;
use tokio::sync::mpsc::error::TrySendError;

use super::pace::Pace;
use super::poller::{Poller, SettingsFile};
use crate::app::{Msg, PaneInput};
use crate::config::Notify;
use crate::domain::id::SessionId;
use crate::ops::Cx;
use crate::ports::MuxError;
use crate::ports::mux::PaneRef;

/// Keys that may wait while tmux is busy. Nobody types as fast.
const KEYS: usize = 4096;

/// Messages to the polling thread.
pub(super) enum PollerMsg {
    /// PollerMsg now.
    Now,
    /// PollerMsg now, and send what there is even if it shows nothing new: something waits for it.
    Fresh,
    /// Rest until told otherwise.
    Rest,
    /// Something else has the terminal: look on, but send nothing until told to poll.
    Away,
    /// The user is viewing this session, or none.
    At(Option<SessionId>),
    /// How the user is notified has changed.
    Notify(Box<Notify>),
    /// End.
    Stop,
}

/// Messages to the thread for captures.
pub(super) enum PreviewRequest {
    /// Show this session's pane, N lines back; none to show none.
    Pane(Option<Target>),
    /// Type into a pane, and show soon what came of it.
    Type(PaneRef, PaneInput),
}

/// A session's pane, and how many lines back it is shown.
pub(super) type Target = (SessionId, PaneRef, u32);

/// Both threads. They end, and are waited for, when this is dropped.
pub(super) struct Workers {
    look: Option<SyncSender<PollerMsg>>,
    preview: Option<SyncSender<PreviewRequest>>,
    threads: Vec<JoinHandle<()>>,
}

impl Workers {
    /// Starts both.
    pub fn start(
        cx: &Cx,
        loop_: &Sender<Msg>,
        notify: &Notify,
        settings: &SettingsFile,
    ) -> std::io::Result<Self> {
        let settings = settings.clone();
        let notify = notify.clone();
        let (look, states) = sync_channel(64);
        let (preview, requests) = sync_channel(KEYS);
        let (first, second) = (cx.clone(), cx.clone());
        let (to_loop, also_to_loop) = (loop_.clone(), loop_.clone());
        let named = |name: &str| std::thread::Builder::new().name(name.to_owned());
        let threads = vec![
            named("watch").spawn(move || Poller::new(first, to_loop, notify, settings).run(&states))?,
            named("preview").spawn(move || run_preview(second, &also_to_loop, &requests))?,
        ];
        Ok(Self { look: Some(look), preview: Some(preview), threads })
    }

    /// A way to wake the thread that looks.
    pub fn waker(&self) -> Option<SyncSender<PollerMsg>> {
        self.look.clone()
    }

    /// Wakes the polling thread. A full queue means that a poll is due anyway.
    pub fn poll(&self, what: PollerMsg) {
        if let Some(sender) = &self.look {
            let _ = sender.try_send(what);
        }
    }

    /// Wakes the thread for captures. Returns whether it was reached.
    pub fn preview(&self, what: PreviewRequest) -> bool {
        self.preview.as_ref().is_some_and(|sender| sender.try_send(what).is_ok())
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Workers {
    /// Ends both threads and waits for them.
    pub fn stop(&mut self) {
        if let Some(look) = self.look.take() {
            // The server's listener has a sender too, so that a closed channel doesn't end the thread. One
            // that has ended already needs no message.
            let _ = look.send(PollerMsg::Stop);
        }
        self.preview = None;
        for thread in self.threads.drain(..) {
            // One that panicked has logged it.
            let _ = thread.join();
        }
    }
}

fn run_preview(cx: Cx, loop_: &Sender<Msg>, told: &Receiver<PreviewRequest>) {
    let mut target: Option<Target> = None;
    let mut last = 0;
    let mut pace = Pace::new(Instant::now());
    loop {
        let message = match &target {
            // Nothing to paint: nothing to wake up for.
            None => told.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(_) => told.recv_timeout(pace.wait(Instant::now())),
        };
        match message {
            Ok(PreviewRequest::Pane(new)) => {
                if new != target {
                    (target, last, pace) = (new, 0, Pace::new(Instant::now()));
                }
            }
            Ok(PreviewRequest::Type(pane, typed)) => {
                if let Err(error) = type_into(&cx, &pane, &typed)
                    && loop_.try_send(Msg::NotTyped(error.to_string())).is_err()
                {
                    tracing::warn!(%error, "typed keys were lost");
                }
                pace.typed(Instant::now());
                // What was typed since goes first.
                continue;
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        let Some((id, pane, back)) = &target else { continue };
        // A server that is gone is the other thread's to report.
        let Ok(Some(capture)) = cx.mux.capture(pane, *back) else { continue };
        if capture.lines.is_empty() {
            continue;
        }
        let mut hasher = DefaultHasher::new();
        (&capture.lines, capture.size, capture.cursor, capture.history, capture.back).hash(&mut hasher);
        let hash = hasher.finish();
        if hash != last {
            match loop_.try_send(Msg::ScreenCapture(id.clone(), Box::new(capture))) {
                Ok(()) => {
                    last = hash;
                    pace.changed(Instant::now());
                }
                Err(TrySendError::Full(_)) => {}
                Err(TrySendError::Closed(_)) => return,
            }
        }
    }
}

fn type_into(cx: &Cx, pane: &PaneRef, typed: &PaneInput) -> Result<(), MuxError> {
    match typed {
        PaneInput::Text(text) => cx.mux.type_text(pane, text),
        PaneInput::Key(name) => cx.mux.keys(pane, &[name]),
        PaneInput::Paste(text) => cx.mux.paste(pane, text),
        PaneInput::Wheel(up) => cx.mux.wheel(pane, *up),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::ops::Caller;
    use crate::ports::fake::{FakeClock, FakeHistory, FakeHost, FakeMux, FakeReports, FakeStore, FakeTools};

    #[test]
    fn a_key_that_did_not_arrive_is_no_work_that_is_done() {
        let mux = FakeMux::default();
        *mux.refuse.lock().unwrap() = true;
        let cx = Cx {
            store: Arc::<FakeStore>::default(),
            mux: Arc::new(mux),
            reports: Arc::<FakeReports>::default(),
            host: Arc::<FakeHost>::default(),
            clock: Arc::<FakeClock>::default(),
            tools: Arc::new(FakeTools::of(Vec::new())),
            history: Arc::<FakeHistory>::default(),
            caller: Arc::new(Caller::default()),
        };
        let (to_loop, mut messages) = tokio::sync::mpsc::channel(4);
        let (tell, told) = sync_channel(4);
        let typed = PaneInput::Text("x".to_owned());
        tell.send(PreviewRequest::Type(PaneRef::new(&"s".into(), "%9"), typed)).unwrap();
        drop(tell);
        run_preview(cx, &to_loop, &told);
        // The loop counts finished effects against those it began.
        let msg = messages.try_recv().unwrap();
        assert!(!matches!(msg, Msg::Done(_)), "{msg:?}");
    }
}
