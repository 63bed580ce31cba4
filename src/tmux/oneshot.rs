//! One short tmux process for a few commands: `tmux source-file -`.
//!
//! Invariants: it is no control client, so whatever becomes of it or of its deck, the server has nobody
//! halfway connected (`server_lock.rs`); it never starts a server; it runs all of the commands that it
//! was given or, if its deck is killed before it is started, none of them.

use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

use nix::fcntl::{FcntlArg, OFlag, fcntl};

use super::connection::{Target, program};
use super::protocol::Reply;
use super::quote::line;
use super::server_lock::Held;
use super::{server, silence};
use crate::ports::Clock;
use crate::ports::mux::MuxError;
use crate::sys::clock::SystemClock;
use crate::sys::process::SERVER_MARK;

/// Why commands have no answers.
#[derive(Debug)]
pub(super) struct Failed {
    /// What happened.
    pub error: MuxError,
    /// Whether it is certain that none of the commands ran, and worth another try: the server was
    /// about to end, or to begin.
    pub again: bool,
}

impl From<MuxError> for Failed {
    fn from(error: MuxError) -> Self {
        Self { error, again: false }
    }
}

/// Runs command lines that announce nothing, and returns what each answered, in order, if that is done
/// within `limit`.
pub(super) fn request(target: &Target, lines: &[String], limit: Duration) -> Result<Vec<Reply>, Failed> {
    let script = Script::new(lines)?;
    let mut child = start(target, &script, None, Stdio::piped())?;
    let stderr = child.stderr.take();
    let out =
        read_within(&mut child, &target.path, stderr.map(|e| Box::new(e) as Box<dyn Read + Send>), limit);
    let (stdout, words) = match out {
        Err(error) => {
            // It is this process's own child, and it asks only: nobody misses it.
            let _ = child.kill();
            let _ = child.wait();
            return Err(error.into());
        }
        Ok(out) => out,
    };
    child.wait().map_err(MuxError::Start)?;
    script.replies(target, &stdout, &words)
}

/// Runs command lines that announce something. The client has the lock until it is done, also if this
/// process is killed or gives up; its programs are looked for in `path`.
pub(super) fn request_locked(
    target: &Target,
    lines: &[String],
    lock: Held,
    path: Option<&str>,
) -> Result<Vec<Reply>, Failed> {
    let script = Script::new(lines)?;
    let mut child = start(target, &script, path, lock.stderr()?)?;
    let out = read_within(&mut child, &target.path, None, silence::PATIENCE);
    let (stdout, _) = match out {
        Err(error) => {
            lock.hand_over();
            return Err(error.into());
        }
        Ok(out) => out,
    };
    child.wait().map_err(MuxError::Start)?;
    script.replies(target, &stdout, &lock.words())
}

/// Starts a server, unless one runs. With the lock's file as its stderr it would give the lock to the
/// server, so it has none; a server that starts has nobody to announce anything to.
pub(super) fn start_server(target: &Target) -> Result<(), Failed> {
    let mut command = program(&target.program);
    command.args(["-u", "-L", target.server.as_str()]);
    if let Some(config) = &target.config {
        command.arg("-f").arg(config);
    }
    // The mark is the server's alone: what runs in sessions has the environment that its user would have.
    command.args(["start-server", ";", "set-environment", "-gu", SERVER_MARK]);
    command.current_dir("/").process_group(0);
    command.env_clear().envs(std::env::vars_os().filter(|(k, _)| server::is_shared(k)));
    // Code of a job may be the first to need a server: the job's end is not the server's.
    command.env(SERVER_MARK, "1");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = spawn(&mut command)?;
    let stderr = child.stderr.take();
    let stderr = stderr.map(|e| Box::new(e) as Box<dyn Read + Send>);
    let (_, words) = match read_within(&mut child, &target.path, stderr, silence::PATIENCE) {
        Err(error) => {
            // It is this process's own child, and no server: that is a process of its own from its first moment on.
            let _ = child.kill();
            let _ = child.wait();
            return Err(error.into());
        }
        Ok(out) => out,
    };
    if child.wait().map_err(MuxError::Start)?.success() { Ok(()) } else { Err(failed(target, &words)) }
}

/// Command lines with marks around what each prints.
struct Script {
    text: String,
    begun: String,
    done: String,
    lines: usize,
}

impl Script {
    fn new(lines: &[String]) -> Result<Self, MuxError> {
        if lines.iter().any(|l| l.contains('\0')) {
            return Err(MuxError::Unpassable("a command"));
        }
        // What a pane shows must not be taken for the end of a reply.
        let begun = format!("deck-{}", SystemClock.new_conversation_id());
        let done = format!("{begun} done");
        let print = |what: &str| line(&["display-message", "-p", what]);
        let (begin, end) = (print(&begun), print(&done));
        // A line stops at its first error; the next one is run all the same.
        let text = lines.iter().map(|l| format!("{begin}\n{l} ; {end}\n")).collect();
        Ok(Self { text, begun, done, lines: lines.len() })
    }

    /// What each line answered.
    fn replies(&self, target: &Target, stdout: &[u8], words: &str) -> Result<Vec<Reply>, Failed> {
        let replies = replies(stdout, &self.begun, &self.done, words.trim(), SystemClock.now().as_second());
        if replies.len() == self.lines {
            return Ok(replies);
        }
        let failed = failed(target, words);
        Err(Failed { again: failed.again && replies.is_empty(), ..failed })
    }
}

