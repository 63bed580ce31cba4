//! The program of a shared server: started, read and ended.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::PathBuf;
use std::process::{ChildStderr, ChildStdout, Stdio};
use std::sync::mpsc::{SyncSender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use super::lines::each_line;
use super::pool::Event;
use super::queue::Queue;
use crate::domain::mcp_servers::Prepared;
use crate::domain::text;
use crate::sys::{files, process, spawn};

/// How long what a server wrote before it ended is waited for.
const LAST_WORDS: Duration = Duration::from_millis(300);
/// How long the rest is waited for, once its group is ended.
const REST: Duration = Duration::from_secs(5);
/// How many lines of its stderr are kept for an error, and how long each may be.
const KEPT: usize = 5;
const LINE: usize = 300;
/// How much is kept of its log, in bytes.
const LOG: u64 = 1024 * 1024;
/// The variable by which what a killed pool left behind is found.
pub(super) const MARK: &str = "MCP_SERVER_OF";
/// Stacks of threads that only read or write.
pub(super) const STACK: usize = 128 * 1024;

/// A server that was started.
#[derive(Debug)]
pub(super) struct ServerProcess {
    pub pid: i32,
    pub stdin: Queue,
}

/// Starts a thread with a small stack.
pub(super) fn small_thread(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().name(name.to_owned()).stack_size(STACK).spawn(work).map(drop)
}

/// Starts the server; `generation` marks what comes of it.
///
/// # Errors
/// The system's error.
pub(super) fn start(
    server: &Prepared,
    key: &str,
    log: PathBuf,
    generation: u64,
    events: &SyncSender<Event>,
) -> io::Result<ServerProcess> {
    let mut command = spawn::command(&server.program);
    command.args(&server.args).env_clear().envs(&server.env).env(MARK, key).current_dir(&server.dir);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = command.spawn()?;
    let pid = i32::try_from(child.id()).unwrap_or_default();
    let stdin = Queue::default();
    let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (Some(input), Some(output), Some(errors)) = pipes else {
        return Err(io::Error::other("its pipes are missing"));
    };
    let writer = stdin.clone();
    small_thread("server-stdin", move || writer.write_to(input))?;
    // Ends when both readers have dropped their ends.
    let (done, all_read) = channel::<Infallible>();
    let (to, reading) = (events.clone(), done.clone());
    small_thread("server-stdout", move || {
        read_lines(output, generation, &to);
        drop(reading);
    })?;
    let last: Arc<Mutex<VecDeque<String>>> = Arc::default();
    let kept = last.clone();
    small_thread("server-stderr", move || {
        read_errors(errors, &log, &kept);
        drop(done);
    })?;
    let (to, input) = (events.clone(), stdin.clone());
    small_thread("server-wait", move || {
        let status = child.wait();
        input.close();
        // What it wrote before counts, but what it left running may hold the pipes.
        let _ = all_read.recv_timeout(LAST_WORDS);
        if let Err(error) = process::end_group(pid) {
            tracing::warn!(%error, pid, "can't end what a server left running");
        }
        // Nothing of its group holds them any more: its last words are read, however busy the machine is.
        let _ = all_read.recv_timeout(REST);
        let how = match status {
            Ok(status) => match (status.code(), status.signal()) {
                (Some(code), _) => format!("exit {code}"),
                (None, Some(signal)) => format!("signal {signal}"),
                (None, None) => "for an unknown reason".to_owned(),
            },
            Err(error) => error.to_string(),
        };
        let lines = last.lock().unwrap_or_else(PoisonError::into_inner);
        let words: Vec<String> = lines.iter().cloned().collect();
        let how = if words.is_empty() { how } else { format!("{how}: {}", words.join(" / ")) };
        let _ = to.send(Event::ServerEnded(generation, how));
    })?;
    Ok(ServerProcess { pid, stdin })
}

fn read_lines(output: ChildStdout, generation: u64, events: &SyncSender<Event>) {
    each_line(BufReader::new(output), |line| events.send(Event::Server(generation, line)).is_ok());
}

/// Keeps the last lines in memory, and all in the log, which begins anew when it is full.
fn read_errors(errors: ChildStderr, log: &std::path::Path, last: &Mutex<VecDeque<String>>) {
    let mut written = 0_u64;
    let mut input = BufReader::new(errors);
    loop {
        let mut line = Vec::new();
        match (&mut input).take(64 * 1024).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(read) => written += read as u64,
        }
        let result = if written > LOG {
            written = line.len() as u64;
            files::replace_unsynced(log, &line)
        } else {
            files::append(log, &line)
        };
        if let Err(error) = result {
            tracing::debug!(%error, "can't write the log of a server");
        }
        let words = text::fit(text::clean(&String::from_utf8_lossy(&line)).trim(), LINE);
        if words.is_empty() {
            continue;
        }
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        last.push_back(words);
        if last.len() > KEPT {
            last.pop_front();
        }
    }
}

/// Ends what an earlier pool of the same server left running, if it was killed.
pub(super) fn end_leftovers(key: &str) {
    for (pid, error) in process::end_all_with_variable(&format!("{MARK}={key}")) {
        tracing::warn!(%error, pid, "can't end what an earlier pool left running");
    }
}
