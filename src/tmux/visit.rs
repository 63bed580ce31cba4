//! Servers that are their user's own, on which sessions were adopted: asked by one short process each time.
//!
//! Invariants: nothing is made on such a server and no client stays on it; it is never started; no
//! control client is attached to it. tmux up to 3.3a crashes when it announces something while a control
//! client connects (`turn.rs`), and on such a server nobody takes turns.

use std::io::{Read, Write};
use std::process::Stdio;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use super::connection::{Target, program};
use super::protocol::Reply;
use super::quote::line;
use crate::ports::Clock;
use crate::ports::mux::MuxError;
use crate::sys::clock::SystemClock;

/// How long the server may take to answer, in seconds.
const PATIENCE: u64 = 10;

/// Runs command lines, and returns what each answered, in order.
pub(super) fn request(target: &Target, lines: &[String]) -> Result<Vec<Reply>, MuxError> {
    if lines.is_empty() {
        return Ok(Vec::new());
    }
    if lines.iter().any(|l| l.contains('\0')) {
        return Err(MuxError::Unpassable("a command"));
    }
    // What a pane shows must not be taken for the end of a reply.
    let mark = format!("deck-{}", SystemClock.new_conversation_id());
    let (begun, done) = (line(&["display-message", "-p", &mark]), format!("{mark} done"));
    let ended = line(&["display-message", "-p", &done]);
    // A line stops at its first error; the next one is run all the same.
    let text: String = lines.iter().map(|l| format!("{begun}\n{l} ; {ended}\n")).collect();
    let at = SystemClock.now().as_second();
    let (stdout, stderr) = run(target, &text)?;
    let replies = replies(&stdout, &mark, &done, stderr.trim(), at);
    if replies.len() == lines.len() {
        return Ok(replies);
    }
    if stderr.contains("no server running") || stderr.contains("error connecting") {
        return Err(MuxError::NoServer(target.socket.clone()));
    }
    Err(MuxError::Closed(crate::domain::text::clean(stderr.trim())))
}

/// Reads what was printed between the marks.
fn replies(stdout: &[u8], mark: &str, done: &str, words: &str, time: i64) -> Vec<Reply> {
    let mut all: Vec<Reply> = Vec::new();
    for text in stdout.split(|b| *b == b'\n') {
        if text == mark.as_bytes() {
            all.push(Reply { time, own: true, ok: false, lines: Vec::new() });
        } else if let Some(reply) = all.last_mut() {
            if text == done.as_bytes() {
                reply.ok = true;
            } else if !reply.ok {
                reply.lines.push(text.to_vec());
            }
        }
    }
    for reply in all.iter_mut().filter(|r| !r.ok) {
        reply.lines = vec![words.as_bytes().to_vec()];
    }
    all
}

/// One tmux that reads commands from its stdin; what it printed on stdout and on stderr.
fn run(target: &Target, text: &str) -> Result<(Vec<u8>, String), MuxError> {
    let mut command = program(&target.program);
    command.args(["-u", "-L", &target.socket, "source-file", "-"]).current_dir("/");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => MuxError::NotInstalled,
        _ => MuxError::Start(e),
    })?;
    let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (Some(mut stdin), Some(mut stdout), Some(mut stderr)) = pipes else {
        return Err(MuxError::Closed("it has no pipes".to_owned()));
    };
    let (sender, receiver) = channel();
    let text = text.to_owned();
    std::thread::spawn(move || {
        // It reads all of its stdin before it runs anything.
        let written = stdin.write_all(text.as_bytes());
        drop(stdin);
        let (mut out, mut err) = (Vec::new(), String::new());
        let read = written.and_then(|()| stdout.read_to_end(&mut out));
        let read = read.and_then(|_| stderr.read_to_string(&mut err)).map(|_| (out, err));
        // Nobody waits any more when the time is up.
        let _ = sender.send(read);
    });
    let result = match receiver.recv_timeout(Duration::from_secs(PATIENCE)) {
        Ok(read) => read.map_err(|e| MuxError::Closed(e.to_string())),
        Err(RecvTimeoutError::Timeout) => {
            // It is this process's own child.
            let _ = child.kill();
            Err(MuxError::TimedOut(PATIENCE))
        }
        Err(RecvTimeoutError::Disconnected) => Err(MuxError::Closed("it could not be read".to_owned())),
    };
    child.wait().map_err(MuxError::Start)?;
    result
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
}
