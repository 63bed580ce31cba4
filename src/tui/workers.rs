//! What works beside the loop: the engine, a thread that tells the loop what the engine sees, and one that captures
//! the selected session's screen.
//!
//! Invariants: each sends only when something changed, and never waits for the loop.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::mpsc::{Sender, UnboundedSender, unbounded_channel};

use super::poller::{Poller, SettingsFile};
use crate::app::Msg;
use crate::config::Notify;
use crate::domain::id::SessionId;
use crate::engine::{self, Engine, Pace, Shown, Taken, Waker};
pub(super) use crate::engine::{Fit, PreviewRequest, Target};
use crate::ops::Cx;
use crate::ops::shell::ShellsInView;

/// Keys that may wait while tmux is busy. Nobody types as fast.
const KEYS: usize = 4096;

/// Messages to the thread that follows the engine.
pub(super) enum PollerMsg {
    /// Poll now.
    Now,
    /// Poll now, and send what there is even if it shows nothing new: something waits for it.
    Fresh,
    /// Rest until told otherwise.
    Rest,
    /// Something else has the terminal: keep polling, but send nothing until told to poll.
    Away,
    /// The user is viewing this session, or none.
    At(Option<SessionId>),
    /// These headless shells are in sight.
    Shells(ShellsInView),
    /// How the user is notified has changed.
    Notify(Box<Notify>),
}

/// The engine and both threads. They end, and are waited for, when this is dropped.
pub(super) struct Workers {
    engine: Option<Engine>,
    look: Option<UnboundedSender<PollerMsg>>,
    preview: Option<SyncSender<PreviewRequest>>,
    threads: Vec<JoinHandle<()>>,
}

impl Workers {
    /// Starts them.
    pub fn start(
        cx: &Cx,
        loop_: &Sender<Msg>,
        notify: &Notify,
        settings: &SettingsFile,
    ) -> std::io::Result<Self> {
        let settings = settings.clone();
        let notify = notify.clone();
        let engine = Engine::start(cx.clone(), Pace::Adaptive)?;
        let (look, told) = unbounded_channel();
        let (preview, requests) = sync_channel(KEYS);
        let (first, second) = (cx.clone(), cx.clone());
        let (to_loop, also_to_loop) = (loop_.clone(), loop_.clone());
        let runtime = tokio::runtime::Builder::new_current_thread().build()?;
        let poller = Poller::new(first, &engine, to_loop, notify, settings);
        let named = |name: &str| std::thread::Builder::new().name(name.to_owned());
        let threads = vec![
            named("watch").spawn(move || runtime.block_on(poller.run(told)))?,
            named("preview").spawn(move || run_preview(second, &also_to_loop, &requests))?,
        ];
        Ok(Self { engine: Some(engine), look: Some(look), preview: Some(preview), threads })
    }

    /// A way to wake the engine.
    pub fn waker(&self) -> Option<Waker> {
        self.engine.as_ref().map(Engine::waker)
    }

    /// Tells the thread that follows the engine something.
    pub fn poll(&self, what: PollerMsg) {
        if let Some(sender) = &self.look {
            // One that has ended needs no message.
            let _ = sender.send(what);
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
    /// Ends all of them and waits for that.
    pub fn stop(&mut self) {
        self.look = None;
        self.preview = None;
        for thread in self.threads.drain(..) {
            // One that panicked has logged it.
            let _ = thread.join();
        }
        self.engine = None;
    }
}

fn run_preview(cx: Cx, loop_: &Sender<Msg>, told: &Receiver<PreviewRequest>) {
    engine::run_preview(&cx, told, |shown| {
        let msg = match shown {
            Shown::Capture(id, terminal, capture) => Msg::ScreenCapture(id, terminal, capture),
            Shown::NotTyped(error) => Msg::NotTyped(error.to_string()),
        };
        match loop_.try_send(msg) {
            Ok(()) => Taken::Yes,
            Err(TrySendError::Full(_)) => Taken::Busy,
            Err(TrySendError::Closed(_)) => Taken::Gone,
        }
    });
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::app::PaneInput;
    use crate::ports::fake::FakeMux;
    use crate::ports::mux::{NewSession, PaneRef};

    fn cx(mux: Arc<FakeMux>) -> Cx {
        Cx { mux, ..Cx::of_fakes() }
    }

    #[test]
    fn only_a_session_that_is_shown_is_fitted() {
        let mux = Arc::new(FakeMux::default());
        let cx = cx(mux.clone());
        for name in ["passed", "shown", "attached"] {
            let new = NewSession {
                name: name.to_owned(),
                dir: "/src".to_owned(),
                script: String::new(),
                env: std::collections::BTreeMap::new(),
                size: (200, 50),
                tags: Vec::new(),
            };
            cx.mux.create(&new).unwrap();
        }
        mux.change("attached", |s| s.attached = 1);
        let rows = cx.mux.panes(&["s".into()], None).unwrap().rows;
        let (tell, told) = sync_channel(8);
        for (name, at_once) in [("passed", false), ("attached", true), ("shown", true)] {
            let row = rows.iter().find(|r| r.name == name).unwrap().clone();
            let id = SessionId::new(name);
            tell.send(PreviewRequest::Pane(Some(Target {
                session: id.clone(),
                terminal: None,
                pane: row.pane.clone(),
                back: 0,
            })))
            .unwrap();
            tell.send(PreviewRequest::Fit(Box::new(Fit {
                id,
                row: Some(row),
                terminal: None,
                size: (73, 33),
                at_once,
            })))
            .unwrap();
        }
        drop(tell);
        let (to_loop, _messages) = tokio::sync::mpsc::channel(8);
        run_preview(cx.clone(), &to_loop, &told);
        let rows = cx.mux.panes(&["s".into()], None).unwrap().rows;
        let seen: Vec<_> =
            rows.iter().map(|r| (r.name.as_str(), r.facts.size, r.tags.resized.is_some())).collect();
        let fitted =
            [("passed", (200, 50), false), ("shown", (73, 33), true), ("attached", (200, 50), false)];
        assert_eq!(seen, fitted);
    }

    #[test]
    fn a_key_that_did_not_arrive_is_no_work_that_is_done() {
        let mux = FakeMux::default();
        *mux.refuse.lock().unwrap() = true;
        let cx = cx(Arc::new(mux));
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
