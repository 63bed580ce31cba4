//! The process that holds a shell's state.
//!
//! Invariants: whether it lives is seen by the pipe `life`, which nobody else reads; it is signalled only by id and
//! start, of the same boot; it is no part of the job that started it.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::process::CommandExt;
use std::process::Stdio;

use nix::poll::{PollFd, PollFlags, poll};
use nix::sys::signal::{Signal, killpg};
use nix::sys::stat::Mode;
use nix::unistd::Pid;
use serde::{Deserialize, Serialize};

use crate::domain::shell::{Child, Shell};
use crate::shells::control;
use crate::shells::folder::ShellFolder;
use crate::shells::kind;
use crate::shells::liveness;
use crate::shells::supervisor::{around, read_environment};
use crate::sys::{files, process};

/// How long it may take to end when it is told to, in milliseconds.
const GRACE: u16 = 3000;

/// What it is known by.
#[derive(Debug, Serialize, Deserialize)]
struct Known {
    pid: i32,
    start: Option<u64>,
    boot_id: Option<String>,
    /// The first job that ran in it: it and those after it made its state.
    first_job: u64,
}

/// Whether it lives.
pub fn is_alive(folder: &ShellFolder) -> bool {
    control::is_read(&folder.life())
}

/// Whether one was started: if it doesn't live, its state is lost.
pub fn was_started(folder: &ShellFolder) -> bool {
    folder.interpreter().exists()
}

/// The first job that ran in the one that was started last.
pub fn first_job(folder: &ShellFolder) -> Option<u64> {
    read_known(folder).map(|known| known.first_job)
}

/// Starts it.
pub fn start(
    folder: &ShellFolder,
    shell: &Shell,
    first_job: u64,
    own_env: &[(String, String)],
) -> io::Result<()> {
    let program = kind::driver(&shell.kind)
        .ok_or_else(|| io::Error::other(format!("unknown kind of shell {:?}", shell.kind)))?;
    let driver = folder.0.join(program.file);
    files::replace_unsynced(&driver, program.text.as_bytes())?;
    for path in [folder.requests(), folder.life()] {
        match std::fs::remove_file(&path) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
            _ => nix::unistd::mkfifo(&path, Mode::S_IRUSR | Mode::S_IWUSR)?,
        }
    }
    // Open both ways: it has no end, and as long as it is open the interpreter lives.
    let life = File::options().read(true).write(true).open(folder.life())?;
    // It reads its code, and writes to pipes alone.
    files::make_dir(&folder.scratch())?;
    let mut command = around(shell, &folder.scratch())?;
    command.args(shell.command.iter().skip(1)).arg(&driver).arg(folder.requests());
    command.env_clear().current_dir(&shell.work_dir);
    let env = read_environment(folder)?;
    command.envs(env.into_iter().map(|(k, v)| (OsString::from_vec(k), OsString::from_vec(v))));
    command.env("PWD", &shell.work_dir);
    command.envs(own_env.iter().filter(|(name, _)| name != "DECK_JOB_ID").cloned());
    // With all below it, it is no part of the job that is the first to need it.
    command.env(process::SERVER_MARK, shell.session_id.as_str());
    command.stdin(life).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
    let child = command.spawn()?;
    let pid = i32::try_from(child.id()).map_err(io::Error::other)?;
    let start = process::stat(pid).map(|s| s.start);
    let known = Known { pid, start, boot_id: liveness::boot_id(), first_job };
    let bytes = serde_json::to_vec(&known).map_err(io::Error::other)?;
    files::replace_unsynced(&folder.interpreter(), &bytes)
}

/// Interrupts the code that it runs, and the commands that the code waits for, as ctrl-c in a terminal does.
pub fn interrupt(folder: &ShellFolder) {
    signal(folder, Signal::SIGINT);
}

/// Ends it by force, with the commands that it waits for: code that hears nothing keeps it busy.
pub fn kill_it(folder: &ShellFolder) {
    signal(folder, Signal::SIGKILL);
}

fn signal(folder: &ShellFolder, signal: Signal) {
    let Some(child) = known(folder) else { return };
    if liveness::is_same(&child) {
        // One that has just ended needs none.
        let _ = killpg(Pid::from_raw(child.pid), signal);
    }
}

fn known(folder: &ShellFolder) -> Option<Child> {
    let known = read_known(folder)?;
    let is_of_this_boot = known.boot_id == liveness::boot_id();
    is_of_this_boot.then(|| Child { pid: known.pid, start: known.start, command: String::new() })
}

fn read_known(folder: &ShellFolder) -> Option<Known> {
    let bytes = files::read(&folder.interpreter(), files::MAX_BYTES).ok()?;
    serde_json::from_slice(&bytes).ok()
}

/// Ends it, by force if it doesn't by itself.
pub fn end(folder: &ShellFolder) -> io::Result<()> {
    let Some(mut life) = control::open(&folder.life())? else { return Ok(()) };
    // Anything in this pipe is the end; and the pipe is broken once nobody can read it.
    let told = life.write_all(b"end\n");
    let mut fds = [PollFd::new(life.as_fd(), PollFlags::empty())];
    if told.is_err() || poll(&mut fds, GRACE)? == 0 {
        kill_it(folder);
    }
    Ok(())
}

/// Forgets that one was started, so that the next command starts another.
pub fn forget(folder: &ShellFolder) -> io::Result<()> {
    match std::fs::remove_file(folder.interpreter()) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
        _ => Ok(()),
    }
}
