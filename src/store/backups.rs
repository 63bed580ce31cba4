//! Copies of the profile's file: three rolling ones, one a day, and broken ones kept aside.
//!
//! Invariant: the newest backup is a hard link made before the rename, so that `sessions.json`
//! is never absent.

use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

/// How many daily copies are kept.
const DAILY: usize = 7;

/// The rolling copies, newest first.
pub(super) fn rolling(file: &Path) -> [PathBuf; 3] {
    [".bak", ".bak.1", ".bak.2"].map(|end| with_end(file, end))
}

fn with_end(file: &Path, end: &str) -> PathBuf {
    let mut name = file.file_name().map(std::ffi::OsStr::to_os_string).unwrap_or_default();
    name.push(end);
    file.with_file_name(name)
}

/// Rotates the rolling copies and makes the present file the newest of them.
pub(super) fn rotate(file: &Path) -> io::Result<()> {
    let [first, second, third] = rolling(file);
    rename_if_there(&second, &third)?;
    rename_if_there(&first, &second)?;
    match std::fs::hard_link(file, &first) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
        // Some file systems have no hard links.
        Err(e) if e.kind() == io::ErrorKind::Unsupported || e.raw_os_error() == Some(1) => {
            std::fs::copy(file, &first).map(|_| ())
        }
        other => other,
    }
}

fn rename_if_there(from: &Path, to: &Path) -> io::Result<()> {
    match std::fs::rename(from, to) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Keeps one copy of the file as it was first on each day, the last seven.
pub(super) fn daily(file: &Path, now: Timestamp) -> io::Result<()> {
    let today = with_end(file, &format!(".{}", now.strftime("%Y-%m-%d")));
    if today.exists() || !file.exists() {
        return Ok(());
    }
    std::fs::copy(file, &today)?;
    let mut all = dailies(file);
    while all.len() > DAILY {
        std::fs::remove_file(all.remove(0))?;
    }
    Ok(())
}

/// The daily copies, oldest first.
pub(super) fn dailies(file: &Path) -> Vec<PathBuf> {
    let prefix = format!("{}.", file.file_name().unwrap_or_default().to_string_lossy());
    let is_date = |name: &str| {
        name.strip_prefix(&prefix)
            .is_some_and(|d| d.len() == 10 && d.chars().all(|c| c.is_ascii_digit() || c == '-'))
    };
    let entries = file.parent().and_then(|dir| std::fs::read_dir(dir).ok());
    let mut all: Vec<PathBuf> = entries
        .into_iter()
        .flatten()
        .flatten()
        .filter(|e| e.file_name().to_str().is_some_and(is_date))
        .map(|e| e.path())
        .collect();
    all.sort();
    all
}

/// Moves a file that can't be read to a name with the time. Returns that name.
pub(super) fn put_aside(file: &Path, now: Timestamp) -> io::Result<PathBuf> {
    let stamp = now.strftime("%Y%m%dT%H%M%S");
    let free = (0..).map(|n| {
        let more = if n == 0 { String::new() } else { format!("-{n}") };
        with_end(file, &format!(".broken-{stamp}{more}"))
    });
    let target = free.into_iter().find(|p| !p.exists()).unwrap_or_else(|| with_end(file, ".broken"));
    std::fs::copy(file, &target)?;
    Ok(target)
}
