//! One control-mode connection on two pipes. Every start of `tmux` goes through [`program`] here.
//!
//! Invariants: no process is spawned for any command; commands are answered in order, and each
//! request gets exactly as many replies as it has lines; a stalled reader here never stalls an
//! agent, since the client asks for no output. When it ends, every open request gets an error.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::io::{ErrorKind, PipeReader, PipeWriter, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::oneshot::Failed;
use super::protocol::{Message, Parser, Reply};
use super::server_lock::Held;
use super::stale_clients::{self, Note};
use super::wake::Wake;
use super::{guard, server, silence};
use crate::ports::mux::{MuxError, ServerId};

/// Something that happened on the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// Sessions or windows came, went or were renamed.
    Structure,
    /// A window has changed. Not every change is reported: see `wake.rs`.
    Activity,
    /// The connection ended.
    Ended,
}

/// Who hears of events.
pub type Listener = Box<dyn Fn(Event) + Send>;

/// Where and how to connect.
#[derive(Debug, Clone)]
pub(super) struct Target {
    /// The server, by the name of its socket.
    pub server: ServerId,
    /// The socket's path.
    pub path: PathBuf,
    /// The configuration for a server that is started; none on a server that isn't deck's.
    pub config: Option<PathBuf>,
    /// The tmux program.
    pub program: String,
    /// Where clients are noted.
    pub run: PathBuf,
    /// deck's own program, which sees clients out.
    pub deck: PathBuf,
}

type Pending = Arc<Mutex<VecDeque<SyncSender<Reply>>>>;

/// An open connection.
pub struct Connection {
    socket: PathBuf,
    stdin: Mutex<PipeWriter>,
    /// The client, and the process that sees it out.
    children: Vec<Child>,
    pending: Pending,
    ended: Arc<AtomicBool>,
    /// Why the server let this client go.
    farewell: Arc<Mutex<String>>,
    /// Wakes this deck when a window changes; none where nobody listens.
    wake: Option<Wake>,
    /// Says that this process lives and has this client.
    note: Arc<Note>,
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection").field("ended", &self.has_ended()).finish_non_exhaustive()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A thread that panicked here left nothing half done: each critical section is one step.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Connection {
    /// Makes the holder session and attaches to it: one process for the client, and one that sees it
    /// out. Returns the lock as well, under which no other client is half connected.
    pub(super) fn open(
        target: &Target,
        lock: Held,
        listener: Option<Listener>,
    ) -> Result<(Self, Held), Failed> {
        stale_clients::end(&target.run);
        let (input, stdin) = std::io::pipe().map_err(MuxError::Start)?;
        let (stdout, output) = std::io::pipe().map_err(MuxError::Start)?;
        let mut note = Note::new(&target.run).map_err(MuxError::Start)?;
        let ends =
            (stdout.try_clone().map_err(MuxError::Start)?, stdin.try_clone().map_err(MuxError::Start)?);
        // First, so that a client never has nobody to see it out.
        let guard = guard::start(&target.deck, &note.path, ends.0, ends.1, &lock)?;
        let child = spawn(target, input, output, &lock)?;
        note.set(child.id());
        let pending: Pending = Arc::default();
        let ended = Arc::new(AtomicBool::new(false));
        let (greeting, greeted) = sync_channel(1);
        let farewell: Arc<Mutex<String>> = Arc::default();
        let (waiting, over, words) = (pending.clone(), ended.clone(), farewell.clone());
        let reader = Reader { pending: waiting, ended: over, farewell: words, listener, greeting };
        std::thread::Builder::new()
            .name("tmux-reader".to_owned())
            .spawn(move || reader.run(stdout))
            .map_err(MuxError::Start)?;
        let connection = Self {
            socket: target.path.clone(),
            stdin: Mutex::new(stdin),
            children: vec![child, guard],
            pending,
            ended,
            farewell,
            wake: None,
            note: Arc::new(note),
        };
        // The reply to the command on tmux's own command line comes first.
        let failed = match silence::answer(&greeted, &target.path, silence::PATIENCE) {
            Ok(reply) if reply.ok => return Ok((connection, lock)),
            Ok(reply) => {
                MuxError::Refused { command: "new-session".to_owned(), message: text_of(&reply) }.into()
            }
            Err(Some(error)) => error.into(),
            Err(None) => {
                let words = format!("{}{}", lock.words(), connection_words(&connection.farewell));
                super::oneshot::failed(target, &words)
            }
        };
        // The client may be anywhere on its way in or out: the lock is given back when it is out.
        lock.hand_over();
        Err(failed)
    }

