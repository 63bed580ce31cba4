//! Reading a file of JSON lines on from where it was left, by pieces.
//!
//! Invariants: no more than was asked for is read at once, and no more than one line is held; a line that is still being
//! written is left for the next time; a file that became shorter, or another one under the same name, is read again.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use serde_json::Value;

use crate::sys::files;

/// How far a file has been read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Reached {
    /// The file's number on its disk.
    pub inode: u64,
    pub read: u64,
    /// Whether what follows is the rest of a line that is passed over.
    pub in_line: bool,
}

/// A file that is read on.
#[derive(Debug)]
pub(super) struct Lines {
    file: File,
    /// Its size in bytes when it was opened.
    pub bytes: u64,
    pub reached: Reached,
    /// Whether it is another file than the one that was read before, or shorter: it is read from its beginning.
    pub is_another: bool,
}

impl Lines {
    pub fn open(path: &Path, reached: Reached) -> io::Result<Self> {
        let file = files::open(path)?;
        let meta = file.metadata()?;
        let is_another = reached.inode != meta.ino() || reached.read > meta.len();
        let reached = if is_another { Reached { inode: meta.ino(), ..Reached::default() } } else { reached };
        Ok(Self { file, bytes: meta.len(), reached, is_another })
    }

    /// Reads `most` bytes more, and holds a line of at most `longest`; longer ones are passed over. `take` gets each line that is
    /// JSON. Returns whether that was all but a line that is still being written.
    pub fn read(&mut self, most: u64, longest: u64, take: &mut dyn FnMut(&Value)) -> io::Result<bool> {
        let reached = &mut self.reached;
        self.file.seek(SeekFrom::Start(reached.read))?;
        let end = reached.read.saturating_add(most).min(self.bytes);
        let mut bytes = Vec::new();
        let mut whole = reached.read == self.bytes;
        while reached.read < end {
            let mut more = Vec::new();
            let wanted = longest.saturating_sub(bytes.len() as u64);
            if (&mut self.file).take(wanted).read_to_end(&mut more)? == 0 {
                // What is left is the beginning of a line that the agent is writing.
                whole = reached.read + bytes.len() as u64 >= self.bytes;
                break;
            }
            bytes.append(&mut more);
            let Some(last) = bytes.iter().rposition(|b| *b == b'\n') else {
                if bytes.len() as u64 >= longest {
                    reached.read += bytes.len() as u64;
                    reached.in_line = true;
                    bytes.clear();
                }
                continue;
            };
            for line in bytes.get(..last).unwrap_or_default().split(|b| *b == b'\n') {
                let is_rest = std::mem::take(&mut reached.in_line);
                if let Some(record) = (!is_rest).then(|| serde_json::from_slice::<Value>(line).ok()).flatten()
                {
                    take(&record);
                }
            }
            bytes.drain(..=last);
            reached.read += last as u64 + 1;
            whole = reached.read == self.bytes;
        }
        Ok(whole)
    }
}
