//! A job's output: read from its pipes, kept in segments, with a note of which stream came when.

use std::fs::File;
use std::io::{self, PipeReader, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};

use nix::fcntl::{FcntlArg, OFlag, fcntl};

use super::asker::Asker;
use crate::domain::shell::Stream;
use crate::ports::shells::Which;
use crate::shells::folder::JobFolder;
use crate::shells::segments::Writer;

/// How many bytes are read at once.
const CHUNK: usize = 256 * 1024;
/// How many bytes a pipe holds where the system allows it.
#[cfg(target_os = "linux")]
const PIPE: i32 = 1024 * 1024;
/// How many bytes the notes of the order may have; then they begin again.
const ORDER: u64 = 1024 * 1024;

/// Both streams.
#[derive(Debug)]
pub struct Pipes {
    streams: Vec<(Which, Option<PipeReader>, Writer)>,
    order: Order,
    buffer: Vec<u8>,
}

impl Pipes {
    /// Reads these pipes. A missing one is that of a stream that goes into the other.
    pub fn new(folder: &JobFolder, stdout: PipeReader, stderr: Option<PipeReader>) -> io::Result<Self> {
        let mut streams = Vec::new();
        for (which, pipe) in [(Which::Stdout, Some(stdout)), (Which::Stderr, stderr)] {
            if let Some(pipe) = &pipe {
                let flags = OFlag::from_bits_truncate(fcntl(pipe, FcntlArg::F_GETFL)?);
                fcntl(pipe, FcntlArg::F_SETFL(flags | OFlag::O_NONBLOCK))?;
                // A smaller one only costs wake-ups.
                #[cfg(target_os = "linux")]
                let _ = fcntl(pipe, FcntlArg::F_SETPIPE_SZ(PIPE));
            }
            streams.push((which, pipe, Writer::new(folder.clone(), which)));
        }
        Ok(Self { streams, order: Order::new(folder.clone()), buffer: vec![0; CHUNK] })
    }

    /// The pipes that are still open.
    pub fn open(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        self.streams.iter().filter_map(|(_, pipe, _)| Some(pipe.as_ref()?.as_fd()))
    }

    /// What is kept of stdout and stderr.
    pub fn kept(&self) -> (Stream, Stream) {
        let of = |which| {
            self.streams.iter().find(|(w, ..)| *w == which).map(|(.., w)| w.stream()).unwrap_or_default()
        };
        (of(Which::Stdout), of(Which::Stderr))
    }

    /// Why output was not kept, if that happened.
    pub fn problem(&self) -> Option<&str> {
        self.streams.iter().find_map(|(.., writer)| writer.problem.as_deref())
    }

    /// Reads once from each pipe what is in it. Returns whether there was anything.
    pub fn read(&mut self, asker: &mut Asker, stream: bool) -> bool {
        let mut any = false;
        for (which, pipe, writer) in &mut self.streams {
            let Some(reader) = pipe else { continue };
            match reader.read(&mut self.buffer) {
                Ok(0) => *pipe = None,
                Ok(n) => {
                    any = true;
                    let bytes = self.buffer.get(..n).unwrap_or_default();
                    self.order.note(*which, writer.stream().total);
                    writer.add(bytes);
                    if stream {
                        asker.output(*which, bytes);
                    }
                }
                Err(e) if matches!(e.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {}
                Err(_) => *pipe = None,
            }
        }
        any
    }

    /// Reads all that is in the pipes now; never waits for their end.
    pub fn drain(&mut self, asker: &mut Asker, stream: bool) {
        // A process that outlives the leader may write without an end: no more than both pipes can hold.
        let mut left = 64;
        while left > 0 && self.read(asker, stream) {
            left -= 1;
        }
    }
}

/// Which stream came when: 16 bytes each time that it changes.
#[derive(Debug)]
struct Order {
    folder: JobFolder,
    file: Option<File>,
    last: Option<Which>,
    size: u64,
}

impl Order {
    const fn new(folder: JobFolder) -> Self {
        Self { folder, file: None, last: None, size: 0 }
    }

    fn note(&mut self, which: Which, offset: u64) {
        if self.last == Some(which) {
            return;
        }
        self.last = Some(which);
        if self.file.is_none() {
            self.file = crate::sys::files::open_to_append(&self.folder.order()).ok();
        }
        let Some(file) = &mut self.file else { return };
        if self.size >= ORDER {
            // What came before is then shown stream by stream.
            let _ = file.set_len(0);
            self.size = 0;
        }
        let mut entry = [0_u8; 16];
        entry[0] = if which == Which::Stdout { 1 } else { 2 };
        entry[8..].copy_from_slice(&offset.to_be_bytes());
        // Without it the streams can still be read one by one.
        let _ = file.write_all(&entry);
        self.size += 16;
    }
}
