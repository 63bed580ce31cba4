//! The turn of a shell: one job at a time may change its state. The kernel keeps the queue.

use std::fs::File;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Instant;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::asker::Asker;
use super::events::{Events, take};
use crate::shells::control;
use crate::sys::lock;

/// The requests that end a job which has not begun.
const ENDS: &[&str] =
    &["kill", "signal SIGTERM", "signal SIGKILL", "signal SIGINT", "signal SIGHUP", "signal SIGQUIT"];

/// How a job's time in the queue ended.
#[derive(Debug)]
pub enum Queued {
    /// It has the turn for as long as this is open.
    Turn(File),
    /// Whoever asked has left, or was asked to.
    Left(&'static str),
}

/// Waits for the turn, until who asked is gone, the time is up, or it is killed. What else it is asked for is put into
/// `later`.
pub fn wait(
    path: &Path,
    asker: &mut Asker,
    events: &mut Events,
    control: &mut File,
    later: &mut Vec<String>,
    deadline: Option<Instant>,
) -> std::io::Result<Queued> {
    let file = lock::file(path)?;
    if file.try_lock().is_ok() {
        return Ok(Queued::Turn(file));
    }
    let (done, mut taken) = {
        let (reader, writer) = UnixStream::pair()?;
        (writer, reader)
    };
    taken.set_nonblocking(true)?;
    let waiting = std::thread::spawn(move || {
        let result = lock::wait(&file).map(|()| file);
        // Its end is what is waited for.
        drop(done);
        result
    });
    loop {
        let timeout = match deadline.map(|d| d.saturating_duration_since(Instant::now())) {
            None => PollTimeout::NONE,
            Some(left) if left.is_zero() => return Ok(Queued::Left("its time was up before it began")),
            Some(left) => PollTimeout::try_from(left.as_millis() + 1).unwrap_or(PollTimeout::MAX),
        };
        let readable = {
            let mut fds = [
                PollFd::new(taken.as_fd(), PollFlags::POLLIN),
                PollFd::new(asker.socket.as_fd(), PollFlags::POLLIN),
                PollFd::new(events.end.as_fd(), PollFlags::POLLIN),
                PollFd::new(control.as_fd(), PollFlags::POLLIN),
            ];
            match poll(&mut fds, timeout) {
                Err(nix::errno::Errno::EINTR) => continue,
                other => other?,
            };
            fds.map(|fd| fd.any() == Some(true))
        };
        let [has_turn, asks, ends, is_told] = readable;
        if is_told {
            for line in control::lines(control) {
                if ENDS.contains(&line.as_str()) {
                    return Ok(Queued::Left("it was killed before it began"));
                }
                later.push(line);
            }
        }
        if has_turn {
            let _ = take(&mut taken);
            return match waiting.join() {
                Ok(result) => result.map(Queued::Turn),
                Err(_) => Err(std::io::Error::other("the thread that waits for the turn ended")),
            };
        }
        if asks && (asker.hear().is_some() || asker.is_gone()) {
            return Ok(Queued::Left("its caller left the queue"));
        }
        if ends && take(&mut events.end) {
            return Ok(Queued::Left("it was told to end before it began"));
        }
    }
}
