//! The [`Host`] of this machine.

use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use super::{files, process, spawn};
use crate::domain::id::SessionId;
use crate::domain::session::StartedProcess;
use crate::ports::host::{InFolder, Running};
use crate::ports::store::Stamp;
use crate::ports::{Cancel, Host};

/// How long a line may run, and how much of what it prints is kept.
const LINE_TIME: Duration = Duration::from_secs(1800);
const LINE_BYTES: u64 = 1024 * 1024;
/// How long a program may take to report its version.
const VERSION: Duration = Duration::from_secs(5);
/// The most that is read of it, in bytes.
const MOST_VERSION: u64 = 4096;

/// This machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemHost;

impl Host for SystemHost {
    fn is_dir(&self, path: &Path) -> bool {
        path.is_dir()
    }

    fn version_of(&self, program: &Path) -> Option<String> {
        let mut command = spawn::command(program);
        command.arg("--version").current_dir("/").stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::null());
        let said = spawn::output_within(&mut command, VERSION, MOST_VERSION).ok().flatten()?;
        Some(String::from_utf8_lossy(&said).into_owned())
    }

    fn is_private(&self, path: &Path) -> bool {
        // One that is not there yet is made privately.
        path.ancestors().filter_map(|p| p.metadata().ok()).all(|m| m.permissions().mode() & 0o022 == 0)
    }

    fn exists(&self, path: &Path) -> bool {
        path.exists()
    }

    fn find_program(&self, program: &str, path: &str, dir: &Path) -> Option<PathBuf> {
        spawn::find_program(program, path, dir)
    }

    fn read(&self, path: &Path) -> io::Result<String> {
        files::read_text(path, files::MAX_BYTES)
    }

    fn stamp(&self, path: &Path) -> Option<Stamp> {
        files::stamp(path)
    }

    fn put(&self, path: &Path, text: &str) -> io::Result<()> {
        if files::read_text(path, files::MAX_BYTES).is_ok_and(|old| old == text) {
            return Ok(());
        }
        if let Some(dir) = path.parent() {
            files::make_dir(dir)?;
        }
        files::replace(path, text.as_bytes(), || Ok(()))
    }

    fn make_folder(&self, path: &Path) -> io::Result<()> {
        std::fs::create_dir_all(path)
    }

    fn hold(
        &self,
        path: &Path,
        limit: std::time::Duration,
        cancel: &Cancel,
    ) -> io::Result<Option<std::fs::File>> {
        use std::os::unix::fs::MetadataExt;
        path.parent().map_or(Ok(()), super::files::make_dir)?;
        let begun = std::time::Instant::now();
        loop {
            let rest = limit.saturating_sub(begun.elapsed());
            let locked = super::lock::exclusive(super::lock::file(path)?, rest, cancel)?;
            let Ok(held) = locked else { return Ok(None) };
            // Its last holder has removed it: the next one locks another file.
            if held.metadata()?.nlink() > 0 {
                return Ok(Some(held));
            }
        }
    }

    fn release(&self, path: &Path, held: std::fs::File) {
        // Only its holder removes it, while it holds it. One that stays is used again.
        let _ = std::fs::remove_file(path);
        drop(held);
    }

    fn any_file(&self, pattern: &str) -> bool {
        find_file(pattern).is_some()
    }

    fn find_file(&self, pattern: &str) -> Option<PathBuf> {
        find_file(pattern)
    }

    fn all_files(&self, pattern: &str) -> Vec<PathBuf> {
        find_files(pattern)
    }

    fn free_port(&self) -> io::Result<u16> {
        Ok(std::net::TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
    }

    fn end_group(&self, pid: i32) -> io::Result<()> {
        process::end_group(pid)
    }

    fn started(&self, pid: i32) -> Option<StartedProcess> {
        process::stat(pid).map(|s| StartedProcess { pid, start: s.start })
    }

    fn end_leftovers(&self, leader: StartedProcess, session: &SessionId, program: &str) -> io::Result<()> {
        let own = nix::unistd::getpgrp().as_raw();
        let groups = process::groups_with(leader, &format!("DECK_SESSION_ID={session}"), program);
        groups.into_iter().filter(|group| *group != own).try_for_each(process::end_group)
    }

    fn descends_from(&self, pid: i32) -> bool {
        let own = i32::try_from(std::process::id()).ok();
        let mut at = own.and_then(process::stat);
        if at.is_none() {
            return true;
        }
        // An agent may be the server's own process.
        if own == Some(pid) {
            return true;
        }
        while let Some(stat) = at.filter(|s| s.parent > 0) {
            if stat.parent == pid {
                return true;
            }
            at = process::stat(stat.parent);
        }
        false
    }

    fn real_path(&self, path: &Path) -> Option<PathBuf> {
        path.canonicalize().ok()
    }

    fn foreground(&self, pid: i32) -> Vec<Running> {
        let group = process::stat(pid).map(|s| s.foreground).filter(|g| *g > 0);
        let mut all: Vec<i32> = group.map(process::members).unwrap_or_default();
        all.sort_by_key(|pid| (group != Some(*pid), *pid));
        all.into_iter().map(running).collect()
    }

    fn front(&self, pid: i32) -> Option<Running> {
        let stat = process::stat(pid).filter(|s| s.foreground > 0 && s.foreground != s.group)?;
        Some(running(stat.foreground))
    }

    fn variable(&self, pid: i32, name: &str) -> Option<String> {
        process::variable(pid, name)
    }

    fn environment(&self, pid: i32) -> Option<Vec<(String, String)>> {
        process::environment(pid)
    }

    fn lives(&self, pid: i32) -> bool {
        process::lives(pid)
    }

    fn reached(&self, step: &str) {
        super::step::reached(step);
    }

    fn remove_own(&self, path: &Path) -> std::io::Result<()> {
        match std::fs::remove_file(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
            other => other,
        }
    }

    fn run_line(
        &self,
        dir: &Path,
        line: &str,
        env: &std::collections::BTreeMap<String, String>,
        cancel: &Cancel,
    ) -> std::io::Result<(Option<i32>, String)> {
        let mut command = spawn::command("sh");
        // What it says on stderr is where it happened in what it printed.
        command.args(["-c", "exec 2>&1; eval \"$1\"", "sh", line]).current_dir(dir);
        command.envs(env).stdin(std::process::Stdio::null());
        let limits = spawn::Limits { time: LINE_TIME, bytes: LINE_BYTES };
        match spawn::run_within(&mut command, limits, &|| cancel.is_cancelled())? {
            spawn::Ended::Printed(printed) => {
                Ok((printed.code, String::from_utf8_lossy(&printed.stdout).into_owned()))
            }
            spawn::Ended::TimedOut | spawn::Ended::Stopped => Ok((None, String::new())),
        }
    }

    fn processes_in(&self, folder: &Path) -> Option<Vec<InFolder>> {
        process::in_folder(folder)
    }

    fn group_lives(&self, pid: i32) -> bool {
        process::group_lives(pid)
    }
}

