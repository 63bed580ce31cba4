//! Shells in memory, whose jobs end as soon as they begin.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use jiff::Timestamp;

use crate::domain::shell::{Checkpoint, Child, Job, JobId, Shell, ShellId, StateFrom};
use crate::ports::ShellsError;
use crate::ports::shells::{
    Attached, Interactive, NewJob, NoProgram, Program, Shells, Until, Variables, Which,
};

/// Records of shells and jobs.
#[derive(Debug, Default)]
pub struct FakeShells {
    records: Mutex<Records>,
    /// What was read, other than when something changed.
    pub reads: Mutex<Vec<String>>,
}

#[derive(Debug, Default)]
struct Records {
    shells: BTreeMap<ShellId, Shell>,
    jobs: Vec<Job>,
    made: u8,
    /// How often something changed in each shell, and in the list.
    changes: BTreeMap<Option<ShellId>, u64>,
}

impl FakeShells {
    fn records(&self) -> MutexGuard<'_, Records> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a job into its shell.
    pub fn put(&self, job: Job) {
        let mut records = self.records();
        *records.changes.entry(Some(job.session_id.clone())).or_default() += 1;
        records.jobs.retain(|j| j.job_id != job.job_id);
        records.jobs.push(job);
    }

    fn note_read(&self, what: String) {
        self.reads.lock().unwrap_or_else(PoisonError::into_inner).push(what);
    }
}

impl Shells for FakeShells {
    fn all(&self) -> Result<(Vec<Shell>, Vec<ShellsError>), ShellsError> {
        self.note_read("list".to_owned());
        let mut all: Vec<Shell> = self.records().shells.values().cloned().collect();
        all.sort_by_key(|s| s.created_at);
        Ok((all, Vec::new()))
    }

    fn is_live(&self, _: &Shell) -> bool {
        false
    }

    fn is_lost(&self, _: &Shell) -> bool {
        false
    }

    fn begin_again(&self, shell: &Shell) -> Result<(Box<dyn Send>, RangeInclusive<u64>), ShellsError> {
        Ok((Box::new(()), 1..=shell.job_sequence))
    }

    fn end_again(&self, _: &Shell) -> Result<(), ShellsError> {
        Ok(())
    }

    fn code(&self, job: &JobId) -> Result<Vec<u8>, ShellsError> {
        let found = self.job(&job.shell, job.seq)?;
        found.map(|job| job.code.into_bytes()).ok_or_else(|| ShellsError::Damaged(PathBuf::new()))
    }

    fn changed_at(&self, shell: Option<&ShellId>) -> Option<SystemTime> {
        let changes = self.records().changes.get(&shell.cloned()).copied().unwrap_or(0);
        Some(SystemTime::UNIX_EPOCH + Duration::from_secs(changes))
    }

    fn shell(&self, shell: &ShellId) -> Result<Option<Shell>, ShellsError> {
        self.note_read(format!("shell {shell}"));
        Ok(self.records().shells.get(shell).cloned())
    }

    fn program(&self, word: &str, _: &str, _: &Path) -> Result<Program, NoProgram> {
        if word == "bash" {
            Ok(Program { kind: word.to_owned(), file: "/bin/bash".into(), keeps_functions: true })
        } else {
            Err(NoProgram::Unknown)
        }
    }

    fn new_id(&self) -> ShellId {
        let mut records = self.records();
        records.made += 1;
        ShellId::from_entropy([records.made; 16])
    }

    fn folder(&self, shell: &ShellId) -> PathBuf {
        Path::new("/shells").join(shell.as_str())
    }

    fn create(&self, shell: &Shell, _: &[(Vec<u8>, Vec<u8>)]) -> Result<(), ShellsError> {
        let mut records = self.records();
        *records.changes.entry(None).or_default() += 1;
        records.shells.insert(shell.session_id.clone(), shell.clone());
        Ok(())
    }

    fn lock(&self) -> Result<Box<dyn Send>, ShellsError> {
        Ok(Box::new(()))
    }

    fn end_idle(&self, shell: &ShellId, at: Timestamp) -> Result<Option<Shell>, ShellsError> {
        let runs = self.records().jobs.iter().any(|j| j.session_id == *shell && !j.status.is_final());
        let end = || self.change(shell, &mut |shell| shell.end(at));
        if runs { Ok(None) } else { end().map(Some) }
    }

