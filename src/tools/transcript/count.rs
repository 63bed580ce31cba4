//! Counting whole conversations: an index of each file, grown by a bounded piece at a time.
//!
//! Invariants: what was counted is never counted again; a file that became shorter, or another one, is counted again.

use std::io;
use std::path::{Path, PathBuf};

use super::lines::{Lines, Reached};
use super::{Adder, file_of, format};
use crate::domain::conversation::{Counted, Totals};
use crate::ports::reports::Asked;
use crate::sys::files;
use serde::{Deserialize, Serialize};

/// The most that is held of a file, in bytes. A line that is longer is passed over.
const PIECE: u64 = 1024 * 1024;

/// The most that is read of an index, in bytes.
const MOST_INDEX: u64 = 1024 * 1024;

/// How far one file has been counted.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
struct Index {
    /// The file's number on its disk: another file under the same name is another conversation.
    inode: u64,
    read: u64,
    /// Whether what follows is the rest of a line that is passed over.
    #[serde(default)]
    in_line: bool,
    totals: Totals,
}

/// Where the indexes are kept. Losing one costs time, nothing else.
#[derive(Debug, Default)]
pub(in crate::tools) struct Counts {
    dir: PathBuf,
}

impl Counts {
    /// Indexes in this folder, which need not be there yet.
    pub const fn new(dir: PathBuf) -> Self {
        Self { dir }
    }

    /// What the agent's conversation adds up to, after reading `most` bytes more of it.
    pub fn count(&self, asked: &Asked<'_>, most: u64) -> Option<Counted> {
        let (format, id) = (format(asked)?, asked.conversation?);
        let path = file_of(asked)?;
        // An id may hold what no file's name may.
        let name: String =
            id.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect();
        let kept = self.dir.join(format!("{name}.json"));
        let old: Option<Index> =
            files::read(&kept, MOST_INDEX).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let (index, counted) = grow(&path, old.clone().unwrap_or_default(), most, format.adds).ok()?;
        if old.as_ref() != Some(&index)
            && let Err(error) = self.keep(&kept, &index)
        {
            tracing::debug!(%error, path = %kept.display(), "can't store the progress of counting a conversation");
        }
        Some(counted)
    }

    fn keep(&self, path: &Path, index: &Index) -> io::Result<()> {
        files::make_dir(&self.dir)?;
        files::replace(path, &serde_json::to_vec(index)?, || Ok(()))
    }
}

/// Counts on from where an index ends.
fn grow(path: &Path, mut index: Index, most: u64, adds: Adder) -> io::Result<(Index, Counted)> {
    let mut lines =
        Lines::open(path, Reached { inode: index.inode, read: index.read, in_line: index.in_line })?;
    if lines.is_another {
        index.totals = Totals::default();
    }
    let totals = &mut index.totals;
    let whole = lines.read(most, PIECE, &mut |record| adds(totals, record))?;
    let Reached { inode, read, in_line } = lines.reached;
    let index = Index { inode, read, in_line, totals: index.totals };
    let counted = Counted { totals: index.totals.clone(), read, bytes: lines.bytes, whole };
    Ok((index, counted))
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn lines(totals: &mut Totals, record: &Value) {
        totals.prompts += 1;
        totals.input_tokens += record.get("n").and_then(Value::as_u64).unwrap_or_default();
    }

    fn write(path: &Path, text: &str) {
        files::append(path, text.as_bytes()).unwrap();
    }

    #[test]
    fn a_file_is_counted_by_pieces_and_each_line_once() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("c.jsonl");
        let long = "x".repeat(usize::try_from(PIECE).unwrap());
        for n in 0..3 {
            write(&path, &format!("{{\"n\":{n}}}\nnot json\n{{\"text\":\"{long}\",\"n\":100}}\n"));
        }
        write(&path, "{\"n\":7}\n{\"n\":");
        let mut index = Index::default();
        for most in [1, 10, PIECE, PIECE, 3 * PIECE] {
            let (grown, counted) = grow(&path, index.clone(), most, lines).unwrap();
            assert!(grown.read >= index.read && (counted.read, counted.bytes > 0) == (grown.read, true));
            index = grown;
        }
        let (index, counted) = grow(&path, index, u64::MAX, lines).unwrap();
        // Lines that are too long to hold are passed over; the last one is not written yet.
        assert_eq!((counted.totals.prompts, counted.totals.input_tokens), (4, 10));
        assert!(counted.whole, "{counted:?}");
        write(&path, "5}\n");
        let (_, counted) = grow(&path, index.clone(), u64::MAX, lines).unwrap();
        assert_eq!((counted.totals.prompts, counted.totals.input_tokens), (5, 15));
        // Another file under this name starts over.
        std::fs::remove_file(&path).unwrap();
        write(&path, "{\"n\":1}\n");
        let (_, counted) = grow(&path, index, u64::MAX, lines).unwrap();
        assert_eq!(counted.totals.input_tokens, 1);
    }
}
