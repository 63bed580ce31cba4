//! The end of the program: what was begun is finished, and the terminal is the user's again.

use std::io::{self, Write as _};
use std::time::Duration;

use tokio::time::Instant;

use super::super::signals::SignalMsg;
use super::super::terminal;
use super::Program;

/// How long deck waits at its end for what it has begun.
const FINISH: Duration = Duration::from_secs(60);
/// How long tmux may take to answer before deck abandons unfinished work.
const ANSWERS: Duration = Duration::from_millis(600);
/// How long disconnecting from tmux may take.
const LEAVE: Duration = Duration::from_millis(300);

impl Program<'_> {
    /// Gives back the terminal, then everything else, which may hang if tmux does. There is no long wait for
    /// that: what was begun is on disk.
    pub(super) async fn leave(self) {
        let Self { terminal, workers, cx, .. } = self;
        drop(terminal);
        let (done, gone) = tokio::sync::oneshot::channel();
        let left = std::thread::Builder::new().name("leave".to_owned()).spawn(move || {
            drop(workers);
            drop(cx);
            // Nothing waits for it any more once the time was up.
            let _ = done.send(());
        });
        if left.is_ok() && tokio::time::timeout(LEAVE, gone).await.is_err() {
            tracing::warn!("tmux isn't responding; deck quit without disconnecting");
        }
    }

    /// What was begun is finished before deck leaves: an agent that was ended to be restarted must
    /// not stay ended. The terminal is the user's again meanwhile, and a signal (ctrl-c there) ends the wait.
    /// If tmux isn't responding, deck doesn't wait: what was asked for is on disk.
    pub(super) async fn finish(&mut self) {
        if !self.tasks.is_changing() {
            return;
        }
        terminal::restore();
        let mux = self.cx.mux.clone();
        let servers = crate::ops::servers(&self.cx, self.model.record().live_sessions());
        let asked = tokio::task::spawn_blocking(move || {
            mux.panes(&servers, None).is_ok_and(|l| l.unreached.is_empty())
        });
        if !matches!(tokio::time::timeout(ANSWERS, asked).await, Ok(Ok(true))) {
            return;
        }
        let deadline = Instant::now() + FINISH;
        // Nobody reads it where the terminal is gone.
        let _ = writeln!(io::stderr(), "deck: finishing pending work; ctrl-c quits now");
        while self.tasks.is_changing() {
            tokio::select! {
                biased;
                signal = self.signals.next() => if signal == SignalMsg::End { return },
                () = self.tasks.one_changed() => {}
                // What nobody reads any more must not keep those who send it.
                Some(_) = self.messages.recv() => {}
                () = tokio::time::sleep_until(deadline) => return,
            }
        }
    }
}
