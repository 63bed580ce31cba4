//! What goes over the socket between a supervisor and whoever asked for its job.

use std::io::{self, Read, Write};

use serde::{Deserialize, Serialize};

use crate::ports::shells::Which;

/// What to run. Some of it is secret, so it is on no disk.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Request {
    /// Instead of code in the shell: a program with its arguments, with the supervisor's own environment.
    pub program: Option<Vec<String>>,
    /// Variables for this job alone.
    pub env: Vec<(String, String)>,
    /// Another folder for this job alone.
    pub folder: Option<String>,
    /// Whether the job's stdin stays open for `job write`.
    pub open_stdin: bool,
    /// Whether both streams go into one pipe.
    pub merge: bool,
    /// Whether output goes over the socket as well.
    pub stream: bool,
    /// Whether it takes a turn, and gives its state back.
    pub takes_turn: bool,
    /// When its caller no longer waits.
    pub timeout_ms: Option<u64>,
    /// Whether it is ended then.
    pub kill_on_timeout: bool,
    /// Variables that name the job.
    pub own_env: Vec<(String, String)>,
}

/// What a supervisor reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tag {
    Started,
    Stdout,
    Stderr,
    Detached,
    Ended,
    Failed,
}

impl Tag {
    pub const fn byte(self) -> u8 {
        match self {
            Self::Started => b's',
            Self::Stdout => b'o',
            Self::Stderr => b'e',
            Self::Detached => b'd',
            Self::Ended => b'x',
            Self::Failed => b'f',
        }
    }

    pub fn of(byte: u8) -> Option<Self> {
        [Self::Started, Self::Stdout, Self::Stderr, Self::Detached, Self::Ended, Self::Failed]
            .into_iter()
            .find(|t| t.byte() == byte)
    }

    pub const fn of_stream(which: Which) -> Self {
        match which {
            Which::Stdout => Self::Stdout,
            Which::Stderr => Self::Stderr,
        }
    }
}

/// The most bytes of one message.
const MAX_BYTES: u32 = 16 * 1024 * 1024;

/// One message: its tag, its length, its bytes.
pub fn frame(tag: u8, bytes: &[u8]) -> Vec<u8> {
    let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    let mut frame = Vec::with_capacity(bytes.len() + 5);
    frame.push(tag);
    frame.extend(length.to_be_bytes());
    frame.extend(bytes);
    frame
}

/// Reads one message; `None` at the end.
pub fn read_frame(from: &mut impl Read) -> io::Result<Option<(u8, Vec<u8>)>> {
    let mut head = [0; 5];
    match from.read_exact(&mut head) {
        Err(e) if matches!(e.kind(), io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset) => {
            return Ok(None);
        }
        other => other?,
    }
    let [tag, length @ ..] = head;
    let length = u32::from_be_bytes(length);
    if length > MAX_BYTES {
        return Err(io::Error::other("a message is too long"));
    }
    let mut bytes = vec![0; usize::try_from(length).map_err(io::Error::other)?];
    from.read_exact(&mut bytes)?;
    Ok(Some((tag, bytes)))
}

/// Sends the request.
pub fn send_request(to: &mut impl Write, request: &Request) -> io::Result<()> {
    let bytes = serde_json::to_vec(request).map_err(io::Error::other)?;
    to.write_all(&frame(b'r', &bytes))
}

/// Receives it.
pub fn receive_request(from: &mut impl Read) -> io::Result<Request> {
    let (_, bytes) = read_frame(from)?.ok_or_else(|| io::Error::other("nobody asks"))?;
    serde_json::from_slice(&bytes).map_err(io::Error::other)
}