    /// Calls `listener` when a window has changed, until this is dropped.
    pub(super) fn wake(&mut self, target: &Target, listener: impl Fn() + Send + 'static) {
        let Some(guard) = self.children.last().map(Child::id) else { return };
        match Wake::start(target, self.note.clone(), guard, listener) {
            Ok(wake) => self.wake = Some(wake),
            // What nobody is woken for the next poll sees.
            Err(error) => tracing::debug!(%error, "deck isn't woken by changes of windows"),
        }
    }

    /// The error for a connection that is over, with the server's own words.
    fn closed(&self) -> MuxError {
        let words = connection_words(&self.farewell);
        MuxError::Closed(if words.is_empty() {
            "it ended".to_owned()
        } else {
            crate::domain::text::clean(&words)
        })
    }

    /// Whether it is over.
    pub fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    /// Counts as over from now on, whatever the server still says.
    pub(super) fn abandon(&self) {
        self.ended.store(true, Ordering::Release);
    }

    /// Sends command lines in one burst and returns their replies in order.
    ///
    /// # Errors
    /// [`MuxError::Closed`] when the connection ended, [`MuxError::TimedOut`] or [`MuxError::Stopped`] when no
    /// answer came.
    pub fn request(&self, lines: &[String]) -> Result<Vec<Reply>, MuxError> {
        let counted: Vec<(&str, usize)> = lines.iter().map(|l| (l.as_str(), 1)).collect();
        self.answers(&self.send(&counted)?)
    }

    /// Sends one line that is answered by `replies` blocks.
    ///
    /// # Errors
    /// As for [`Self::request`].
    pub(super) fn request_many(&self, line: &str, replies: usize) -> Result<Vec<Reply>, MuxError> {
        self.answers(&self.send(&[(line, replies)])?)
    }

    fn answers(&self, open: &[Receiver<Reply>]) -> Result<Vec<Reply>, MuxError> {
        open.iter()
            .map(|r| {
                let answer = silence::answer(r, &self.socket, silence::PATIENCE);
                answer.map_err(|e| e.unwrap_or_else(|| self.closed()))
            })
            .collect()
    }

    /// Writes lines, each with the number of blocks that answer it.
    fn send(&self, lines: &[(&str, usize)]) -> Result<Vec<Receiver<Reply>>, MuxError> {
        let mut text = String::with_capacity(lines.iter().map(|(l, _)| l.len() + 1).sum());
        for (line, _) in lines {
            if line.contains('\0') {
                return Err(MuxError::Unpassable("a command"));
            }
            text.push_str(line);
            text.push('\n');
        }
        // The order of the pending queue is the order on the pipe: both under one lock.
        let mut stdin = lock(&self.stdin);
        let receivers = {
            let mut pending = lock(&self.pending);
            if self.has_ended() {
                return Err(self.closed());
            }
            let blocks: usize = lines.iter().map(|(_, n)| n).sum();
            let open = |_| {
                let (sender, receiver) = sync_channel(1);
                pending.push_back(sender);
                receiver
            };
            (0..blocks).map(open).collect()
        };
        stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush()).map_err(|e| {
            // The client is gone, though the reader may not have seen it yet: nobody asks it again.
            self.ended.store(true, Ordering::Release);
            MuxError::Closed(e.to_string())
        })?;
        Ok(receivers)
    }
}

impl Drop for Connection {
    /// The client leaves when its guard lets it (`guard.rs`), and the server and the holder session go on
    /// without it. Nothing is waited for here, but a deck that stays collects what ended.
    fn drop(&mut self) {
        let children = std::mem::take(&mut self.children);
        let reap = move || {
            for mut child in children {
                // One that can't be waited for is gone.
                let _ = child.wait();
            }
        };
        // Without a thread they stay until this process ends.
        let _ = std::thread::Builder::new().name("tmux-reaper".to_owned()).spawn(reap);
    }
}

