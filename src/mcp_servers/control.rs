//! What shared servers are doing, for their user.

use std::io;
use std::path::{Path, PathBuf};

use super::place;
use super::pool::{Hello, PoolStatus, ask};

/// A shared server that runs.
#[derive(Debug, Clone)]
pub struct Pooled {
    pub status: PoolStatus,
    /// Its log.
    pub log: PathBuf,
    socket: PathBuf,
}

/// The shared servers that run, by name. Sockets that nobody listens on are passed over.
///
/// # Errors
/// The system's error when the folder can't be read.
pub fn pools(run: &Path) -> io::Result<Vec<Pooled>> {
    let sockets = files_of(run)?.into_iter().filter(|path| path.extension().is_some_and(|e| e == "sock"));
    let one = |socket: PathBuf| {
        let status = ask(&socket, &Hello::Status).ok()?;
        Some(Pooled { status, log: socket.with_extension("log"), socket })
    };
    let mut all: Vec<Pooled> = sockets.filter_map(one).collect();
    all.sort_by(|a, b| (&a.status.name, a.status.pid).cmp(&(&b.status.name, b.status.pid)));
    Ok(all)
}

/// Has a shared server started again.
///
/// # Errors
/// The system's error when it can't be reached any more.
pub fn restart(pooled: &Pooled) -> io::Result<PoolStatus> {
    ask(&pooled.socket, &Hello::Restart)
}

/// The logs of the shared servers of this name, of those that have ended as well.
///
/// # Errors
/// The system's error when the folder can't be read.
pub fn logs(run: &Path, name: &str) -> io::Result<Vec<PathBuf>> {
    let is_of = |file: &str| {
        let key = file.strip_suffix(".log").and_then(|stem| stem.rsplit_once('-'));
        key.is_some_and(|(of, _)| of == name)
    };
    let mut all: Vec<PathBuf> = files_of(run)?
        .into_iter()
        .filter(|path| path.file_name().and_then(|n| n.to_str()).is_some_and(is_of))
        .collect();
    all.sort();
    Ok(all)
}

/// The files of all shared servers.
fn files_of(run: &Path) -> io::Result<Vec<PathBuf>> {
    match std::fs::read_dir(place::folder(run)) {
        Ok(entries) => Ok(entries.flatten().map(|entry| entry.path()).collect()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}
