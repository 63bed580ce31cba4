//! Several sessions at the same time, for verbs that wait.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use super::Done;
use crate::api::Code;
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
    /// each as soon as it is done; in JSON, in the order in which they were named. None is begun after ctrl-c.
    pub(super) fn each_at_once<T: Send>(
        &self,
        names: &[String],
        act: impl Fn(&Cx, &Session) -> Result<T, CliError> + Sync,
        print: impl Fn(&Session, T) -> Result<(), CliError>,
    ) -> Done {
        let cx = self.wiring.cx();
        self.collect_answers(names.len());
        let (mut failed, mut skipped, mut in_order) = (Vec::new(), Vec::new(), Vec::new());
        let mut report = |result: Result<(Session, T), CliError>| {
            let result = result.and_then(|(session, what)| {
                // Where nobody reads any more the others are still completed: writing there would end deck in the
                // middle of them.
                if self.out.is_closed() { Ok(()) } else { print(&session, what) }
            });
            failed.extend(result.err());
        };
        let name = |at: usize| names.get(at).map_or("", String::as_str);
        let one = |at: usize| {
            let session = self.find(&cx, name(at))?;
            let what = act(&cx, &session)?;
            Ok((session, what))
        };
        side_by_side(
            names.len(),
            AT_ONCE,
            || cx.cancel.is_cancelled(),
            one,
            |at, result| match result {
                None => skipped.push(name(at)),
                Some(result) if self.out.json => in_order.push((at, result)),
                Some(result) => report(result),
            },
        );
        in_order.sort_by_key(|(at, _)| *at);
        in_order.into_iter().for_each(|(_, result)| report(result));
        if !skipped.is_empty() {
            let message = format!("interrupted; nothing was done for {}", skipped.join(", "));
            failed.push(CliError::new(Code::Interrupted, message));
        }
        self.conclude(names.len(), failed)
    }
}

/// Runs `act` on 0 to `count`, at most `limit` at a time, and reports each to `done` on this thread: those that were
/// not begun, because it was cancelled, as `None`.
fn side_by_side<T: Send>(
    count: usize,
    limit: usize,
    is_cancelled: impl Fn() -> bool + Sync,
    act: impl Fn(usize) -> T + Sync,
    mut done: impl FnMut(usize, Option<T>),
) {
    let next = AtomicUsize::new(0);
    let (sender, results) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..limit.min(count) {
            let (sender, next, act, is_cancelled) = (sender.clone(), &next, &act, &is_cancelled);
            scope.spawn(move || {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    if at >= count {
                        break;
                    }
                    let result = (!is_cancelled()).then(|| act(at));
                    // The receiver is there for as long as this scope is.
                    let _ = sender.send((at, result));
                }
            });
        }
        drop(sender);
        for (at, result) in results {
            done(at, result);
        }
    });
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::atomic::AtomicBool;

    use super::*;

    #[test]
    fn each_is_done_once_and_several_at_the_same_time() {
        // All three are needed to pass it.
        let together = Barrier::new(3);
        let mut seen = Vec::new();
        let act = |at: usize| {
            together.wait();
            at * 10
        };
        side_by_side(9, 3, || false, act, |at, result| seen.push((at, result)));
        seen.sort_unstable();
        assert_eq!(seen, (0..9).map(|at| (at, Some(at * 10))).collect::<Vec<_>>());
    }

    #[test]
    fn none_is_begun_after_it_was_cancelled() {
        let cancelled = AtomicBool::new(false);
        let mut seen = Vec::new();
        let act = |_| cancelled.store(true, Ordering::SeqCst);
        side_by_side(5, 1, || cancelled.load(Ordering::SeqCst), act, |at, result| seen.push((at, result)));
        assert_eq!(seen, [(0, Some(())), (1, None), (2, None), (3, None), (4, None)]);
    }
}
