//! What of a job still lives: by the lock of its supervisor, or by a process's id together with its start.

use std::fs::TryLockError;
use std::io;
use std::path::Path;

use jiff::Timestamp;

use super::folder::JobFolder;
use super::records;
use crate::domain::shell::{Child, Job, JobId, JobStatus, ShellId};
use crate::domain::text;
use crate::ports::ShellsError;
use crate::sys::{files, process};

/// The most of a command line that is recorded, in cells.
const COMMAND: usize = 200;

/// Whether a job has a supervisor: it holds the lock on the code.
pub fn is_supervised(folder: &JobFolder) -> io::Result<bool> {
    let file = match files::open(&folder.code()) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(false),
        other => other?,
    };
    match file.try_lock_shared() {
        Ok(()) => Ok(false),
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// The boot of this machine.
pub fn boot_id() -> Option<String> {
    let text = files::read_text(Path::new("/proc/sys/kernel/random/boot_id"), 4096).ok()?;
    Some(text.trim().to_owned())
}

/// A process as it is now.
pub fn child(pid: i32) -> Option<Child> {
    let stat = process::stat(pid).filter(|s| !s.zombie)?;
    let argv = process::argv(pid);
    let command = if argv.is_empty() { process::name(pid).unwrap_or_default() } else { argv.join(" ") };
    Some(Child { pid, start: Some(stat.start), command: text::fit(&text::clean(&command), COMMAND) })
}

/// Whether a process is still that one.
pub fn is_same(child: &Child) -> bool {
    child.start.is_some()
        && process::stat(child.pid).is_some_and(|s| !s.zombie && Some(s.start) == child.start)
}

/// Whether a process, with all below it, is no part of the job that it descends from: deck's own tmux server.
pub fn is_apart(pid: i32) -> bool {
    process::variable(pid, process::SERVER_MARK).is_some()
}

/// Whether a process runs another job: one that code of this job asked for.
pub fn is_supervisor(pid: i32) -> bool {
    process::argv(pid).get(1).is_some_and(|word| word == super::supervisor::VERB)
}

/// All processes below one, that don't wait to be collected, without those that are apart.
pub fn descendants(of: i32) -> Vec<Child> {
    let mut all = Vec::new();
    let mut families = process::families();
    let mut at = families.remove(&of).unwrap_or_default();
    while let Some(pid) = at.pop() {
        if is_apart(pid) {
            continue;
        }
        at.extend(families.remove(&pid).unwrap_or_default());
        all.extend(child(pid));
    }
    all.sort_by_key(|c| c.pid);
    all
}

/// The processes of a job that nobody supervises: its leader and the recorded children, and every process whose
/// environment names the job. None after a restart of the machine.
pub fn alive(job: &Job) -> Vec<Child> {
    if job.boot_id.is_some() && job.boot_id != boot_id() {
        return Vec::new();
    }
    let leader = job.pid.map(|pid| Child { pid, start: job.leader_start, command: String::new() });
    let known = leader.into_iter().chain(job.children.iter().cloned()).filter(is_same);
    let mark = format!("DECK_JOB_ID={}", job.job_id);
    let marked = process::all_with_variable(&mark).into_iter();
    let mut all: Vec<Child> = known.map(|c| c.pid).chain(marked).filter_map(child).collect();
    all.sort_by_key(|c| c.pid);
    all.dedup();
    all
}

/// A job as it is. Of one whose record is damaged, what its folder still holds.
pub fn read(folder: &JobFolder) -> Result<Option<Job>, ShellsError> {
    let job = match records::read_job(folder) {
        Err(ShellsError::Damaged(path)) => {
            return rebuilt(folder).map(Some).ok_or(ShellsError::Damaged(path));
        }
        other => other?,
    };
    let Some(job) = job else { return Ok(None) };
    settle(folder, job).map(Some).map_err(records::io_error("read", &folder.0))
}

/// The record of a job whose own one is damaged.
fn rebuilt(folder: &JobFolder) -> Option<Job> {
    let shell = ShellId::parse(folder.shell()?.0.file_name()?.to_str()?)?;
    let seq = folder.0.file_name()?.to_str()?.parse().ok()?;
    let code = files::read(&folder.code(), files::MAX_BYTES).unwrap_or_default();
    let made = folder.code().metadata().and_then(|m| m.modified()).ok();
    let at = made.and_then(|at| Timestamp::try_from(at).ok()).unwrap_or(Timestamp::UNIX_EPOCH);
    let job = Job { status: JobStatus::Running, ..Job::queued(JobId { shell, seq }, &code, "unknown", at) };
    let mut job = settle(folder, job).ok()?;
    job.reason = Some("its record is damaged".to_owned());
    Some(job)
}

/// A job as it is: what has no supervisor any more can't be running.
pub fn settle(folder: &JobFolder, mut job: Job) -> io::Result<Job> {
    if job.status.is_final() || is_supervised(folder)? {
        return Ok(job);
    }
    // It may have written its last record since this one was read.
    if let Ok(Some(last)) = super::records::read_job(folder) {
        job = last;
    }
    if job.status.is_final() {
        return Ok(job);
    }
    if job.status == JobStatus::Queued {
        job.status = JobStatus::Cancelled;
        job.reason.get_or_insert_with(|| "it never began".to_owned());
    } else {
        job.status = JobStatus::Orphaned;
        let rebooted = job.boot_id.is_some() && job.boot_id != boot_id();
        let why =
            if rebooted { "the machine was restarted" } else { "its supervisor ended without recording how" };
        job.reason = Some(why.to_owned());
        job.children = alive(&job);
        let streams = [crate::ports::shells::Which::Stdout, crate::ports::shells::Which::Stderr];
        let [stdout, stderr] = streams.map(|which| super::segments::measure(folder, which));
        (job.stdout, job.stderr) = (stdout?, stderr?);
    }
    Ok(job)
}
