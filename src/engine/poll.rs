//! The thread that polls: one tick after the other, sooner when something happens.
//!
//! Invariants: whoever asks for a poll gets one that began after they asked; however often it is woken, it
//! polls at most ten times a second for it; it ends with its [`Engine`].

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::Subscription;
use super::changes::is_same;
use crate::ops::{Cx, OpError, OpResult, Snapshot, Watcher};

/// Between two polls while something moves.
const BUSY: Duration = Duration::from_millis(500);
/// Between two polls while nothing does.
const QUIET: Duration = Duration::from_millis(1000);
/// The most between two polls while something moves: what is shown is never older than a second.
const SLOWEST: Duration = Duration::from_millis(850);
/// A poll may take one part in N of the time: where many agents work it is the server's time, too.
const SHARE: u32 = 40;
/// The time between two polls for windows that have changed, in the long run.
const BETWEEN_WAKES: Duration = Duration::from_millis(125);
/// By how much they may be ahead of that: together with the eight a second above, ten.
const AHEAD: Duration = Duration::from_millis(250);
/// When a poll is confirmed by another.
const CONFIRM: Duration = Duration::from_millis(10);
/// How long something counts as having moved lately.
const LATELY: Duration = Duration::from_secs(10);

/// How often an engine polls by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// This long after each poll.
    Steady(Duration),
    /// Twice a second while something runs or changed lately, else once a second.
    Adaptive,
}

/// What one poll came to.
#[derive(Debug, Clone)]
pub struct Poll {
    /// All sessions, or why they can't be seen.
    pub result: Result<Arc<Snapshot>, Arc<OpError>>,
    /// Another number than that of the poll before if what is shown differs.
    pub version: u64,
    /// The last request ([`Waker::poll`]) that came before this poll began.
    pub answers: u64,
}

impl Poll {
    /// The sessions.
    ///
    /// # Errors
    /// [`OpError::Poll`] when they can't be seen.
    pub fn snapshot(&self) -> OpResult<&Arc<Snapshot>> {
        self.result.as_ref().map_err(|error| OpError::Poll(error.clone()))
    }
}

/// What the thread is asked to do.
#[derive(Debug)]
enum Request {
    /// Poll at once, and list everything.
    Poll(u64),
    /// The same, unless it rests.
    Changed,
    /// A window has changed: look at that soon.
    Wake,
    /// Something was seen for the first time: look again soon, whether it lasts.
    Confirm,
    /// Stop polling until the next [`Request::Poll`].
    Rest,
    /// Read every screen again at the next poll: by other rules.
    ReadAgain,
    /// End, after one more poll if true.
    End(bool),
}

/// Asks an engine for something, from anywhere.
#[derive(Debug, Clone)]
pub struct Waker {
    sender: Sender<Request>,
    asked: Arc<AtomicU64>,
}

impl Waker {
    /// Asks for a poll that lists everything. The poll that answers has at least the number returned in
    /// [`Poll::answers`].
    pub fn poll(&self) -> u64 {
        let number = self.asked.fetch_add(1, Ordering::Relaxed) + 1;
        self.send(Request::Poll(number));
        number
    }

    /// Has the sessions looked at whose windows have changed. Called as often as they do.
    pub fn wake(&self) {
        self.send(Request::Wake);
    }

    /// Asks for one more poll soon, to confirm what the last one showed.
    pub fn confirm(&self) {
        self.send(Request::Confirm);
    }

    /// Asks for a poll that lists everything, since something came, went or was renamed.
    pub fn changed(&self) {
        self.send(Request::Changed);
    }

    /// Stops polling until the next request for a poll. What changes meanwhile is no such request.
    pub fn rest(&self) {
        self.send(Request::Rest);
    }

    /// Has every screen read again at the next poll: by other rules.
    pub fn read_again(&self) {
        self.send(Request::ReadAgain);
    }

    fn send(&self, request: Request) {
        // An engine that has ended has nothing left to do.
        let _ = self.sender.send(request);
    }
}

/// The thread, and what it publishes. It ends, and is waited for, when this is dropped.
#[derive(Debug)]
pub struct Engine {
    waker: Waker,
    polls: watch::Receiver<Option<Poll>>,
    thread: Option<JoinHandle<()>>,
}

impl Engine {
    /// Starts polling.
    ///
    /// # Errors
    /// The system's error when there is no thread to be had.
    pub fn start(cx: Cx, pace: Pace) -> std::io::Result<Self> {
        let (sender, requests) = channel();
        let (publisher, polls) = watch::channel(None);
        let poller = Poller {
            cx,
            pace,
            publisher,
            watcher: Watcher::woken(),
            last: None,
            version: 0,
            answers: 0,
            woken: Instant::now(),
            confirm: None,
            confirms: false,
        };
        let thread =
            std::thread::Builder::new().name("engine".to_owned()).spawn(move || poller.run(&requests))?;
        let waker = Waker { sender, asked: Arc::default() };
        Ok(Self { waker, polls, thread: Some(thread) })
    }

    /// A way to ask it for something.
    pub fn waker(&self) -> Waker {
        self.waker.clone()
    }

    /// All polls from now on, beginning with the last one.
    pub fn subscribe(&self) -> Subscription {
        let mut polls = self.polls.clone();
        polls.mark_changed();
        Subscription(polls)
    }

    /// Polls once more, and ends.
    pub fn finish(mut self) {
        self.end(true);
    }

