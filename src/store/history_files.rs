//! The [`History`] in files: one for each session, with one JSON object on each line.
//!
//! Invariants: a line is appended in one write, so that several decks may do so; a file that has
//! grown to twice what is kept is cut back; a line that can't be read is passed over.

use std::io::{self, ErrorKind};
use std::path::PathBuf;

use crate::domain::id::SessionId;
use crate::domain::status::Change;
use crate::ports::history::{History, KEPT};
use crate::sys::files;

/// The most that is read of a file, in bytes: far more than one ever has.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// History files in their own folder.
#[derive(Debug)]
pub struct HistoryFiles {
    folder: PathBuf,
}

impl HistoryFiles {
    /// Those in `folder`, which is made when something is kept.
    pub const fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    fn path(&self, session: &SessionId) -> io::Result<PathBuf> {
        let unsafe_ = || io::Error::new(ErrorKind::InvalidInput, "the session's id is not a valid file name");
        session.is_safe().then(|| self.folder.join(format!("{session}.jsonl"))).ok_or_else(unsafe_)
    }

    fn read(&self, session: &SessionId) -> io::Result<Vec<Change>> {
        let text = match files::read_text(&self.path(session)?, MAX_BYTES) {
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            other => other?,
        };
        let mut all: Vec<Change> = text.lines().filter_map(|l| serde_json::from_str(l).ok()).collect();
        // Two decks may have kept the same one at the same time.
        all.dedup_by(|a, b| a.is_same(b));
        Ok(all)
    }
}

impl History for HistoryFiles {
    fn note(&self, session: &SessionId, change: &Change) -> io::Result<()> {
        let all = self.read(session)?;
        if all.last().is_some_and(|last| last.is_same(change)) {
            return Ok(());
        }
        files::make_dir(&self.folder)?;
        let line = |c: &Change| serde_json::to_string(c).map(|l| l + "\n").map_err(io::Error::other);
        if all.len() < 2 * KEPT {
            return files::append(&self.path(session)?, line(change)?.as_bytes());
        }
        let kept = all.iter().skip(all.len() + 1 - KEPT).chain([change]);
        let text = kept.map(line).collect::<io::Result<String>>()?;
        files::replace(&self.path(session)?, text.as_bytes(), || Ok(()))
    }

    fn changes(&self, session: &SessionId) -> io::Result<Vec<Change>> {
        let mut all = self.read(session)?;
        Ok(all.split_off(all.len().saturating_sub(KEPT)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::status::Status;
    use jiff::Timestamp;

    fn change(second: i64) -> Change {
        let at = Timestamp::from_second(second).unwrap();
        Change {
            at,
            from: Status::Running,
            status: Status::Waiting,
            reason: None,
            since: at,
            source: None,
            rule: None,
            line: None,
        }
    }

    #[test]
    fn the_last_ones_are_kept_and_none_twice() {
        let dir = tempfile::tempdir().unwrap();
        let history = HistoryFiles::new(dir.path().join("history"));
        let id = SessionId::new("a");
        assert_eq!(history.changes(&id).unwrap(), []);
        for second in 0..250 {
            history.note(&id, &change(second)).unwrap();
            history.note(&id, &change(second)).unwrap();
        }
        let all = history.changes(&id).unwrap();
        assert_eq!((all.len(), all[0].since.as_second(), all[49].since.as_second()), (KEPT, 200, 249));
        let lines = files::read_text(&history.path(&id).unwrap(), MAX_BYTES).unwrap().lines().count();
        assert!(lines <= 2 * KEPT, "{lines}");
    }

    #[test]
    fn an_id_that_is_a_path_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let history = HistoryFiles::new(dir.path().join("history"));
        for bad in ["../x", "a/b", "", "."] {
            assert!(history.note(&SessionId::new(bad), &change(1)).is_err(), "{bad}");
        }
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_broken_line_is_passed_over() {
        let dir = tempfile::tempdir().unwrap();
        let history = HistoryFiles::new(dir.path().to_owned());
        let id = SessionId::new("a");
        history.note(&id, &change(1)).unwrap();
        files::append(&history.path(&id).unwrap(), b"{\"at\":\n").unwrap();
        history.note(&id, &change(2)).unwrap();
        assert_eq!(history.changes(&id).unwrap().len(), 2);
    }
}
