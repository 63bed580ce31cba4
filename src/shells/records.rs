//! Records on disk: replaced atomically. What a crash of the machine may cost are the last seconds' ones.

use std::io::{self, ErrorKind};
use std::path::Path;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::folder::{JobFolder, ShellFolder};
use crate::domain::shell::bash_state::State;
use crate::domain::shell::{Job, Shell};
use crate::ports::{Cancel, NotTaken, ShellsError};
use crate::sys::{files, lock};

/// The most that is read of a record, in bytes.
pub const MAX_BYTES: u64 = 64 * 1024 * 1024;
/// How long a shell's lock is waited for: each holder has it for a moment.
const PATIENCE: Duration = Duration::from_secs(60);
/// How many states are kept.
pub const STATES: u64 = 10;
/// How many bytes the history has before it is begun again; the one before is kept.
const HISTORY: u64 = 8 * 1024 * 1024;
/// How many bytes of a job's code are in its line.
const HISTORY_CODE: usize = 1024;

/// An error with its file.
pub fn io_error<'a>(action: &'static str, path: &'a Path) -> impl FnOnce(io::Error) -> ShellsError + 'a {
    move |source| ShellsError::Io { action, path: path.to_owned(), source }
}

/// Reads a record; `None` when there is none.
fn read<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, ShellsError> {
    match files::read(path, MAX_BYTES) {
        Ok(bytes) => {
            serde_json::from_slice(&bytes).map(Some).map_err(|_| ShellsError::Damaged(path.to_owned()))
        }
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
        Err(e) => Err(io_error("read", path)(e)),
    }
}

pub fn to_bytes(path: &Path, value: &impl Serialize) -> Result<Vec<u8>, ShellsError> {
    serde_json::to_vec(value).map_err(|e| io_error("write", path)(io::Error::other(e)))
}

/// Replaces a job's record.
pub fn write_job(folder: &JobFolder, job: &Job) -> Result<(), ShellsError> {
    let path = folder.record();
    let bytes = to_bytes(&path, job)?;
    files::replace_unsynced(&path, &bytes).map_err(io_error("write", &path))
}

/// A job's record as it is on disk; `None` when there is none.
pub fn read_job(folder: &JobFolder) -> Result<Option<Job>, ShellsError> {
    read(&folder.record())
}

/// A shell's record. One that is damaged is made again from the first one and from what its folder holds.
pub fn read_shell(folder: &ShellFolder) -> Result<Option<Shell>, ShellsError> {
    match read(&folder.record()) {
        Err(ShellsError::Damaged(path)) => {
            let mut shell: Shell = match read(&folder.first_record()) {
                Ok(Some(shell)) => shell,
                _ => return Err(ShellsError::Damaged(path)),
            };
            shell.job_sequence = newest(&folder.jobs())?.unwrap_or(shell.job_sequence);
            shell.execution_count = shell.job_sequence;
            shell.generation = newest(&folder.states())?.unwrap_or(0);
            if let Some(state) = read_state(folder, shell.generation)? {
                shell.work_dir = String::from_utf8_lossy(&state.folder).into_owned();
            }
            Ok(Some(shell))
        }
        other => other,
    }
}

/// The highest number that names an entry of a folder.
fn newest(folder: &Path) -> Result<Option<u64>, ShellsError> {
    Ok(numbers(folder)?.max())
}

/// The numbers that name the entries of a folder.
fn numbers(folder: &Path) -> Result<impl Iterator<Item = u64>, ShellsError> {
    let entries = std::fs::read_dir(folder).map_err(io_error("read", folder))?;
    Ok(entries.flatten().filter_map(|e| e.file_name().to_str()?.parse().ok()))
}

/// The jobs whose folders are there, oldest first.
pub fn job_numbers(folder: &ShellFolder) -> Result<Vec<u64>, ShellsError> {
    let mut all: Vec<u64> = numbers(&folder.jobs())?.collect();
    all.sort_unstable();
    Ok(all)
}

/// The number of a shell's next job: none that an asker took which was killed before it could record that.
pub fn next_job(folder: &ShellFolder, shell: &Shell) -> Result<u64, ShellsError> {
    let next = shell.job_sequence + 1;
    if !folder.job(next).code().exists() {
        return Ok(next);
    }
    Ok(newest(&folder.jobs())?.map_or(next, |newest| newest + 1))
}

