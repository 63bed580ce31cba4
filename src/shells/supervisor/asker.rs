//! Who asked for a job, as its supervisor sees them: a socket that takes reports, or nobody any more.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;

use crate::ports::shells::Which;
use crate::shells::messages::{Tag, frame};

/// How many bytes may wait for the asker before the job's pipes are left alone.
const PENDING: usize = 1024 * 1024;

/// The asker.
#[derive(Debug)]
pub struct Asker {
    pub socket: UnixStream,
    pending: Vec<u8>,
    is_gone: bool,
}

/// What an asker wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    /// The job is to be interrupted.
    Interrupt,
}

impl Asker {
    pub fn new(socket: UnixStream) -> Self {
        Self { socket, pending: Vec::new(), is_gone: false }
    }

    /// From now on nothing waits for it.
    pub fn is_ready(&self) -> io::Result<()> {
        self.socket.set_nonblocking(true)
    }

    pub fn is_gone(&self) -> bool {
        self.is_gone
    }

    /// Whether it has more to read than it should.
    pub fn is_behind(&self) -> bool {
        self.pending.len() > PENDING
    }

    /// Whether something waits to be sent.
    pub fn has_pending(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Reports something.
    pub fn tell(&mut self, tag: Tag, bytes: &[u8]) {
        if !self.is_gone {
            self.pending.extend(frame(tag.byte(), bytes));
            self.send();
        }
    }

    /// Passes output on.
    pub fn output(&mut self, which: Which, bytes: &[u8]) {
        self.tell(Tag::of_stream(which), bytes);
    }

    /// Reports why nothing runs.
    pub fn fail(&mut self, why: &str) {
        self.tell(Tag::Failed, why.as_bytes());
        self.finish();
    }

    /// Sends what it takes.
    pub fn send(&mut self) {
        while !self.pending.is_empty() && !self.is_gone {
            match self.socket.write(&self.pending) {
                Ok(0) => self.leave(),
                Ok(n) => drop(self.pending.drain(..n)),
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => return,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => self.leave(),
            }
        }
    }

    /// What it wants; after it is gone, nothing.
    pub fn hear(&mut self) -> Option<Wish> {
        let mut bytes = [0; 64];
        loop {
            match self.socket.read(&mut bytes) {
                Ok(0) => {
                    self.leave();
                    return None;
                }
                Ok(n) => return bytes.get(..n)?.contains(&b'i').then_some(Wish::Interrupt),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => return None,
                Err(_) => {
                    self.leave();
                    return None;
                }
            }
        }
    }

    /// Nothing more is reported.
    pub fn leave(&mut self) {
        self.is_gone = true;
        self.pending.clear();
    }

    /// Sends all that waits, as long as somebody reads it, and closes.
    pub fn finish(&mut self) {
        // Who doesn't read any more is waited for no longer than it lives.
        if !self.is_gone && self.socket.set_nonblocking(false).is_ok() {
            let _ = self.socket.write_all(&self.pending);
        }
        self.leave();
        let _ = self.socket.shutdown(std::net::Shutdown::Both);
    }
}
