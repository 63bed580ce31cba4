//! A job's leader where the state is in a live process: it asks the interpreter to run the code, and ends as that did.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use nix::fcntl::OFlag;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use serde::{Deserialize, Serialize};

use super::interpreter;
use crate::shells::folder::{JobFolder, ShellFolder};
use crate::shells::supervisor::{Events, take};
use crate::sys::{files, lock};

/// The verb that runs it.
pub const VERB: &str = "lead-job";
/// The variable with what is asked for: some of it is secret, so it is no argument.
pub const REQUEST: &str = "DECK_REQUEST";

/// How often it is seen whether the interpreter lives, in milliseconds: before it opens the pipe for its answer, nothing
/// tells of its end.
const LOOK: u16 = 250;

/// What an interpreter is asked for.
#[derive(Debug, Serialize, Deserialize)]
pub struct ReplRequest {
    /// The job's id.
    pub job: String,
    /// The job's folder.
    pub folder: String,
    /// Another work directory for this job alone.
    pub cwd: Option<String>,
    /// Variables for this job alone.
    pub env: serde_json::Map<String, serde_json::Value>,
    /// What the code reads.
    pub stdin: Option<String>,
    /// Whether both streams go into one pipe.
    pub merge: bool,
    /// deck's own program, for child jobs.
    pub deck: String,
}

/// How the code ended.
#[derive(Debug, Deserialize)]
struct Answer {
    exit: i32,
    cwd: Option<String>,
}

/// Runs the job in this folder. Returns what to exit with.
///
/// # Errors
/// The system's, or that the interpreter is gone.
pub fn lead(folder: &Path) -> io::Result<u8> {
    let folder = JobFolder(folder.to_owned());
    let shell = folder.shell().ok_or_else(|| io::Error::other("no folder of a job"))?;
    let text = std::env::var(REQUEST).map_err(io::Error::other)?;
    let mut request: ReplRequest = serde_json::from_str(&text)?;
    if cfg!(target_os = "linux") {
        request.stdin = Some(format!("/proc/{}/fd/0", std::process::id()));
    }
    let mut events = Events::listen()?;
    // Before it is asked: it opens the other end only if somebody listens.
    let mut answer = fifo_to_read(&folder.answer())?;
    // Held until it has answered: an interpreter that has not opened it yet would find nothing.
    let _requests = ask(&shell, &request)?;
    let mut said = String::new();
    loop {
        // Before what it wrote last is read.
        let has_ended = !interpreter::is_alive(&shell);
        let mut fds = [answer.as_fd(), events.end.as_fd()].map(|fd| PollFd::new(fd, PollFlags::POLLIN));
        let timeout = if has_ended { PollTimeout::ZERO } else { LOOK.into() };
        match poll(&mut fds, timeout) {
            Err(nix::errno::Errno::EINTR) => {}
            other => drop(other?),
        }
        if take(&mut events.end) {
            interpreter::interrupt(&shell);
        }
        read_some(&mut answer, &mut said)?;
        if let Some((line, _)) = said.split_once('\n') {
            let answer: Answer = serde_json::from_str(line)?;
            keep_folder(&folder, answer.cwd.as_deref())?;
            return Ok(u8::try_from(answer.exit & 0xff).unwrap_or(1));
        }
        if has_ended {
            return Err(io::Error::other("its process has ended, and its state is lost"));
        }
    }
}

/// Opens a FIFO that may have no writer yet.
fn fifo_to_read(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).custom_flags(OFlag::O_NONBLOCK.bits()).open(path)
}

/// Writes the request. Two at a time could be mixed up.
fn ask(shell: &ShellFolder, request: &ReplRequest) -> io::Result<File> {
    let mut line = serde_json::to_vec(request)?;
    line.push(b'\n');
    let alone = lock::file(&shell.0.join("asking"))?;
    lock::wait(&alone)?;
    let mut requests = OpenOptions::new().read(true).write(true).open(shell.requests())?;
    requests.write_all(&line)?;
    Ok(requests)
}

fn read_some(from: &mut File, said: &mut String) -> io::Result<()> {
    let mut bytes = [0; 4096];
    match from.read(&mut bytes) {
        Ok(n) => said.push_str(&String::from_utf8_lossy(bytes.get(..n).unwrap_or_default())),
        Err(e) if matches!(e.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {}
        Err(e) => return Err(e),
    }
    Ok(())
}

/// Notes the folder that the next command starts in, as other shells note their states.
fn keep_folder(folder: &JobFolder, cwd: Option<&str>) -> io::Result<()> {
    let Some(cwd) = cwd else { return Ok(()) };
    let capture = format!("repl\0\0{cwd}\n\0end\0");
    files::replace_unsynced(&folder.capture(), capture.as_bytes())
}