fn running(pid: i32) -> Running {
    let folder = std::fs::read_link(format!("/proc/{pid}/cwd")).unwrap_or_default();
    Running { pid, argv: process::argv(pid), folder }
}

/// A file that matches a path in which `*` stands for any run of characters of one name; the largest
/// where several do: an agent may leave a second one beside a conversation, with nothing in it.
pub fn find_file(pattern: &str) -> Option<PathBuf> {
    find_files(pattern).into_iter().max_by_key(|path| path.metadata().map(|m| m.len()).unwrap_or(0))
}

/// All files that match such a path, in no particular order.
pub fn find_files(pattern: &str) -> Vec<PathBuf> {
    let mut at = vec![PathBuf::from("/")];
    for part in pattern.split('/').filter(|p| !p.is_empty()) {
        at = at.iter().flat_map(|dir| matching(dir, part)).collect();
    }
    at
}

/// What in `dir` has a name that fits `part`.
fn matching(dir: &Path, part: &str) -> Vec<PathBuf> {
    if !part.contains('*') {
        let path = dir.join(part);
        return if path.exists() { vec![path] } else { Vec::new() };
    }
    let fits = |name: &str| crate::domain::launch::matches_any(&[part.to_owned()], name);
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    entries.filter(|e| e.file_name().to_str().is_some_and(fits)).map(|e| e.path()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_whose_file_goes_is_still_one() {
        use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.send");
        let (inside, times) = (AtomicBool::new(false), AtomicU32::new(0));
        std::thread::scope(|scope| {
            for _ in 0..6 {
                scope.spawn(|| {
                    for _ in 0..40 {
                        let held = SystemHost
                            .hold(&path, std::time::Duration::from_secs(60), &Cancel::default())
                            .unwrap()
                            .unwrap();
                        assert!(!inside.swap(true, Ordering::SeqCst), "two hold it");
                        std::thread::yield_now();
                        inside.store(false, Ordering::SeqCst);
                        times.fetch_add(1, Ordering::SeqCst);
                        SystemHost.release(&path, held);
                    }
                });
            }
        });
        assert_eq!(times.into_inner(), 240);
        assert!(!path.exists(), "nothing is left behind");
    }

    #[test]
    fn a_star_stands_for_part_of_one_name() {
        let dir = tempfile::tempdir().unwrap();
        let deep = dir.path().join("projects/-src-api");
        std::fs::create_dir_all(&deep).unwrap();
        crate::sys::files::create_new(&deep.join("id-1.jsonl"), b"", 0o600).unwrap();
        let any = |p: &str| SystemHost.any_file(&format!("{}/{p}", dir.path().display()));
        crate::sys::files::create_new(&deep.join("id-0.jsonl"), b"more", 0o600).unwrap();
        crate::sys::files::create_new(&deep.join("id-3.jsonl"), b"", 0o600).unwrap();
        let all = format!("{}/projects/*/id-*.jsonl", dir.path().display());
        assert_eq!(find_file(&all), Some(deep.join("id-0.jsonl")));
        assert!(any("projects/*/id-1.jsonl"));
        assert!(any("projects/*/id-*.jsonl"));
        assert!(!any("projects/*/id-2.jsonl"));
        assert!(!any("*/id-1.jsonl"), "one star, one name");
    }
}