    fn end(&mut self, last: bool) {
        if let Some(thread) = self.thread.take() {
            self.waker.send(Request::End(last));
            // One that panicked has logged it.
            let _ = thread.join();
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.end(false);
    }
}

/// What is on the thread.
struct Poller {
    cx: Cx,
    pace: Pace,
    publisher: watch::Sender<Option<Poll>>,
    watcher: Watcher,
    last: Option<Arc<Snapshot>>,
    version: u64,
    answers: u64,
    /// Up to when it has been woken, at once every [`BETWEEN_WAKES`].
    woken: Instant,
    /// When the last poll is to be confirmed by another.
    confirm: Option<Instant>,
    /// Whether the last poll was there to confirm the one before.
    confirms: bool,
}

/// What follows a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Then {
    Poll,
    /// A poll of what has changed.
    Glance,
    PollAndEnd,
    End,
}

impl Poller {
    fn run(mut self, requests: &Receiver<Request>) {
        let mut moved = Instant::now();
        let mut begun = moved;
        self.poll(Then::Poll);
        loop {
            let took = begun.elapsed();
            let pause = match self.pace {
                Pace::Steady(pause) => pause,
                Pace::Adaptive if self.is_lively() || moved.elapsed() < LATELY => {
                    pace_after(took).saturating_sub(took)
                }
                Pace::Adaptive => QUIET.saturating_sub(took),
            };
            let mut next = Instant::now() + pause;
            loop {
                let then = self.wait(requests, next);
                if then == Then::End {
                    return;
                }
                let now = Instant::now();
                if self.poll(then) {
                    moved = now;
                    if self.pace == Pace::Adaptive {
                        // What was quiet may be lively now.
                        next = next.min(now + BUSY);
                    }
                }
                match then {
                    Then::Glance => {}
                    Then::PollAndEnd => return,
                    _ => {
                        begun = now;
                        break;
                    }
                }
            }
        }
    }

    /// Whether anything runs.
    fn is_lively(&self) -> bool {
        self.last.as_ref().is_some_and(|s| s.states.values().any(|l| l.verdict.status.is_live()))
    }

    /// One poll. Returns whether anything changed.
    fn poll(&mut self, how: Then) -> bool {
        let seen = match how {
            Then::Glance => {
                self.woken = self.woken.max(Instant::now()) + BETWEEN_WAKES;
                self.watcher.tick_reported(&self.cx)
            }
            _ => self.watcher.tick(&self.cx),
        };
        let result = seen.map(Arc::new).map_err(Arc::new);
        let changed = match (&result, &self.last) {
            (Ok(now), Some(before)) => !is_same(before, now),
            _ => true,
        };
        self.last = result.as_ref().ok().cloned();
        self.version += u64::from(changed);
        let poll = Poll { result, version: self.version, answers: self.answers };
        self.publisher.send_replace(Some(poll));
        changed && self.last.is_some()
    }

    /// Waits for the next poll. Several reasons for one make one.
    fn wait(&mut self, requests: &Receiver<Request>, until: Instant) -> Then {
        let mut rests = false;
        let mut due = false;
        // When those are looked at that have changed.
        let mut glance: Option<Instant> = None;
        loop {
            let request = if due {
                match requests.try_recv() {
                    Ok(request) => request,
                    Err(_) => {
                        self.confirms = self.confirm.take().is_some();
                        return Then::Poll;
                    }
                }
            } else if rests {
                match requests.recv() {
                    Ok(request) => request,
                    Err(_) => return Then::End,
                }
            } else {
                let poll = self.confirm.map_or(until, |at| at.min(until));
                let next = glance.map_or(poll, |at| at.min(poll));
                match requests.recv_timeout(next.saturating_duration_since(Instant::now())) {
                    Ok(request) => request,
                    Err(RecvTimeoutError::Timeout) if next == poll => {
                        self.confirms = self.confirm.take().is_some();
                        return Then::Poll;
                    }
                    Err(RecvTimeoutError::Timeout) => {
                        self.confirms = false;
                        return Then::Glance;
                    }
                    Err(RecvTimeoutError::Disconnected) => return Then::End,
                }
            };
            match request {
                Request::Poll(number) => {
                    self.answers = self.answers.max(number);
                    // Something came, went or was done: all of it is looked at.
                    self.watcher.forget();
                    (rests, due) = (false, true);
                }
                Request::Changed => {
                    self.watcher.forget();
                    due |= !rests;
                }
                Request::Wake => {
                    let now = Instant::now();
                    let at = self.woken.checked_sub(AHEAD).map_or(now, |at| at.max(now));
                    if glance.is_none_or(|other| at < other) {
                        glance = Some(at);
                    }
                }
                // One poll confirms: what changes all the time is no reason to poll all the time.
                Request::Confirm if self.confirms => {}
                // It is looked at again: that it was seen once confirms nothing.
                Request::Confirm => drop(self.confirm.get_or_insert_with(|| Instant::now() + CONFIRM)),
                Request::Rest => (rests, due) = (true, false),
                Request::ReadAgain => self.watcher.read_again(),
                Request::End(true) => {
                    // What the user did last moved no window.
                    self.watcher.forget();
                    return Then::PollAndEnd;
                }
                Request::End(false) => return Then::End,
            }
        }
    }
}

/// The time from one poll to the next while something moves, by how long the last one took.
fn pace_after(look: Duration) -> Duration {
    look.saturating_mul(SHARE).clamp(BUSY, SLOWEST)
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
