//! The [`Shells`] of one profile, in files.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::ops::RangeInclusive;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use jiff::Timestamp;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::ask::{self, Surroundings};
use super::folder::{JobFolder, ShellFolder};
use super::kind::{driver, find_kind};
use super::records::{self, io_error};
use super::repl::{interpreter, replay};
use super::{checkpoints, control, interactive, liveness, remove, segments, waiting};
use crate::domain::id::ProfileName;
use crate::domain::shell::bash_state::State;
use crate::domain::shell::{Checkpoint, Child, Job, JobId, Shell, ShellId, StateFrom};
use crate::ports::ShellsError;
use crate::ports::shells::{
    Attached, Interactive, NewJob, NoProgram, Program, Shells, Until, Variables, Which,
};
use crate::sys::{files, lock};

/// Shells in their folder.
#[derive(Debug, Clone)]
pub struct ShellFiles {
    root: PathBuf,
    around: Surroundings,
}

impl ShellFiles {
    /// Those of a profile. Nothing is made yet.
    pub fn new(root: PathBuf, profile: &ProfileName, deck_home: Option<String>) -> Self {
        Self {
            root: root.join(profile.as_str()),
            around: Surroundings { deck_home, profile: profile.to_string() },
        }
    }

    fn at(&self, id: &ShellId) -> ShellFolder {
        ShellFolder::of(&self.root, id)
    }

    fn job_folder(&self, id: &JobId) -> JobFolder {
        JobFolder::of(&self.root, id)
    }

    /// Lets those who watch the list of shells see that one of them is another: its own folder has changed, not this one.
    fn note_change(&self) {
        let touched = std::fs::File::open(&self.root).and_then(|dir| dir.set_modified(SystemTime::now()));
        if let Err(error) = touched {
            // Who watches sees it with the next change.
            tracing::debug!(%error, "can't note that a shell has changed");
        }
    }

    /// Makes the files of a shell whose first command starts in this state.
    fn make(&self, shell: &Shell, env: &[(Vec<u8>, Vec<u8>)], state: &State) -> Result<(), ShellsError> {
        let folder = self.at(&shell.session_id);
        for dir in [folder.jobs(), folder.states()] {
            files::make_dir(&dir).map_err(io_error("make", &dir))?;
        }
        let bytes: Vec<u8> =
            env.iter().flat_map(|(name, value)| [name.as_slice(), b"=", value, b"\0"].concat()).collect();
        let path = folder.env();
        files::replace(&path, &bytes, || Ok(())).map_err(io_error("write", &path))?;
        let path = folder.state(0);
        files::replace(&path, &state.to_file(), || Ok(())).map_err(io_error("write", &path))?;
        records::write_first(&folder, shell)
    }

    fn settled(&self, folder: &JobFolder) -> Result<Option<Job>, ShellsError> {
        let Some(mut job) = liveness::read(folder)? else { return Ok(None) };
        // Of those that were recorded when its leader ended, some may be gone, and their ids be those of others.
        job.children.retain(liveness::is_same);
        if !job.status.is_final() {
            for (which, stream) in [(Which::Stdout, &mut job.stdout), (Which::Stderr, &mut job.stderr)] {
                *stream = segments::measure(folder, which).map_err(io_error("read", &folder.0))?;
            }
        }
        Ok(Some(job))
    }
}

impl Shells for ShellFiles {
    fn all(&self) -> Result<(Vec<Shell>, Vec<ShellsError>), ShellsError> {
        let entries = match std::fs::read_dir(&self.root) {
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok((Vec::new(), Vec::new())),
            other => other.map_err(io_error("read", &self.root))?,
        };
        let ids = entries.flatten().filter_map(|e| ShellId::parse(e.file_name().to_str()?));
        let (mut shells, mut problems) = (Vec::new(), Vec::new());
        for id in ids {
            match records::read_shell(&self.at(&id)) {
                Ok(Some(shell)) => shells.push(shell),
                // One that is being made.
                Ok(None) => {}
                Err(error) => problems.push(error),
            }
        }
        shells.sort_by(|a, b| (a.created_at, &a.session_id).cmp(&(b.created_at, &b.session_id)));
        Ok((shells, problems))
    }

    fn is_live(&self, shell: &Shell) -> bool {
        driver(&shell.kind).is_some()
    }

    fn is_lost(&self, shell: &Shell) -> bool {
        let folder = self.at(&shell.session_id);
        self.is_live(shell) && replay::is_lost(&folder)
    }

