//! A stream of output on disk: segments of one size, named by number. The first bytes and the last ones stay, what is
//! between them goes.
//!
//! Invariant: a byte is at its absolute offset: in segment offset / size. What could not be written is counted.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileExt, OpenOptionsExt};

use super::folder::{JobFolder, prefix};
use crate::domain::shell::{HEAD, SEGMENT, Stream, TAIL};
use crate::ports::shells::Which;
use crate::sys::files;

/// Writes a stream.
#[derive(Debug)]
pub struct Writer {
    folder: JobFolder,
    which: Which,
    stream: Stream,
    /// The oldest segment behind the first one that exists.
    oldest: u64,
    open: Option<(u64, File)>,
    /// Why bytes were not kept, if that ever happened.
    pub problem: Option<String>,
}

impl Writer {
    pub fn new(folder: JobFolder, which: Which) -> Self {
        Self { folder, which, stream: Stream::default(), oldest: 1, open: None, problem: None }
    }

    /// What is kept so far.
    pub fn stream(&self) -> Stream {
        let mut stream = self.stream;
        if stream.first == 0 {
            stream.head = stream.total;
        }
        stream
    }

    /// Adds bytes. A disk that takes none loses them, but never the count.
    pub fn add(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let (number, at) = (self.stream.total / SEGMENT, self.stream.total % SEGMENT);
            let room = usize::try_from(SEGMENT - at).unwrap_or(usize::MAX).min(rest.len());
            let (now, later) = rest.split_at(room);
            let written = self.file(number).and_then(|file| file.write_all_at(now, at));
            let before = self.stream.total;
            self.stream.total += now.len() as u64;
            if let Err(error) = written {
                // Everything up to the next byte that is kept is missing.
                self.problem = Some(error.to_string());
                if self.stream.first == 0 {
                    self.stream.head = before;
                }
                self.stream.first = self.stream.total;
                self.open = None;
            }
            rest = later;
        }
        self.evict();
    }

    fn file(&mut self, number: u64) -> io::Result<&File> {
        if self.open.as_ref().is_none_or(|(n, _)| *n != number) {
            let path = self.folder.segment(self.which, number);
            let file = OpenOptions::new()
                .read(true)
                .write(true)
                .create(true)
                .truncate(false)
                .mode(0o600)
                .open(path)?;
            self.open = Some((number, file));
        }
        self.open.as_ref().map(|(_, file)| file).ok_or_else(|| io::Error::other("no segment"))
    }

    /// Removes segments that lie wholly before the last bytes.
    fn evict(&mut self) {
        let last_kept = self.stream.total.saturating_sub(TAIL) / SEGMENT;
        if last_kept == 0 {
            return;
        }
        if self.stream.first < last_kept * SEGMENT {
            let of_first = if self.stream.first == 0 { HEAD } else { self.stream.head };
            self.stream.head = of_first.min(HEAD);
            self.stream.first = last_kept * SEGMENT;
            let first = self.folder.segment(self.which, 0);
            // What can't be cut off costs only room.
            let _ = OpenOptions::new().write(true).open(first).and_then(|f| f.set_len(self.stream.head));
        }
        while self.oldest < last_kept {
            let _ = std::fs::remove_file(self.folder.segment(self.which, self.oldest));
            self.oldest += 1;
        }
    }
}

/// What is kept of a stream that is still written, by its files.
pub fn measure(folder: &JobFolder, which: Which) -> io::Result<Stream> {
    let mut all: Vec<(u64, u64)> = Vec::new();
    let entries = match std::fs::read_dir(&folder.0) {
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Stream::default()),
        other => other?,
    };
    for entry in entries {
        let entry = entry?;
        let number = entry.file_name().to_str().and_then(|n| n.strip_prefix(prefix(which))?.parse().ok());
        // One that was removed since is none.
        if let (Some(number), Ok(meta)) = (number, entry.metadata()) {
            all.push((number, meta.len()));
        }
    }
    all.sort_unstable();
    let Some((last, size)) = all.last().copied() else { return Ok(Stream::default()) };
    let total = last * SEGMENT + size;
    let mut first = last;
    while first > 0 && all.iter().any(|(n, _)| *n == first - 1) {
        first -= 1;
    }
    let of_first = all.first().filter(|(n, _)| *n == 0).map_or(0, |(_, size)| *size);
    // The first segment is cut before any other is removed.
    let is_cut = last > 0 && of_first < SEGMENT;
    if first == 0 && is_cut {
        first = 1;
    }
    let first = first * SEGMENT;
    Ok(Stream { total, first, head: if first == 0 { total } else { of_first.min(HEAD) } })
}

/// Reads kept bytes.
pub fn read(folder: &JobFolder, which: Which, from: u64, to: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut at = from;
    while at < to {
        let (number, offset) = (at / SEGMENT, at % SEGMENT);
        let end = to.min((number + 1) * SEGMENT);
        let mut part = vec![0; usize::try_from(end - at).map_err(io::Error::other)?];
        files::open(&folder.segment(which, number))?.read_exact_at(&mut part, offset)?;
        bytes.append(&mut part);
        at = end;
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn folder() -> (tempfile::TempDir, JobFolder) {
        let dir = tempfile::tempdir().unwrap();
        let folder = JobFolder(dir.path().to_owned());
        (dir, folder)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn what_is_kept_is_what_was_written(sizes in prop::collection::vec(1usize..300_000, 1..14)) {
            let (_dir, folder) = folder();
            let mut writer = Writer::new(folder.clone(), Which::Stdout);
            let mut all: Vec<u8> = Vec::new();
            for size in sizes {
                let bytes: Vec<u8> = (all.len()..all.len() + size).map(|i| (i % 251) as u8).collect();
                writer.add(&bytes);
                all.extend(bytes);
                let stream = writer.stream();
                prop_assert_eq!(stream.total, all.len() as u64);
                prop_assert_eq!(measure(&folder, Which::Stdout).unwrap(), stream);
                prop_assert!(!stream.is_truncated() || stream.head >= HEAD);
                prop_assert!(stream.total - stream.first >= TAIL.min(stream.total) || stream.first == 0);
                for (from, to) in [(0, stream.head), (stream.first, stream.total)] {
                    let read = read(&folder, Which::Stdout, from, to).unwrap();
                    prop_assert!(read == all[usize::try_from(from).unwrap()..usize::try_from(to).unwrap()]);
                }
                let kept: u64 = std::fs::read_dir(&folder.0).unwrap().map(|e| e.unwrap().metadata().unwrap().len()).sum();
                prop_assert!(kept <= HEAD + TAIL + SEGMENT, "{}", kept);
            }
        }
    }

    #[test]
    fn what_the_disk_does_not_take_is_counted() {
        let (dir, folder) = folder();
        let mut writer = Writer::new(folder.clone(), Which::Stdout);
        writer.add(b"kept");
        let whole = vec![1; usize::try_from(SEGMENT).unwrap()];
        // A folder in the place of the second segment.
        std::fs::create_dir(dir.path().join("out.000001")).unwrap();
        writer.add(&whole);
        assert!(writer.problem.is_some());
        let stream = writer.stream();
        assert_eq!((stream.total, stream.first), (SEGMENT + 4, SEGMENT + 4));
        assert_eq!(stream.head, SEGMENT);
        std::fs::remove_dir(dir.path().join("out.000001")).unwrap();
        writer.add(b"again");
        assert_eq!(read(&folder, Which::Stdout, SEGMENT + 4, SEGMENT + 9).unwrap(), b"again");
    }
}