/// Takes the lock on a shell's record.
pub fn lock_shell(folder: &ShellFolder) -> Result<std::fs::File, ShellsError> {
    let path = folder.lock();
    let file = lock::file(&path).map_err(io_error("lock", &path))?;
    match lock::exclusive(file, PATIENCE, &Cancel::default()).map_err(io_error("lock", &path))? {
        Ok(file) => Ok(file),
        Err(NotTaken::Busy(busy)) => Err(ShellsError::Busy { path, busy }),
        Err(NotTaken::Cancelled) => Err(ShellsError::Supervisor("interrupted".to_owned())),
    }
}

/// Changes a shell's record under its lock.
pub fn change_shell(
    folder: &ShellFolder,
    change: impl FnOnce(&mut Shell) -> Result<(), ShellsError>,
) -> Result<Shell, ShellsError> {
    let _locked = lock_shell(folder)?;
    let path = folder.record();
    let mut shell = read_shell(folder)?.ok_or_else(|| ShellsError::Damaged(path.clone()))?;
    change(&mut shell)?;
    let bytes = to_bytes(&path, &shell)?;
    files::replace_unsynced(&path, &bytes).map_err(io_error("write", &path))?;
    Ok(shell)
}

/// Writes a new shell's record so that it survives a power cut.
pub fn write_first(folder: &ShellFolder, shell: &Shell) -> Result<(), ShellsError> {
    for path in [folder.first_record(), folder.record()] {
        let bytes = to_bytes(&path, shell)?;
        files::replace(&path, &bytes, || Ok(())).map_err(io_error("write", &path))?;
    }
    Ok(())
}

/// A state; `None` when there is none, or it is damaged.
pub fn read_state(folder: &ShellFolder, generation: u64) -> Result<Option<State>, ShellsError> {
    let path = folder.state(generation);
    match files::read(&path, MAX_BYTES) {
        Ok(bytes) => Ok(State::from_file(&bytes)),
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
        Err(e) => Err(io_error("read", &path)(e)),
    }
}

/// The newest state that can be read, from the one of the record on, and its number.
pub fn usable_state(folder: &ShellFolder, generation: u64) -> Result<(u64, State), ShellsError> {
    for number in (generation.saturating_sub(STATES)..=generation).rev() {
        if let Some(state) = read_state(folder, number)? {
            return Ok((number, state));
        }
    }
    Err(ShellsError::Damaged(folder.state(generation)))
}

/// Writes a new state, which nothing starts from until the shell's record names it.
pub fn write_state(folder: &ShellFolder, generation: u64, state: &State) -> Result<(), ShellsError> {
    let path = folder.state(generation);
    files::replace_unsynced(&path, &state.to_file()).map_err(io_error("write", &path))?;
    if let Some(old) = generation.checked_sub(STATES) {
        // One that is left costs only room.
        let _ = std::fs::remove_file(folder.state(old));
    }
    Ok(())
}

/// Adds a finished job to the history, with the beginning of its code. What is beyond twice [`HISTORY`] goes.
pub fn append_history(folder: &ShellFolder, job: &Job) -> Result<(), ShellsError> {
    let path = folder.history();
    let mut code = job.code.clone();
    code.truncate(code.floor_char_boundary(HISTORY_CODE));
    let mut bytes = to_bytes(&path, &Job { code, ..job.clone() })?;
    bytes.push(b'\n');
    if path.metadata().is_ok_and(|data| data.len() > HISTORY) {
        let older = folder.older_history();
        std::fs::rename(&path, &older).map_err(io_error("rename", &path))?;
    }
    files::append(&path, &bytes).map_err(io_error("write", &path))
}

/// The finished jobs, oldest first. A line that can't be read is passed over.
pub fn read_history(folder: &ShellFolder) -> Result<Vec<Job>, ShellsError> {
    let mut all = Vec::new();
    for path in [folder.older_history(), folder.history()] {
        match files::read(&path, files::MAX_BYTES) {
            Ok(bytes) => {
                all.extend(bytes.split(|b| *b == b'\n').filter_map(|l| serde_json::from_slice(l).ok()));
            }
            Err(e) if e.kind() == ErrorKind::NotFound => {}
            Err(e) => return Err(io_error("read", &path)(e)),
        }
    }
    Ok(all)
}
