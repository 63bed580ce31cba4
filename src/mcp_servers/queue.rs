//! Lines for a reader that may be slow: they wait in memory, and a thread of their own writes them. Nobody else waits.

use std::collections::VecDeque;
use std::io::Write;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How much may wait for a reader, in bytes; more for a while.
const MOST: usize = 8 * 1024 * 1024;
/// How much may wait before what a reader can do without is left out, in bytes.
const ROOM: usize = 1024 * 1024;
/// How much may wait in any case.
const MOST_EVER: usize = 64 * 1024 * 1024;
/// How long more than [`MOST`] may wait.
const PATIENCE: Duration = Duration::from_secs(5);

#[derive(Debug, Default)]
struct State {
    lines: VecDeque<String>,
    bytes: usize,
    /// Since when more waits than should.
    full_since: Option<Instant>,
    is_closed: bool,
}

/// The lines that wait.
#[derive(Debug, Clone, Default)]
pub(super) struct Queue(Arc<(Mutex<State>, Condvar)>);

impl Queue {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a line. False if its reader has been too slow for too long: it is to be disconnected.
    pub fn push(&self, line: String) -> bool {
        let mut state = self.state();
        if state.is_closed {
            return true;
        }
        state.bytes += line.len() + 1;
        state.lines.push_back(line);
        let is_slow = match state.bytes {
            bytes if bytes > MOST_EVER => true,
            bytes if bytes > MOST => state.full_since.get_or_insert_with(Instant::now).elapsed() >= PATIENCE,
            _ => {
                state.full_since = None;
                false
            }
        };
        self.0.1.notify_one();
        !is_slow
    }

    /// Adds a line that its reader can do without, unless that one is behind: a server that says more than a client reads
    /// would have it disconnected otherwise.
    pub fn push_if_room(&self, line: String) {
        if self.state().bytes < ROOM {
            self.push(line);
        }
    }

    /// Lets nothing more in; what waits is still written.
    pub fn close(&self) {
        self.state().is_closed = true;
        self.0.1.notify_one();
    }

    /// The next lines as one piece; none once it is closed and empty.
    fn take(&self) -> Option<Vec<u8>> {
        let mut state = self.state();
        loop {
            if !state.lines.is_empty() {
                let mut piece = Vec::new();
                while let Some(line) = state.lines.pop_front() {
                    piece.extend_from_slice(line.as_bytes());
                    piece.push(b'\n');
                    if piece.len() >= 64 * 1024 {
                        break;
                    }
                }
                return Some(piece);
            }
            if state.is_closed {
                return None;
            }
            state = self.0.1.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Writes what comes until the queue is closed or the reader is gone; drops the stream then.
    pub fn write_to(&self, mut stream: impl Write) {
        while let Some(piece) = self.take() {
            if stream.write_all(&piece).and_then(|()| stream.flush()).is_err() {
                break;
            }
            let mut state = self.state();
            state.bytes = state.bytes.saturating_sub(piece.len());
            if state.bytes <= MOST {
                state.full_since = None;
            }
        }
        let mut state = self.state();
        state.is_closed = true;
        state.lines.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_written_in_order_and_the_rest_after_the_end() {
        let queue = Queue::default();
        assert!(queue.push("a".into()) && queue.push("b".into()));
        queue.close();
        assert!(queue.push("late".into()));
        let mut out = Vec::new();
        queue.write_to(&mut out);
        assert_eq!(out, b"a\nb\n");
    }

    #[test]
    fn what_a_reader_can_do_without_is_left_out_where_it_is_behind() {
        let queue = Queue::default();
        let line = "x".repeat(300 * 1024);
        (0..100).for_each(|_| queue.push_if_room(line.clone()));
        assert!(queue.push("an answer".into()));
        queue.close();
        let mut out = Vec::new();
        queue.write_to(&mut out);
        assert_eq!(out.len(), 4 * (line.len() + 1) + 10);
        assert!(out.ends_with(b"an answer\n"));
    }

    #[test]
    fn a_reader_that_never_reads_is_found_out_and_bounded() {
        let queue = Queue::default();
        let line = "x".repeat(1024 * 1024);
        let taken = (0..100).take_while(|_| queue.push(line.clone())).count();
        assert!((8..=64).contains(&taken), "{taken}");
    }
}
