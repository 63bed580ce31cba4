//! A machine in memory.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::domain::id::SessionId;
use crate::domain::session::StartedProcess;
use crate::ports::host::{InFolder, Running};
use crate::ports::store::Stamp;
use crate::ports::{Cancel, Host};

/// A machine on which everything exists.
#[derive(Debug, Default)]
pub struct FakeHost {
    pub ended: Mutex<Vec<i32>>,
    /// What has the foreground of a shell.
    pub front: Mutex<Option<Running>>,
    /// What can be read; where there is none, everything can and is empty.
    pub files: BTreeMap<PathBuf, String>,
    /// What runs on the terminal of a pane's process, its leader first.
    pub running: Mutex<BTreeMap<i32, Vec<Running>>>,
    /// Whether no conversation has a file.
    pub no_files: Mutex<bool>,
    /// Whether another process has every lock.
    pub locked: Mutex<bool>,
    /// What was put into files.
    pub written: Mutex<BTreeMap<PathBuf, String>>,
    /// Whether this process is of no pane.
    pub is_outside: Mutex<bool>,
}

impl Host for FakeHost {
    fn is_dir(&self, path: &Path) -> bool {
        !path.ends_with("missing")
    }

    fn version_of(&self, _: &Path) -> Option<String> {
        None
    }

    fn is_private(&self, _: &Path) -> bool {
        true
    }

    fn exists(&self, _: &Path) -> bool {
        false
    }

    fn find_program(&self, program: &str, _: &str, _: &Path) -> Option<PathBuf> {
        (program != "missing").then(|| Path::new("/bin").join(program))
    }

    fn read(&self, path: &Path) -> io::Result<String> {
        if let Some(text) = self.written.lock().unwrap().get(path) {
            return Ok(text.clone());
        }
        if self.files.is_empty() {
            return Ok(String::new());
        }
        self.files.get(path).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn stamp(&self, path: &Path) -> Option<Stamp> {
        let written = self.written.lock().unwrap();
        let text = written.get(path).or_else(|| self.files.get(path))?;
        Some(Stamp { size: text.len() as u64, ..Stamp::default() })
    }

    fn put(&self, path: &Path, text: &str) -> io::Result<()> {
        self.written.lock().unwrap().insert(path.to_owned(), text.to_owned());
        Ok(())
    }

    fn environment(&self, _: i32) -> Option<Vec<(String, String)>> {
        None
    }

    fn descends_from(&self, _: i32) -> bool {
        !*self.is_outside.lock().unwrap()
    }

    fn real_path(&self, path: &Path) -> Option<PathBuf> {
        Some(path.to_owned())
    }

    fn make_folder(&self, path: &Path) -> io::Result<()> {
        if path.starts_with("/locked") { Err(io::ErrorKind::PermissionDenied.into()) } else { Ok(()) }
    }

    fn hold(&self, _: &Path, _: std::time::Duration, _: &Cancel) -> io::Result<Option<std::fs::File>> {
        if *self.locked.lock().unwrap() {
            return Ok(None);
        }
        tempfile::tempfile().map(Some)
    }

    fn release(&self, _: &Path, _: std::fs::File) {}

    fn any_file(&self, _: &str) -> bool {
        !*self.no_files.lock().unwrap()
    }

    fn find_file(&self, pattern: &str) -> Option<PathBuf> {
        Some(PathBuf::from(pattern))
    }

    fn free_port(&self) -> io::Result<u16> {
        Ok(4096)
    }

    fn end_group(&self, pid: i32) -> io::Result<()> {
        self.ended.lock().unwrap().push(pid);
        Ok(())
    }

    fn started(&self, pid: i32) -> Option<StartedProcess> {
        Some(StartedProcess { pid, start: 1 })
    }

    fn end_leftovers(&self, _: StartedProcess, _: &SessionId, _: &str) -> io::Result<()> {
        Ok(())
    }

    fn front(&self, _: i32) -> Option<Running> {
        self.front.lock().unwrap().clone()
    }

    fn foreground(&self, pid: i32) -> Vec<Running> {
        self.running.lock().unwrap().get(&pid).cloned().unwrap_or_default()
    }

    fn variable(&self, _: i32, _: &str) -> Option<String> {
        None
    }

    fn lives(&self, _: i32) -> bool {
        true
    }

    fn all_files(&self, _: &str) -> Vec<PathBuf> {
        Vec::new()
    }

    fn remove_own(&self, _: &Path) -> std::io::Result<()> {
        Ok(())
    }

    fn run_line(
        &self,
        _: &Path,
        _: &str,
        _: &std::collections::BTreeMap<String, String>,
        _: &Cancel,
    ) -> std::io::Result<(Option<i32>, String)> {
        Ok((Some(0), String::new()))
    }

    fn processes_in(&self, _: &Path) -> Option<Vec<InFolder>> {
        Some(Vec::new())
    }

    fn group_lives(&self, _: i32) -> bool {
        false
    }
}
