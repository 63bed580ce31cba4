//! Reading the lines of a log or of an archive.

use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

use serde_json::Value;

use crate::domain::talk::{Event, LOG_VERSION, Record};
use crate::sys::files;

/// The most that is read of a log, in bytes.
const MAX_BYTES: u64 = files::MAX_BYTES;
/// How much of a log's end is read at first, in bytes.
const FIRST: u64 = 64 * 1024;

/// A line of a log.
#[derive(Debug, Clone)]
pub(super) struct Line {
    /// Where it begins.
    pub at: u64,
    /// Its bytes with the newline.
    pub len: u64,
    pub record: Option<Record>,
}

/// Some lines of a log, from the start of one on.
#[derive(Debug, Clone, Default)]
pub(super) struct Lines {
    pub lines: Vec<Line>,
    pub bytes: Vec<u8>,
    /// Where the first one begins.
    pub from: u64,
    /// Where the last whole one ends.
    pub end: u64,
    /// What is behind that: the beginning of a line that was not written whole.
    pub torn: Vec<u8>,
}

impl Lines {
    pub fn records(&self) -> impl Iterator<Item = &Record> {
        self.lines.iter().filter_map(|line| line.record.as_ref())
    }

    /// What is wrong with lines, by their numbers counted from `first`.
    pub fn problems(&self, first: usize, name: &str) -> Vec<String> {
        let bad = self.lines.iter().zip(first..).filter(|(line, _)| line.record.is_none());
        bad.map(|(line, number)| {
            format!("line {number} of {name} is no record and is passed over: {}", self.words(line))
        })
        .collect()
    }

    fn words(&self, line: &Line) -> String {
        let text = String::from_utf8_lossy(self.bytes_of(line)).into_owned();
        let version = serde_json::from_str::<Value>(&text)
            .ok()
            .and_then(|v| v.get("event")?.as_str().map(str::to_owned));
        version.map_or_else(
            || "it is no JSON of a record".to_owned(),
            |event| format!("its event {event:?} is unknown or not whole"),
        )
    }

    /// The bytes of a line, with its newline.
    pub fn bytes_of(&self, line: &Line) -> &[u8] {
        let at = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
        self.bytes.get(at(line.at - self.from)..at(line.at - self.from + line.len)).unwrap_or_default()
    }
}

/// The lines in some bytes, of which the first begins at `from`.
pub(super) fn lines_of(bytes: Vec<u8>, from: u64) -> Lines {
    let mut lines = Vec::new();
    let mut at = 0;
    for part in bytes.split_inclusive(|b| *b == b'\n') {
        if !part.ends_with(b"\n") {
            break;
        }
        let len = part.len() as u64;
        if !part.trim_ascii().is_empty() {
            lines.push(Line { at: from + at, len, record: serde_json::from_slice(part).ok() });
        }
        at += len;
    }
    let torn = bytes.get(usize::try_from(at).unwrap_or(usize::MAX)..).unwrap_or_default().to_vec();
    Lines { lines, bytes, from, end: from + at, torn }
}

fn is_missing(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound
}

/// All lines of a file from a place on; none of a file that is missing.
pub(super) fn read_from(path: &Path, from: u64) -> io::Result<Lines> {
    let mut file = match files::open(path) {
        Ok(file) => file,
        Err(error) if is_missing(&error) => return Ok(Lines::default()),
        Err(error) => return Err(error),
    };
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut bytes)?;
    Ok(lines_of(bytes, from))
}

/// The last lines of a file: as many as it takes until `is_enough` says so of the records, or all.
pub(super) fn read_end(path: &Path, is_enough: &dyn Fn(&Lines) -> bool) -> io::Result<Lines> {
    let mut file = match files::open(path) {
        Ok(file) => file,
        Err(error) if is_missing(&error) => return Ok(Lines::default()),
        Err(error) => return Err(error),
    };
    let len = file.metadata()?.len();
    let mut most = FIRST;
    loop {
        let from = len.saturating_sub(most);
        file.seek(SeekFrom::Start(from))?;
        let mut bytes = Vec::new();
        file.by_ref().take(len - from).read_to_end(&mut bytes)?;
        let (bytes, from) = if from == 0 {
            (bytes, 0)
        } else {
            // Where it was cut, the first line is only part of one.
            let start = bytes.iter().position(|b| *b == b'\n').map_or(bytes.len(), |at| at + 1);
            (bytes.split_off(start), from + start as u64)
        };
        let lines = lines_of(bytes, from);
        if from == 0 || is_enough(&lines) {
            return Ok(lines);
        }
        most = most.saturating_mul(4);
    }
}

/// The first line of a log.
pub(super) fn head(path: &Path) -> io::Result<Option<Record>> {
    let mut file = match files::open(path) {
        Ok(file) => file,
        Err(error) if is_missing(&error) => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut bytes = Vec::new();
    let mut most = 8 * 1024;
    loop {
        file.seek(SeekFrom::Start(0))?;
        bytes.clear();
        file.by_ref().take(most).read_to_end(&mut bytes)?;
        if let Some(end) = bytes.iter().position(|b| *b == b'\n') {
            return Ok(serde_json::from_slice(bytes.get(..end).unwrap_or_default()).ok());
        }
        if (bytes.len() as u64) < most {
            return Ok(None);
        }
        most = most.saturating_mul(8);
    }
}

/// The version of the log that a head says, if it is newer than this deck.
pub(super) fn newer(head: &Record) -> Option<u32> {
    match head.event {
        Event::Created { log, .. } | Event::Base { log, .. } if log > LOG_VERSION => Some(log),
        _ => None,
    }
}

/// A record as a line.
pub(super) fn line(record: &Record) -> Vec<u8> {
    // It holds nothing that can't be written.
    let mut bytes = serde_json::to_vec(record).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}