    fn begin_again(&self, shell: &Shell) -> Result<(Box<dyn Send>, RangeInclusive<u64>), ShellsError> {
        let (guard, jobs) = replay::begin(&self.at(&shell.session_id), shell.job_sequence)?;
        Ok((Box::new(guard), jobs))
    }

    fn end_again(&self, shell: &Shell) -> Result<(), ShellsError> {
        replay::end(&self.at(&shell.session_id))
    }

    fn code(&self, job: &JobId) -> Result<Vec<u8>, ShellsError> {
        let path = self.job_folder(job).code();
        files::read(&path, records::MAX_BYTES).map_err(io_error("read", &path))
    }

    fn changed_at(&self, shell: Option<&ShellId>) -> Option<SystemTime> {
        // Every record of a shell is replaced, which changes its folder.
        let folder = shell.map_or_else(|| self.root.clone(), |id| self.at(id).0);
        std::fs::metadata(folder).and_then(|m| m.modified()).ok()
    }

    fn shell(&self, shell: &ShellId) -> Result<Option<Shell>, ShellsError> {
        records::read_shell(&self.at(shell))
    }

    fn program(&self, word: &str, path: &str, dir: &Path) -> Result<Program, NoProgram> {
        let (kind, file) = find_kind(word, path, dir)?;
        let keeps_functions = kind.keeps_functions(&file);
        Ok(Program { kind: kind.name, file, keeps_functions })
    }

    fn new_id(&self) -> ShellId {
        ShellId::from_entropy(*uuid::Uuid::new_v4().as_bytes())
    }

    fn folder(&self, shell: &ShellId) -> PathBuf {
        self.at(shell).0
    }

    fn create(&self, shell: &Shell, env: &[(Vec<u8>, Vec<u8>)]) -> Result<(), ShellsError> {
        self.make(shell, env, &State { folder: shell.work_dir.clone().into_bytes(), script: None })
    }

    fn lock(&self) -> Result<Box<dyn Send>, ShellsError> {
        files::make_dir(&self.root).map_err(io_error("make", &self.root))?;
        let path = self.root.join("lock");
        let file = lock::file(&path).map_err(io_error("lock", &path))?;
        lock::wait(&file).map_err(io_error("lock", &path))?;
        Ok(Box::new(file))
    }

    fn end_idle(&self, shell: &ShellId, at: Timestamp) -> Result<Option<Shell>, ShellsError> {
        let folder = self.at(shell);
        let mut runs = false;
        // A job is recorded under the same lock: none can begin meanwhile.
        let ended = records::change_shell(&folder, |shell| {
            runs = !self.running(shell)?.is_empty();
            if !runs {
                shell.end(at);
            }
            Ok(())
        })?;
        self.note_change();
        if !runs {
            // A process that holds nothing but the state of an ended shell.
            interpreter::end(&folder).map_err(io_error("end what reads", &folder.life()))?;
        }
        Ok((!runs).then_some(ended))
    }

    fn checkpoint(&self, shell: &ShellId, new: &Checkpoint) -> Result<(), ShellsError> {
        checkpoints::make(&self.at(shell), new)
    }

    fn checkpoints(&self, shell: &ShellId) -> Result<Vec<Checkpoint>, ShellsError> {
        checkpoints::list(&self.at(shell))
    }

    fn restore(&self, shell: &ShellId, from: &StateFrom) -> Result<Option<Shell>, ShellsError> {
        checkpoints::restore(&self.at(shell), from)
    }

    fn create_from(&self, shell: &Shell, of: &ShellId, from: &StateFrom) -> Result<Shell, ShellsError> {
        let state = checkpoints::state(&self.at(of), from)?;
        let work_dir = String::from_utf8_lossy(&state.folder).into_owned();
        let shell = Shell { work_dir, ..shell.clone() };
        self.make(&shell, &self.environment(of)?, &state)?;
        Ok(shell)
    }

    fn environment(&self, shell: &ShellId) -> Result<Variables, ShellsError> {
        let folder = self.at(shell);
        super::supervisor::read_environment(&folder).map_err(io_error("read", &folder.env()))
    }

    fn change(&self, shell: &ShellId, change: &mut dyn FnMut(&mut Shell)) -> Result<Shell, ShellsError> {
        let changed = records::change_shell(&self.at(shell), |shell| {
            change(shell);
            Ok(())
        })?;
        self.note_change();
        Ok(changed)
    }

    fn interactive(&self, shell: &Shell, pass: &[(String, String)]) -> Result<Interactive, ShellsError> {
        interactive::interactive(&self.at(&shell.session_id), shell, pass)
    }

