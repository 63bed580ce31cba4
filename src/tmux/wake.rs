//! Waking deck when a window changes, on deck's own server: 1 to 5 ms after the output, without a process for it.
//!
//! The server runs `wait-for -S` when a window reports activity (`server.rs`), and one client waits for that: `tmux
//! source-file -` with many times "wait, then print a line". It is no control client: nothing is announced
//! when it comes or goes, so it needs no lock and may be ended at any time (`server_lock.rs`). The server goes on to the next
//! wait by itself, so no signal is lost between two waits of one client.
//!
//! A window reports once, and is then silent until it is told to report again (`lifecycle.rs`): a server that
//! nobody watches does nothing for this. It is only a wake-up: what it misses the next poll sees.
//!
//! Invariant: the client ends with its deck, however that ends: by the connection that it belongs to, or by the
//! connection's guard, in whose process group it is from its first instant on (`guard.rs`). If that was killed as well, the next
//! deck ends it (`stale_clients.rs`).

use std::io::{BufRead as _, BufReader};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use super::connection::{Target, program};
use super::oneshot::whole;
use super::quote::line;
use super::server::CHANNEL;
use super::stale_clients::Note;
use crate::ports::MuxError;

/// How many wake-ups one client waits for. At the highest rate it lives for about a minute.
const WAITS: usize = 600;

/// What is printed for each.
const PRINTED: &str = "w";

/// The client that waits, and the thread that listens to it. Both end when this is dropped.
#[derive(Debug)]
pub(super) struct Wake {
    /// None once it is to end.
    client: Arc<Mutex<Option<Child>>>,
}

impl Wake {
    /// Calls `listener` whenever a window has reported activity. `guard` is the process that ends the client if this
    /// deck can't.
    pub fn start(
        target: &Target,
        note: Arc<Note>,
        guard: u32,
        listener: impl Fn() + Send + 'static,
    ) -> Result<Self, MuxError> {
        let client = Arc::new(Mutex::new(Some(spawn(target, &note, guard)?)));
        let (target, own) = (target.clone(), client.clone());
        let run = move || while listen(&own, &listener) && again(&own, &target, &note, guard) {};
        std::thread::Builder::new().name("tmux-wake".to_owned()).spawn(run).map_err(MuxError::Start)?;
        Ok(Self { client })
    }
}

impl Drop for Wake {
    fn drop(&mut self) {
        let client = self.client.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(mut client) = client {
            // It only waits. One that has ended already is what was wanted.
            let _ = client.kill();
            let _ = client.wait();
        }
    }
}

/// Listens until the client ends. Returns whether it ever was woken: one that can't wait is not started again.
fn listen(client: &Mutex<Option<Child>>, listener: &impl Fn()) -> bool {
    let stdout = client.lock().unwrap_or_else(PoisonError::into_inner).as_mut().and_then(|c| c.stdout.take());
    let Some(stdout) = stdout else { return false };
    let mut woken = false;
    for _ in BufReader::new(stdout).lines().map_while(Result::ok).filter(|l| l == PRINTED) {
        woken = true;
        listener();
    }
    woken
}

/// Starts the next client, unless this is to end.
fn again(client: &Mutex<Option<Child>>, target: &Target, note: &Note, guard: u32) -> bool {
    let mut slot = client.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(mut last) = slot.take() else { return false };
    // It has closed its output: it ends by itself.
    let _ = last.wait();
    match spawn(target, note, guard) {
        Ok(next) => {
            *slot = Some(next);
            true
        }
        Err(error) => {
            tracing::debug!(%error, "deck is no longer woken by changes of windows");
            false
        }
    }
}

fn spawn(target: &Target, note: &Note, guard: u32) -> Result<Child, MuxError> {
    let wait = format!("{} ; {}\n", line(&["wait-for", CHANNEL]), line(&["display-message", "-p", PRINTED]));
    let mut command = program(&target.program);
    // It starts no server.
    command.args(["-N", "-u", "-L", target.server.as_str(), "source-file", "-"]).current_dir("/");
    // Where the guard is gone there is no such group, and nothing is started.
    command.process_group(i32::try_from(guard).unwrap_or(0));
    let script = whole(&wait.repeat(WAITS)).map_err(MuxError::Start)?;
    command.stdin(script).stdout(Stdio::piped()).stderr(Stdio::null());
    let child = command.spawn().map_err(MuxError::Start)?;
    note.set_waiting(child.id());
    Ok(child)
}
