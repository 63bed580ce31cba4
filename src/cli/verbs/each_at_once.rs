//! Several sessions at the same time, for verbs that wait.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use super::Done;
use crate::cli::Context;
use crate::cli::error::CliError;
use crate::domain::session::Session;
use crate::ops::Cx;

/// How many sessions are worked on at the same time.
const AT_ONCE: usize = 8;

impl Context {
    /// What ctrl-c ends from now on is what this verb waits for, so that it can say what became of it.
    pub(super) fn listen_for_interrupts(&self) -> Result<(), CliError> {
        Ok(crate::cli::interrupt::listen(&self.wiring.cancel)?)
    }

    /// Runs `act` on the sessions named, several at the same time: one that hangs delays no other. `print` reports
    /// each as soon as it is done; in JSON, in the order in which they were named.
    pub(super) fn each_at_once<T: Send>(
        &self,
        names: &[String],
        act: impl Fn(&Cx, &Session) -> Result<T, CliError> + Sync,
        print: impl Fn(&Session, T) -> Result<(), CliError>,
    ) -> Done {
        let cx = self.wiring.cx();
        let next = AtomicUsize::new(0);
        let (sender, done) = mpsc::channel();
        self.collect_answers(names.len());
        let failed = std::thread::scope(|scope| {
            for _ in 0..AT_ONCE.min(names.len()) {
                let (sender, cx, next, act) = (sender.clone(), &cx, &next, &act);
                scope.spawn(move || {
                    loop {
                        let at = next.fetch_add(1, Ordering::Relaxed);
                        let Some(name) = names.get(at) else { break };
                        let session = self.find(cx, name);
                        let result = session.and_then(|s| act(cx, &s).map(|what| (s, what)));
                        // The receiver is there for as long as this scope is.
                        let _ = sender.send((at, result));
                    }
                });
            }
            drop(sender);
            let mut in_order = Vec::new();
            let mut failed = Vec::new();
            let mut report = |result: Result<(Session, T), CliError>| {
                if let Err(error) = result.and_then(|(session, what)| print(&session, what)) {
                    failed.push(error);
                }
            };
            for (at, result) in done {
                if self.out.json {
                    in_order.push((at, result));
                } else {
                    report(result);
                }
            }
            in_order.sort_by_key(|(at, _)| *at);
            in_order.into_iter().for_each(|(_, result)| report(result));
            failed
        });
        self.conclude(names.len(), failed)
    }
}
