//! The one place that starts programs other than tmux.

use std::ffi::OsStr;
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// A program to run, from an argument vector; nothing is interpreted by a shell.
#[expect(clippy::disallowed_methods, reason = "the one place that starts programs other than tmux")]
pub fn command(program: impl AsRef<OsStr>) -> Command {
    Command::new(program)
}

/// Starts a command that goes on by itself, in a process group of its own, with nothing to read or to print to.
///
/// # Errors
/// The system's error when it can't be started.
pub fn apart(command: &mut Command) -> io::Result<()> {
    use std::process::Stdio;
    command.process_group(0).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().map(drop)
}

/// Runs a command whose stdout is piped and returns at most `most` bytes of what it printed;
/// `None` when it was not done within `limit`: its whole process group is then ended.
///
/// # Errors
/// The system's error when it can't be started.
pub fn output_within(command: &mut Command, limit: Duration, most: u64) -> io::Result<Option<Vec<u8>>> {
    let mut child = command.process_group(0).spawn()?;
    let Some(stdout) = child.stdout.take() else { return Err(io::Error::other("no output to read")) };
    let group = i32::try_from(child.id()).map_err(io::Error::other)?;
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut text = Vec::new();
        let read = stdout.take(most).read_to_end(&mut text).map(|_| text);
        // Nobody waits any more when the time is up.
        let _ = sender.send(read);
    });
    let result = match receiver.recv_timeout(limit) {
        Ok(read) => read.map(Some),
        Err(RecvTimeoutError::Timeout) => Ok(None),
        Err(RecvTimeoutError::Disconnected) => Err(io::Error::other("can't read its output")),
    };
    super::process::end_group(group)?;
    child.wait()?;
    result
}

/// How far a program may go.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// How long it may take.
    pub time: Duration,
    /// The most that is read of its output, in bytes.
    pub bytes: u64,
}

/// What a program printed.
#[derive(Debug)]
pub struct Printed {
    /// Its output.
    pub stdout: Vec<u8>,
    /// What it reported as an error.
    pub stderr: String,
    /// Its exit code; none if it was ended.
    pub code: Option<i32>,
    /// Whether there was more output than was read: it was ended then.
    pub is_cut: bool,
}

/// How a program ended.
#[derive(Debug)]
pub enum Ended {
    /// By itself, or since it had printed enough.
    Printed(Printed),
    /// It took too long.
    TimedOut,
    /// Nobody waits for it any more.
    Stopped,
}

/// The most that is kept of what a program reports as errors, in bytes.
const ERRORS: u64 = 64 * 1024;
/// How long it takes to notice that nobody waits any more.
const SLICE: Duration = Duration::from_millis(50);

/// Runs a program in its own process group, with the input that the command says, until it ends, reaches a limit, or `stop` says that
/// nobody waits for it any more.
///
/// # Errors
/// The system's error when it can't be started or read.
pub fn run_within(command: &mut Command, limits: Limits, stop: &dyn Fn() -> bool) -> io::Result<Ended> {
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.process_group(0).spawn()?;
    let group = i32::try_from(child.id()).map_err(io::Error::other)?;
    let (Some(stdout), Some(mut stderr)) = (child.stdout.take(), child.stderr.take()) else {
        return Err(io::Error::other("no output to read"));
    };
    let errors = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // Also what isn't kept is read: a full pipe would hold the program up.
        let read = stderr.by_ref().take(ERRORS).read_to_end(&mut bytes);
        let _ = read.and_then(|_| io::copy(&mut stderr, &mut io::sink()));
        String::from_utf8_lossy(&bytes).into_owned()
    });
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = stdout.take(limits.bytes.saturating_add(1)).read_to_end(&mut bytes);
        let most = usize::try_from(limits.bytes).unwrap_or(usize::MAX);
        let is_cut = bytes.len() > most;
        bytes.truncate(most);
        let ended = if is_cut { super::process::end_group(group) } else { Ok(()) };
        let ended = ended.and_then(|()| child.wait());
        // Nobody waits any more when the time is up.
        let _ = sender.send(read.and(ended).map(|status| (bytes, status.code(), is_cut)));
    });
    let begun = Instant::now();
    let early = loop {
        match receiver.recv_timeout(SLICE) {
            Ok(read) => {
                let (stdout, code, is_cut) = read?;
                let stderr = errors.join().unwrap_or_default();
                return Ok(Ended::Printed(Printed { stdout, stderr, code, is_cut }));
            }
            Err(RecvTimeoutError::Disconnected) => return Err(io::Error::other("can't read its output")),
            Err(RecvTimeoutError::Timeout) if stop() => break Ended::Stopped,
            Err(RecvTimeoutError::Timeout) if begun.elapsed() >= limits.time => break Ended::TimedOut,
            Err(RecvTimeoutError::Timeout) => {}
        }
    };
    super::process::end_group(group)?;
    Ok(early)
}

