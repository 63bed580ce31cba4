//! Running again what made a state that is lost.
//!
//! Invariant: which jobs are to be run again is on disk before the first one is, and until the last one was: whoever is
//! killed in between leaves a shell that is lost, as before.

use std::fs::File;
use std::io;
use std::ops::RangeInclusive;

use super::interpreter;
use crate::ports::{Cancel, NotTaken, ShellsError};
use crate::shells::folder::ShellFolder;
use crate::shells::records::{io_error, to_bytes};
use crate::sys::{files, lock};

/// Whether a shell's state is lost, or is made again and not whole yet.
pub fn is_lost(folder: &ShellFolder) -> bool {
    folder.replay().exists() || interpreter::was_started(folder) && !interpreter::is_alive(folder)
}

/// Lets the next command start a new interpreter. Returns what keeps others from doing that, and which jobs made the state:
/// `last` is the newest.
pub fn begin(folder: &ShellFolder, last: u64) -> Result<(File, RangeInclusive<u64>), ShellsError> {
    let path = folder.replaying();
    let file = lock::file(&path).map_err(io_error("lock", &path))?;
    let alone = lock::exclusive(file, std::time::Duration::ZERO, &Cancel::default());
    let guard = match alone.map_err(io_error("lock", &path))? {
        Ok(guard) => guard,
        Err(NotTaken::Busy(busy)) => return Err(ShellsError::Busy { path, busy }),
        Err(NotTaken::Cancelled) => return Err(ShellsError::Supervisor("interrupted".to_owned())),
    };
    let path = folder.replay();
    let (from, to) = match files::read(&path, files::MAX_BYTES) {
        // Somebody began, and did not come to the end.
        Ok(bytes) => serde_json::from_slice(&bytes).map_err(|_| ShellsError::Damaged(path.clone()))?,
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            let jobs = (interpreter::first_job(folder).unwrap_or(1), last);
            files::replace(&path, &to_bytes(&path, &jobs)?, || Ok(())).map_err(io_error("write", &path))?;
            jobs
        }
        Err(e) => return Err(io_error("read", &path)(e)),
    };
    interpreter::end(folder).map_err(io_error("end what reads", &folder.life()))?;
    interpreter::forget(folder).map_err(io_error("remove", &folder.interpreter()))?;
    Ok((guard, from..=to))
}

/// All were run again.
pub fn end(folder: &ShellFolder) -> Result<(), ShellsError> {
    let path = folder.replay();
    std::fs::remove_file(&path).map_err(io_error("remove", &path))
}