/// A text as something to read from, whole before anybody reads it: a deck that is killed can't leave half
/// of a command to be run.
pub(super) fn whole(text: &str) -> std::io::Result<Stdio> {
    let (reader, mut writer) = std::io::pipe()?;
    fcntl(&writer, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
    match writer.write(text.as_bytes()) {
        Ok(n) if n == text.len() => return Ok(OwnedFd::from(reader).into()),
        Err(e) if e.kind() != ErrorKind::WouldBlock => return Err(e),
        _ => {}
    }
    let mut file = tempfile::tempfile()?;
    file.write_all(text.as_bytes())?;
    file.seek(SeekFrom::Start(0))?;
    Ok(file.into())
}

/// Reads what was printed between the marks.
fn replies(stdout: &[u8], begun: &str, done: &str, words: &str, time: i64) -> Vec<Reply> {
    let mut all: Vec<Reply> = Vec::new();
    for text in stdout.split(|b| *b == b'\n') {
        if text == begun.as_bytes() {
            all.push(Reply { time, own: true, ok: false, lines: Vec::new() });
        } else if let Some(reply) = all.last_mut() {
            if text == done.as_bytes() {
                reply.ok = true;
            } else if !reply.ok {
                reply.lines.push(text.to_vec());
            }
        }
    }
    let refused = all.iter().filter(|r| !r.ok).count();
    // Each refusal is one line, in order, unless something else was said as well.
    let mut each = words.lines().filter(|_| words.lines().count() == refused);
    for reply in all.iter_mut().filter(|r| !r.ok) {
        reply.lines = vec![each.next().unwrap_or(words).as_bytes().to_vec()];
    }
    all
}

/// What tmux's words mean where it did not run the commands.
pub(super) fn failed(target: &Target, words: &str) -> Failed {
    let words = crate::domain::text::clean(words.trim());
    let none = words.contains("no server running") || words.contains("(No such file or directory)");
    let refused = words.contains("(Connection refused)");
    let ends = words.is_empty() || ["server exited", "lost server"].iter().any(|w| words.contains(w));
    let again = none || refused || ends;
    let error = if none || refused {
        MuxError::NoServer(target.server.clone())
    } else if let Some(error) = super::connection::too_old(&target.program) {
        error
    } else {
        MuxError::Closed(if words.is_empty() { "it ended".to_owned() } else { words })
    };
    Failed { error, again }
}

/// One tmux that reads commands from its stdin.
fn start(target: &Target, script: &Script, path: Option<&str>, stderr: Stdio) -> Result<Child, MuxError> {
    let mut command = match path {
        // The server looks for a new session's programs where its client would (tmux's spawn.c); deck's
        // own search for tmux must not follow that.
        Some(path) => {
            let own = std::env::var("PATH").unwrap_or_default();
            let found = crate::sys::spawn::find_program(&target.program, &own, "/".as_ref());
            let mut command = program(found.ok_or(MuxError::NotInstalled)?);
            command.env("PATH", path);
            command
        }
        None => program(&target.program),
    };
    command.args(["-N", "-u", "-L", target.server.as_str(), "source-file", "-"]).current_dir("/");
    // A ctrl-c that is meant for deck does not end the client in the middle.
    command.process_group(0);
    command.stdin(whole(&script.text).map_err(MuxError::Start)?).stdout(Stdio::piped()).stderr(stderr);
    spawn(&mut command)
}

fn spawn(command: &mut Command) -> Result<Child, MuxError> {
    command.spawn().map_err(|e| match e.kind() {
        ErrorKind::NotFound => MuxError::NotInstalled,
        _ => MuxError::Start(e),
    })
}

/// What the client printed on stdout and on stderr, if it is done in time.
fn read_within(
    child: &mut Child,
    socket: &Path,
    stderr: Option<Box<dyn Read + Send>>,
    limit: Duration,
) -> Result<(Vec<u8>, String), MuxError> {
    let Some(mut stdout) = child.stdout.take() else {
        return Err(MuxError::Closed("it has no pipes".to_owned()));
    };
    let (sender, receiver) = channel();
    let read = move || {
        let (mut out, mut words) = (Vec::new(), Vec::new());
        let read = stdout.read_to_end(&mut out);
        let read = read.and_then(|_| stderr.map_or(Ok(0), |mut e| e.read_to_end(&mut words)));
        // Nobody waits any more when the time is up.
        let _ = sender.send(read.map(|_| (out, String::from_utf8_lossy(&words).into_owned())));
    };
    std::thread::Builder::new().name("tmux-oneshot".to_owned()).spawn(read).map_err(MuxError::Start)?;
    match silence::answer(&receiver, socket, limit) {
        Ok(read) => read.map_err(|e| MuxError::Closed(e.to_string())),
        Err(Some(error)) => Err(error),
        Err(None) => Err(MuxError::Closed("it could not be read".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_has_its_own_answer() {
        let text = b"m\na\nb\nm done\nm\npart of what failed\nm\nm done\n";
        let all = replies(text, "m", "m done", "can't find pane: %9", 7);
        let told: Vec<_> = all.iter().map(|r| (r.ok, r.lines.len())).collect();
        assert_eq!(told, [(true, 2), (false, 1), (true, 0)]);
        assert_eq!(all[1].lines, [b"can't find pane: %9".to_vec()]);
    }

    #[test]
    fn each_refusal_has_its_own_words() {
        let all = replies(b"m\nm\nm done\nm\n", "m", "m done", "no a\nno b", 7);
        let words: Vec<_> =
            all.iter().map(|r| String::from_utf8_lossy(&r.lines.concat()).into_owned()).collect();
        assert_eq!(words, ["no a", "", "no b"]);
    }

    #[test]
    fn a_script_of_any_size_is_there_before_anybody_reads() {
        for size in [10, 1_000_000] {
            let script = Script::new(&["x".repeat(size)]).unwrap();
            let mut cat = crate::sys::spawn::command("cat");
            let out = cat.stdin(whole(&script.text).unwrap()).output().unwrap();
            assert_eq!(out.stdout.len(), script.text.len());
        }
    }
}
