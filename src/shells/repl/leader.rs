//! A job's leader where the state is in a live process: it asks the interpreter to run the code, and ends as that did.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::UnixStream;
use std::path::Path;

use nix::fcntl::OFlag;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use serde::{Deserialize, Serialize};
use signal_hook::consts::SIGUSR1;
use signal_hook::low_level::pipe;

use super::interpreter;
use crate::shells::folder::{JobFolder, ShellFolder};
use crate::shells::supervisor::{Events, take};
use crate::sys::{files, lock};

/// The verb that runs it.
pub const VERB: &str = "lead-job";
/// The variable with what is asked for: some of it is secret, so it is no argument.
pub const REQUEST: &str = "DECK_REQUEST";

/// The signal by which its supervisor has the code ended by force. Not KILL: only this process knows whether the interpreter
/// runs this job, or another one.
pub const FORCE: i32 = SIGUSR1;
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
    let (mut force, writer) = UnixStream::pair()?;
    force.set_nonblocking(true)?;
    pipe::register(FORCE, writer)?;
    // Before it is asked: it opens the other end only if somebody listens.
    let mut answer = Answers::open(&folder.answer())?;
    // Held until it has answered: an interpreter that has not opened it yet would find nothing.
    let _requests = ask(&shell, &request)?;
    loop {
        // Before what it wrote last is read.
        let is_alive = interpreter::is_alive(&shell);
        let all = [answer.pipe.as_fd(), events.end.as_fd(), force.as_fd()];
        let mut fds = all.map(|fd| PollFd::new(fd, PollFlags::POLLIN));
        let timeout = if is_alive { LOOK.into() } else { PollTimeout::ZERO };
        match poll(&mut fds, timeout) {
            Err(nix::errno::Errno::EINTR) => {}
            other => drop(other?),
        }
        let (is_told, is_forced) = (take(&mut events.end), take(&mut force));
        if (is_told || is_forced) && !answer.has_begun()? {
            // It waits behind another job, which is none of this one's business. Who finds no pipe passes it over.
            std::fs::remove_file(folder.answer())?;
            if !answer.has_begun()? {
                return Ok(if is_forced { 137 } else { 130 });
            }
        }
        if is_forced {
            interpreter::kill_it(&shell);
        } else if is_told {
            interpreter::interrupt(&shell);
        }
        match answer.read()? {
            Said::Nothing if is_alive => {}
            Said::Nothing | Said::Closed if !interpreter::is_alive(&shell) => {
                let lost = "its process has ended, and its state is lost";
                return if is_forced { Ok(137) } else { Err(io::Error::other(lost)) };
            }
            Said::Nothing => {}
            Said::Closed => {
                return Err(io::Error::other(
                    "its code closed the pipe for its answer: how it ended is not known",
                ));
            }
            Said::End(answer) => {
                keep_folder(&folder, answer.cwd.as_deref())?;
                return Ok(u8::try_from(answer.exit & 0xff).unwrap_or(1));
            }
        }
    }
}

/// What the interpreter said so far.
enum Said {
    /// Nothing that is an answer.
    Nothing,
    /// It opened the pipe, and closed it without one.
    Closed,
    /// How the code ended.
    End(Answer),
}

/// The pipe for the interpreter's answer.
struct Answers {
    pipe: File,
    text: String,
    /// Whether the interpreter has opened it: the code runs.
    has_begun: bool,
}

impl Answers {
    /// Opens it; it may have no writer yet.
    fn open(path: &Path) -> io::Result<Self> {
        let pipe = OpenOptions::new().read(true).custom_flags(OFlag::O_NONBLOCK.bits()).open(path)?;
        Ok(Self { pipe, text: String::new(), has_begun: false })
    }

    /// Whether the interpreter runs the code, or has run it.
    fn has_begun(&mut self) -> io::Result<bool> {
        self.read_some()?;
        Ok(self.has_begun)
    }

    fn read(&mut self) -> io::Result<Said> {
        let is_open = self.read_some()?;
        match self.text.split_once('\n') {
            Some((line, _)) => Ok(Said::End(serde_json::from_str(line)?)),
            None if self.has_begun && !is_open => Ok(Said::Closed),
            None => Ok(Said::Nothing),
        }
    }

    /// Reads what is there. Returns whether somebody has it open for writing: without a writer there is an end, with one
    /// that has written nothing there would be a wait.
    fn read_some(&mut self) -> io::Result<bool> {
        let mut bytes = [0; 4096];
        loop {
            match self.pipe.read(&mut bytes) {
                Ok(0) => return Ok(false),
                Ok(n) => {
                    self.text.push_str(&String::from_utf8_lossy(bytes.get(..n).unwrap_or_default()));
                    self.has_begun = true;
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => {
                    self.has_begun = true;
                    return Ok(true);
                }
                Err(e) => return Err(e),
            }
        }
    }
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

/// Notes the folder that the next command starts in, as other shells note their states.
fn keep_folder(folder: &JobFolder, cwd: Option<&str>) -> io::Result<()> {
    let Some(cwd) = cwd else { return Ok(()) };
    let capture = format!("repl\0\0{cwd}\n\0end\0");
    files::replace_unsynced(&folder.capture(), capture.as_bytes())
}