    fn next_folder(&self, shell: &Shell) -> Result<PathBuf, ShellsError> {
        let (_, state) = records::usable_state(&self.at(&shell.session_id), shell.generation)?;
        Ok(OsString::from_vec(state.folder).into())
    }

    fn jobs(&self, shell: &Shell) -> Result<Vec<Job>, ShellsError> {
        let folder = self.at(&shell.session_id);
        let mut jobs = Vec::new();
        for seq in records::job_numbers(&folder)?.into_iter().rev() {
            jobs.extend(self.settled(&folder.job(seq))?);
        }
        Ok(jobs)
    }

    fn running(&self, shell: &Shell) -> Result<Vec<Job>, ShellsError> {
        let folder = self.at(&shell.session_id);
        let mut jobs = Vec::new();
        for seq in records::job_numbers(&folder)?.into_iter().rev() {
            // It exists as long as the job runs, or was left by a supervisor that was killed.
            if folder.job(seq).leader().exists() {
                jobs.extend(self.settled(&folder.job(seq))?.filter(|j| !j.status.is_final()));
            }
        }
        Ok(jobs)
    }

    fn job(&self, shell: &ShellId, seq: u64) -> Result<Option<Job>, ShellsError> {
        let folder = self.at(shell);
        if let Some(job) = self.settled(&folder.job(seq))? {
            return Ok(Some(job));
        }
        let found = records::read_history(&folder)?.into_iter().rev().find(|j| j.seq == seq);
        Ok(found.map(|job| Job { trimmed: true, ..job }))
    }

    fn history(&self, shell: &ShellId, limit: usize) -> Result<Vec<Job>, ShellsError> {
        let mut jobs = records::read_history(&self.at(shell))?;
        jobs.reverse();
        jobs.truncate(limit);
        Ok(jobs)
    }

    fn start(&self, shell: &Shell, job: NewJob) -> Result<Box<dyn Attached>, ShellsError> {
        ask::start(&self.at(&shell.session_id), job, &self.around)
    }

    fn read(&self, job: &JobId, which: Which, from: u64, to: u64) -> Result<Vec<u8>, ShellsError> {
        let folder = self.job_folder(job);
        segments::read(&folder, which, from, to).map_err(io_error("read", &folder.0))
    }

    fn order(&self, job: &JobId) -> Result<Vec<(Which, u64)>, ShellsError> {
        let path = self.job_folder(job).order();
        let bytes = match files::read(&path, 4 * 1024 * 1024) {
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            other => other.map_err(io_error("read", &path))?,
        };
        let entry = |bytes: &[u8]| {
            let which = if bytes.first() == Some(&1) { Which::Stdout } else { Which::Stderr };
            let offset = bytes.get(8..16).and_then(|b| b.try_into().ok()).map(u64::from_be_bytes);
            Some((which, offset?))
        };
        Ok(bytes.chunks_exact(16).filter_map(entry).collect())
    }

    fn wait(&self, job: &JobId, until: Until, limit: Option<Duration>) -> Result<bool, ShellsError> {
        waiting::wait(&self.job_folder(job), until, limit)
    }

    fn control(&self, job: &JobId, line: &str) -> Result<bool, ShellsError> {
        let path = self.job_folder(job).control();
        control::send(&path, line).map_err(io_error("write to", &path))
    }

    fn write(&self, job: &JobId, bytes: &[u8]) -> Result<bool, ShellsError> {
        let path = self.job_folder(job).stdin();
        control::write(&path, bytes).map_err(io_error("write to", &path))
    }

    fn alive(&self, job: &Job) -> Vec<Child> {
        liveness::alive(job)
    }

    fn signal(&self, child: &Child, signal: &str) {
        if let Ok(signal) = signal.parse::<Signal>()
            && liveness::is_same(child)
        {
            // One that ended meanwhile needs no signal.
            let _ = kill(Pid::from_raw(child.pid), signal);
        }
    }

    fn remove_jobs(&self, shell: &ShellId, jobs: &[u64]) -> Result<(), ShellsError> {
        remove::remove_jobs(&self.at(shell), jobs)
    }

    fn remove(&self, shell: &ShellId) -> Result<(), ShellsError> {
        // What holds its state must not outlive its files.
        let folder = self.at(shell);
        interpreter::end(&folder).map_err(io_error("end what reads", &folder.life()))?;
        remove::remove_shell(&self.at(shell))
    }
}
