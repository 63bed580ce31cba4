//! Making room: the output of the oldest finished jobs goes, and in the end their folders. Their lines in the history
//! stay.
//!
//! Invariant: only files that deck made are removed, by name; never a tree.

use std::collections::BTreeSet;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::time::Duration;

use super::folder::{JobFolder, ShellFolder};
use super::{liveness, records};
use crate::domain::shell::Job;
use crate::ports::{Cancel, ShellsError};
use crate::sys::{files, lock};

/// How long a supervisor may take to end after its last record.
const PATIENCE: Duration = Duration::from_secs(30);

/// Counts a finished job's output, and removes what is too much.
pub fn make_room(folder: &ShellFolder, job: &Job) {
    let kept = job.stdout.kept() + job.stderr.kept();
    let result = records::change_shell(folder, |shell| {
        shell.bytes += kept;
        let jobs = records::job_numbers(folder)?;
        let mut surplus = (jobs.len() as u64).saturating_sub(shell.limits.jobs);
        // One that still runs is passed over: it keeps no other from going.
        for seq in &jobs {
            if surplus == 0 {
                break;
            }
            if remove_finished(&folder.job(*seq), None)? {
                surplus -= 1;
            }
        }
        for seq in jobs.iter().filter(|seq| **seq < shell.job_sequence) {
            if shell.bytes <= shell.limits.bytes {
                break;
            }
            shell.bytes = shell.bytes.saturating_sub(trim(&folder.job(*seq))?);
        }
        shell.first_job = records::job_numbers(folder)?.first().copied().unwrap_or(shell.job_sequence);
        Ok(())
    });
    // What can't be removed costs only room.
    if let Err(error) = result {
        tracing::debug!(%error, "can't make room in a shell");
    }
}

/// Removes the output of a finished job, and returns how many bytes that were.
fn trim(folder: &JobFolder) -> Result<u64, ShellsError> {
    let Some(mut job) = liveness::read(folder)?.filter(|j| j.status.is_final() && !j.trimmed) else {
        return Ok(0);
    };
    let bytes = job.stdout.kept() + job.stderr.kept();
    job.trimmed = true;
    records::write_job(folder, &job)?;
    remove_files(&folder.0, |name| name.starts_with("out.") || name.starts_with("err.") || name == "order")
        .map_err(records::io_error("remove", &folder.0))?;
    Ok(bytes)
}

/// Which jobs the history of a shell has: read once, when it is asked for.
struct InHistory<'a> {
    folder: &'a ShellFolder,
    seqs: Option<BTreeSet<u64>>,
}

impl<'a> InHistory<'a> {
    const fn unknown(folder: &'a ShellFolder) -> Self {
        Self { folder, seqs: None }
    }

    /// Adds a job that its supervisor could not add.
    fn add(&mut self, job: &Job) -> Result<(), ShellsError> {
        let seqs = match &mut self.seqs {
            Some(seqs) => seqs,
            None => self.seqs.insert(records::read_history(self.folder)?.iter().map(|j| j.seq).collect()),
        };
        if seqs.insert(job.seq) { records::append_history(self.folder, job) } else { Ok(()) }
    }
}

/// Removes a finished job's folder; its line in the history stays. Returns whether it is gone. Without `history`, which may be
/// long, only what its supervisor can't have added is added.
fn remove_finished(folder: &JobFolder, history: Option<&mut InHistory<'_>>) -> Result<bool, ShellsError> {
    if let Some(job) = liveness::read(folder)? {
        if !job.status.is_final() {
            return Ok(false);
        }
        let is_orphan = !matches!(records::read_job(folder), Ok(Some(job)) if job.status.is_final());
        match (history, folder.shell().filter(|_| is_orphan)) {
            (Some(history), _) => history.add(&job)?,
            (None, Some(shell)) => records::append_history(&shell, &job)?,
            (None, None) => {}
        }
    }
    remove_folder(&folder.0).map_err(records::io_error("remove", &folder.0))?;
    Ok(true)
}

/// Removes the folders of finished jobs.
pub fn remove_jobs(folder: &ShellFolder, jobs: &[u64]) -> Result<(), ShellsError> {
    let mut history = InHistory::unknown(folder);
    jobs.iter().try_for_each(|seq| remove_finished(&folder.job(*seq), Some(&mut history)).map(drop))
}

/// Removes a shell's folder with all that deck put there.
pub fn remove_shell(folder: &ShellFolder) -> Result<(), ShellsError> {
    let remove = || {
        for entry in list(&folder.jobs())? {
            await_supervisor(&JobFolder(entry.clone()))?;
            remove_folder(&entry)?;
        }
        for part in [folder.jobs(), folder.states(), folder.checkpoints(), folder.0.clone()] {
            remove_folder(&part)?;
        }
        Ok(())
    };
    remove().map_err(records::io_error("remove", &folder.0))
}

/// Waits until a job's supervisor is gone: after its last record it still writes to the shell's folder.
fn await_supervisor(folder: &JobFolder) -> io::Result<()> {
    let file = match files::open(&folder.code()) {
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(()),
        other => other?,
    };
    match lock::exclusive(file, PATIENCE, &Cancel::default())? {
        Ok(_) => Ok(()),
        Err(_) => Err(io::Error::new(ErrorKind::ResourceBusy, "one of its jobs has not ended")),
    }
}

fn list(folder: &Path) -> io::Result<Vec<std::path::PathBuf>> {
    match std::fs::read_dir(folder) {
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        entries => entries?.map(|e| e.map(|e| e.path())).collect(),
    }
}

fn remove_files(folder: &Path, test: impl Fn(&str) -> bool) -> io::Result<()> {
    for path in list(folder)? {
        if path.file_name().and_then(|n| n.to_str()).is_some_and(&test) {
            gone(std::fs::remove_file(&path))?;
        }
    }
    Ok(())
}

/// Removes a folder and the files in it; one with folders in it stays.
fn remove_folder(folder: &Path) -> io::Result<()> {
    remove_files(folder, |_| true)?;
    gone(std::fs::remove_dir(folder))
}

fn gone(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(()),
        other => other,
    }
}
