//! Claude Code's own session file: `$CLAUDE_CONFIG_DIR/sessions/<pid>.json`.
//!
//! Seen in 2.1.330: `status` is busy, waiting, idle or shell; `waitingFor` names the reason. It is
//! missing during first-run dialogs, blind to errors, and left stale by SIGKILL: the process and
//! its start time must match. Its format is not documented, so that every surprise means "nothing known".

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use jiff::Timestamp;
use serde::Deserialize;

use crate::domain::id::is_conversation;
use crate::domain::status::{BlockKind, BusyKind, Evidence, Observation, Source, Turn};
use crate::ports::reports::{Asked, Report};
use crate::sys::{files, process};

/// The most that is read of a file that should have a few hundred bytes.
const MAX_BYTES: u64 = 64 * 1024;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct File {
    pid: i32,
    session_id: Option<String>,
    proc_start: Option<String>,
    status: String,
    waiting_for: Option<String>,
    status_updated_at: Option<i64>,
}

/// What was read of files that haven't changed since, by path.
#[derive(Debug, Default)]
pub(super) struct Cache(Mutex<BTreeMap<PathBuf, (SystemTime, u64, Report)>>);

/// Files remembered at once; a deck with more sessions reads some of them again.
const MOST_REMEMBERED: usize = 1000;

impl Cache {
    /// What the agent's file reports. A file that hasn't changed is not read again.
    pub fn read(&self, asked: &Asked<'_>) -> Report {
        let Some(path) = path(asked.pid, asked.var("CLAUDE_CONFIG_DIR"), asked.var("HOME")) else {
            return Report::default();
        };
        let Ok(meta) = path.metadata() else { return Report::default() };
        let Ok(modified) = meta.modified() else { return Report::default() };
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, size, report)) = known.get(&path)
            && (*at, *size) == (modified, meta.len())
        {
            let mut report = report.clone();
            if let Some(evidence) = &mut report.evidence {
                evidence.seen_at = asked.now;
            }
            return report;
        }
        let report = read(&path, asked);
        if known.len() >= MOST_REMEMBERED {
            known.clear();
        }
        known.insert(path, (modified, meta.len(), report.clone()));
        report
    }
}

/// What the agent's file reports.
fn read(path: &Path, asked: &Asked<'_>) -> Report {
    let Some(file) = read_file(path) else { return Report::default() };
    let Some(stat) = process::stat(asked.pid) else { return Report::default() };
    interpret(&file, asked.pid, &stat.start.to_string(), asked.now)
}

fn path(pid: i32, config_dir: Option<&str>, home: Option<&str>) -> Option<PathBuf> {
    let folder = config_dir.map(PathBuf::from).or_else(|| home.map(|h| Path::new(h).join(".claude")))?;
    Some(folder.join("sessions").join(format!("{pid}.json")))
}

fn read_file(path: &Path) -> Option<File> {
    let text = files::read_text(path, MAX_BYTES).ok()?;
    serde_json::from_str(&text).ok()
}

fn interpret(file: &File, pid: i32, start: &str, now: Timestamp) -> Report {
    // A file of another process that had this id before.
    if file.pid != pid || file.proc_start.as_deref().is_some_and(|s| s != start) {
        return Report::default();
    }
    let what = match (file.status.as_str(), file.waiting_for.as_deref().unwrap_or_default()) {
        ("busy", _) => Observation::Busy(BusyKind::Thinking),
        ("idle" | "shell", _) => Observation::Ready(Turn::Unmarked),
        ("waiting", "input needed") => Observation::Blocked(BlockKind::Question),
        ("waiting", "dialog open") => Observation::Blocked(BlockKind::Dialog),
        ("waiting", _) => Observation::Blocked(BlockKind::Permission),
        _ => Observation::Unknown,
    };
    let since = file.status_updated_at.and_then(|ms| Timestamp::from_millisecond(ms).ok());
    let mut evidence = Evidence::new(Source::Report, what, now).since(since);
    evidence.line = Some(match &file.waiting_for {
        Some(what) => format!("{}, {what}", file.status),
        None => file.status.clone(),
    });
    Report {
        evidence: Some(evidence),
        conversation: file.session_id.clone().filter(|id| is_conversation(id)),
        ..Report::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WAITING: &str = include_str!("../../tests/fixtures/claude/session-file-waiting.json");
    const IDLE: &str = include_str!("../../tests/fixtures/claude/session-file-idle.json");

    fn told(text: &str, start: Option<&str>) -> Report {
        let file: File = serde_json::from_str(text).unwrap();
        let own = file.proc_start.clone().unwrap_or_default();
        interpret(&file, file.pid, start.unwrap_or(&own), Timestamp::UNIX_EPOCH)
    }

    #[test]
    fn recorded_files() {
        let report = told(WAITING, None);
        assert_eq!(report.evidence.unwrap().what, Observation::Blocked(BlockKind::Permission));
        assert!(report.conversation.is_some());
        let idle = told(IDLE, None).evidence.unwrap();
        assert_eq!(idle.what, Observation::Ready(Turn::Unmarked));
        assert!(idle.since.is_some());
    }

    #[test]
    fn the_file_of_an_earlier_process_says_nothing() {
        assert_eq!(told(IDLE, Some("1")), Report::default());
    }

    #[test]
    fn where_it_is() {
        assert_eq!(path(7, Some("/c"), Some("/h")).unwrap(), Path::new("/c/sessions/7.json"));
        assert_eq!(path(7, None, Some("/h")).unwrap(), Path::new("/h/.claude/sessions/7.json"));
        assert_eq!(path(7, None, None), None);
    }
}