/// A program in a separate process group, which ends when this is dropped.
#[derive(Debug)]
pub struct Group {
    child: std::process::Child,
    id: i32,
}

impl Group {
    /// Starts a program.
    ///
    /// # Errors
    /// The system's error.
    pub fn start(command: &mut Command) -> io::Result<Self> {
        let child = command.process_group(0).spawn()?;
        let id = i32::try_from(child.id()).map_err(io::Error::other)?;
        Ok(Self { child, id })
    }

    /// Whether any of its processes lives.
    pub fn lives(&self) -> bool {
        super::process::group_lives(self.id)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // What outlives SIGKILL can't be helped from here.
        let _ = super::process::end_group(self.id);
        let _ = self.child.wait();
    }
}

/// The file that `program` names, as a shell in `dir` with this `PATH` would find it.
pub fn find_program(program: &str, path: &str, dir: &Path) -> Option<PathBuf> {
    // Entries may be relative, too.
    let places = std::env::join_paths(std::env::split_paths(path).map(|place| dir.join(place))).ok()?;
    which::which_in(program, Some(places), dir).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_program_is_ended_at_its_limits() {
        let limits = |bytes| Limits { time: Duration::from_secs(60), bytes };
        let run = |script: &str, limits, stop: &dyn Fn() -> bool| {
            run_within(command("sh").args(["-c", script]).stdin(Stdio::null()), limits, stop).unwrap()
        };
        let Ended::Printed(p) = run("echo out; echo err >&2; exit 3", limits(100), &|| false) else {
            panic!()
        };
        assert_eq!(
            (p.stdout, p.stderr, p.code, p.is_cut),
            (b"out\n".to_vec(), "err\n".into(), Some(3), false)
        );
        let Ended::Printed(p) = run("exec yes", limits(100), &|| false) else { panic!("it is endless") };
        assert_eq!((p.stdout.len(), p.code, p.is_cut), (100, None, true));
        assert!(matches!(run("exec sleep 1000", limits(100), &|| true), Ended::Stopped));
        let soon = Limits { time: Duration::ZERO, bytes: 1 };
        assert!(matches!(run("exec sleep 1000", soon, &|| false), Ended::TimedOut));
    }

    #[test]
    fn programs_as_a_shell_finds_them() {
        let dir = tempfile::tempdir().unwrap();
        for (name, mode) in [("a/run", 0o700), ("b/run", 0o700), ("a/text", 0o600), ("b/text", 0o700)] {
            let path = dir.path().join(name);
            super::super::files::make_dir(path.parent().unwrap()).unwrap();
            super::super::files::create_new(&path, b"#!/bin/sh\n", 0o600).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        }
        std::fs::create_dir(dir.path().join("a/folder")).unwrap();
        let absolute = format!("{}/b", dir.path().display());
        let find = |program: &str, path: &str| {
            let found = find_program(program, path, dir.path())?;
            Some(found.strip_prefix(dir.path()).unwrap_or(&found).display().to_string())
        };
        assert_eq!(find("run", "a:b").as_deref(), Some("a/run"));
        assert_eq!(find("text", &format!("a:{absolute}")).as_deref(), Some("b/text"), "one that may run");
        assert_eq!(find("./a/run", "").as_deref(), Some("a/run"));
        for none in ["folder", "none", "a/text", ""] {
            assert_eq!(find(none, "a:b"), None, "{none}");
        }
    }
}