/// With what words the server let the client go.
fn connection_words(farewell: &Mutex<String>) -> String {
    lock(farewell).clone()
}

/// The thread that reads what the server says.
struct Reader {
    pending: Pending,
    ended: Arc<AtomicBool>,
    farewell: Arc<Mutex<String>>,
    listener: Option<Listener>,
    greeting: SyncSender<Reply>,
}

impl Reader {
    fn run(self, mut stdout: impl Read) {
        let mut greeting = Some(self.greeting);
        let mut parser = Parser::default();
        let mut buffer = vec![0; 64 * 1024];
        loop {
            let n = match stdout.read(&mut buffer) {
                Ok(0) => break,
                Ok(n) => n,
                Err(e) if e.kind() == ErrorKind::Interrupted => continue,
                Err(_) => break,
            };
            let mut exited = false;
            parser.feed(buffer.get(..n).unwrap_or_default(), |message| match message {
                Message::Reply(reply) if reply.own => {
                    if let Some(waiting) = lock(&self.pending).pop_front() {
                        // Nobody waits any more: the request timed out.
                        let _ = waiting.try_send(reply);
                    }
                }
                Message::Reply(reply) => {
                    if let Some(first) = greeting.take() {
                        let _ = first.try_send(reply);
                    }
                }
                Message::Notice(notice) => {
                    if let Some(listener) = self.listener.as_ref().filter(|_| is_structural(&notice)) {
                        listener(Event::Structure);
                    }
                }
                Message::Exit(why) => {
                    *lock(&self.farewell) = why;
                    exited = true;
                }
            });
            if exited {
                break;
            }
        }
        // Under the lock, so that no request slips in between and waits for an answer in vain.
        let mut pending = lock(&self.pending);
        self.ended.store(true, Ordering::Release);
        pending.clear();
        drop(pending);
        if let Some(listener) = self.listener {
            listener(Event::Ended);
        }
    }
}

/// Whether a notification reports sessions or windows that came, went or were renamed.
fn is_structural(notice: &str) -> bool {
    let name = notice.split(' ').next().unwrap_or_default();
    matches!(
        name,
        "sessions-changed"
            | "session-renamed"
            | "unlinked-window-add"
            | "unlinked-window-close"
            | "window-close"
    )
}

/// A reply's text for an error message.
pub(super) fn text_of(reply: &Reply) -> String {
    let lines: Vec<_> = reply.lines.iter().map(|l| String::from_utf8_lossy(l).into_owned()).collect();
    crate::domain::text::clean(&lines.join("; "))
}

fn spawn(target: &Target, input: PipeReader, output: PipeWriter, lock: &Held) -> Result<Child, MuxError> {
    let mut command = program(&target.program);
    // It starts no server: that would inherit the lock.
    command.args(["-N", "-u", "-L", target.server.as_str()]);
    command.args(["-C", "new-session", "-A", "-s", server::HOLDER, "-f", "no-output,ignore-size"]);
    command.args(["-x", "80", "-y", "24", "cat"]);
    command.env("TERM", "xterm-256color");
    command.stdin(input).stdout(output).stderr(lock.stderr()?);
    detach_from_terminal(&mut command);
    command.spawn().map_err(|e| match e.kind() {
        ErrorKind::NotFound => MuxError::NotInstalled,
        _ => MuxError::Start(e),
    })
}

/// Gives the client its own process group, so that a ctrl-c meant for deck doesn't end the
/// server that it may be starting.
fn detach_from_terminal(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0).current_dir("/");
}

#[expect(clippy::disallowed_methods, reason = "the one place that starts tmux")]
pub(super) fn program(name: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(name);
    command.env_remove("TMUX").env_remove("TMUX_PANE");
    command
}

/// The error for a tmux that is too old; none for one that is not, or not installed.
pub(super) fn too_old(program: &str) -> Option<MuxError> {
    let found = version_of(program).filter(|found| !server::is_new_enough(found))?;
    Some(MuxError::TooOld { found, needed: server::MINIMUM })
}

/// What `tmux -V` prints, without the program's name.
fn version_of(name: &str) -> Option<String> {
    let output = program(name).arg("-V").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Some(text.trim().trim_start_matches("tmux ").to_owned())
}
