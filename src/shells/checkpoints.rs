//! States that were kept under a name, and going back to one.
//!
//! Invariants: a checkpoint is there once its state is; going back makes a new state, so that the one before can be gone
//! back to as well.

use std::io::ErrorKind;
use std::time::Duration;

use super::folder::ShellFolder;
use super::records::{self, io_error};
use crate::domain::shell::bash_state::State;
use crate::domain::shell::{Checkpoint, Shell, StateFrom};
use crate::ports::{Cancel, ShellsError};
use crate::sys::{files, lock};

/// The most that is read of a checkpoint's record, in bytes.
const MAX_BYTES: u64 = 64 * 1024;

/// Keeps the state that the next command would start from.
pub fn make(folder: &ShellFolder, new: &Checkpoint) -> Result<(), ShellsError> {
    let dir = folder.checkpoints();
    files::make_dir(&dir).map_err(io_error("make", &dir))?;
    let _locked = records::lock_shell(folder)?;
    let (state, record) = (folder.checkpoint(&new.name), folder.checkpoint_record(&new.name));
    if record.exists() {
        return Err(ShellsError::Exists(new.name.clone()));
    }
    let shell = records::read_shell(folder)?.ok_or_else(|| ShellsError::Damaged(folder.record()))?;
    let (generation, kept) = records::usable_state(folder, shell.generation)?;
    files::replace(&state, &kept.to_file(), || Ok(())).map_err(io_error("write", &state))?;
    let bytes = records::to_bytes(&record, &Checkpoint { generation, ..new.clone() })?;
    files::replace(&record, &bytes, || Ok(())).map_err(io_error("write", &record))
}

/// All of a shell, oldest first.
pub fn list(folder: &ShellFolder) -> Result<Vec<Checkpoint>, ShellsError> {
    let dir = folder.checkpoints();
    let entries = match std::fs::read_dir(&dir) {
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        other => other.map_err(io_error("read", &dir))?,
    };
    let paths = entries.flatten().map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "json"));
    // One that can't be read is left out: its state is there to be read by a person.
    let read = |path: std::path::PathBuf| {
        serde_json::from_slice::<Checkpoint>(&files::read(&path, MAX_BYTES).ok()?).ok()
    };
    let mut all: Vec<Checkpoint> = paths.filter_map(read).collect();
    all.sort_by(|a, b| (a.made_at, &a.name).cmp(&(b.made_at, &b.name)));
    Ok(all)
}

/// The state that is meant.
pub fn state(folder: &ShellFolder, from: &StateFrom) -> Result<State, ShellsError> {
    let (path, missing) = match from {
        StateFrom::Checkpoint(name) => (folder.checkpoint(name), format!("no checkpoint {name:?}")),
        StateFrom::Generation(n) => {
            let words = format!("state {n} is not kept any more: only the last {} are", records::STATES);
            (folder.state(*n), words)
        }
    };
    match files::read(&path, records::MAX_BYTES) {
        Ok(bytes) => State::from_file(&bytes).ok_or(ShellsError::Damaged(path)),
        Err(e) if e.kind() == ErrorKind::NotFound => Err(ShellsError::NoState(missing)),
        Err(e) => Err(io_error("read", &path)(e)),
    }
}

/// Makes it the state that the next command starts from, unless one has the turn.
pub fn restore(folder: &ShellFolder, from: &StateFrom) -> Result<Option<Shell>, ShellsError> {
    let state = state(folder, from)?;
    let path = folder.turn();
    let turn = lock::file(&path).map_err(io_error("lock", &path))?;
    let taken = lock::exclusive(turn, Duration::ZERO, &Cancel::default()).map_err(io_error("lock", &path))?;
    let Ok(_turn) = taken else { return Ok(None) };
    let generation = records::read_shell(folder)?.map_or(0, |s| s.generation) + 1;
    records::write_state(folder, generation, &state)?;
    let work_dir = String::from_utf8_lossy(&state.folder).into_owned();
    records::change_shell(folder, |shell| {
        shell.generation = generation;
        shell.work_dir = work_dir;
        Ok(())
    })
    .map(Some)
}