    fn checkpoint(&self, _: &ShellId, _: &Checkpoint) -> Result<(), ShellsError> {
        Ok(())
    }

    fn checkpoints(&self, _: &ShellId) -> Result<Vec<Checkpoint>, ShellsError> {
        Ok(Vec::new())
    }

    fn restore(&self, shell: &ShellId, _: &StateFrom) -> Result<Option<Shell>, ShellsError> {
        self.shell(shell)
    }

    fn create_from(&self, shell: &Shell, _: &ShellId, _: &StateFrom) -> Result<Shell, ShellsError> {
        self.create(shell, &[]).map(|()| shell.clone())
    }

    fn environment(&self, _: &ShellId) -> Result<Variables, ShellsError> {
        Ok(Vec::new())
    }

    fn change(&self, shell: &ShellId, change: &mut dyn FnMut(&mut Shell)) -> Result<Shell, ShellsError> {
        let mut records = self.records();
        for changed in [None, Some(shell.clone())] {
            *records.changes.entry(changed).or_default() += 1;
        }
        let shell = records.shells.get_mut(shell).ok_or_else(|| ShellsError::Damaged(PathBuf::new()))?;
        change(shell);
        Ok(shell.clone())
    }

    fn interactive(&self, shell: &Shell, _: &[(String, String)]) -> Result<Interactive, ShellsError> {
        Ok(Interactive {
            program: "/bin/bash".into(),
            args: Vec::new(),
            folder: shell.work_dir.clone().into(),
            env: Vec::new(),
        })
    }

    fn next_folder(&self, shell: &Shell) -> Result<PathBuf, ShellsError> {
        Ok(shell.work_dir.clone().into())
    }

    fn jobs(&self, shell: &Shell) -> Result<Vec<Job>, ShellsError> {
        self.note_read(format!("jobs {}", shell.session_id));
        Ok(self.records().jobs.iter().filter(|j| j.session_id == shell.session_id).rev().cloned().collect())
    }

    fn running(&self, shell: &Shell) -> Result<Vec<Job>, ShellsError> {
        Ok(self.jobs(shell)?.into_iter().filter(|j| !j.status.is_final()).collect())
    }

    fn job(&self, shell: &ShellId, seq: u64) -> Result<Option<Job>, ShellsError> {
        self.note_read(format!("job {shell}/{seq}"));
        Ok(self.records().jobs.iter().find(|j| j.session_id == *shell && j.seq == seq).cloned())
    }

    fn history(&self, _: &ShellId, _: usize) -> Result<Vec<Job>, ShellsError> {
        Ok(Vec::new())
    }

    fn start(&self, _: &Shell, _: NewJob) -> Result<Box<dyn Attached>, ShellsError> {
        Err(ShellsError::Supervisor("nothing runs in memory".to_owned()))
    }

    fn read(&self, _: &JobId, _: Which, _: u64, _: u64) -> Result<Vec<u8>, ShellsError> {
        Ok(Vec::new())
    }

    fn order(&self, _: &JobId) -> Result<Vec<(Which, u64)>, ShellsError> {
        Ok(Vec::new())
    }

    fn wait(&self, _: &JobId, _: Until, _: Option<Duration>) -> Result<bool, ShellsError> {
        Ok(true)
    }

    fn control(&self, _: &JobId, _: &str) -> Result<bool, ShellsError> {
        Ok(false)
    }

    fn write(&self, _: &JobId, _: &[u8]) -> Result<bool, ShellsError> {
        Ok(false)
    }

    fn alive(&self, _: &Job) -> Vec<Child> {
        Vec::new()
    }

    fn signal(&self, _: &Child, _: &str) {}

    fn remove_jobs(&self, shell: &ShellId, jobs: &[u64]) -> Result<(), ShellsError> {
        self.records().jobs.retain(|j| j.session_id != *shell || !jobs.contains(&j.seq));
        Ok(())
    }

    fn remove(&self, shell: &ShellId) -> Result<(), ShellsError> {
        self.records().shells.remove(shell);
        Ok(())
    }
}
