//! The one place that starts programs other than tmux.

use std::ffi::OsStr;
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// A program to run, from an argument vector; nothing is interpreted by a shell.
#[expect(clippy::disallowed_methods, reason = "the one place that starts programs other than tmux")]
pub fn command(program: impl AsRef<OsStr>) -> Command {
    Command::new(program)
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

/// The file that `program` names, as a shell with this `PATH` would find it.
pub fn find_program(program: &str, path: &str, dir: &Path) -> Option<PathBuf> {
    if program.contains('/') {
        let file = dir.join(program);
        return is_executable(&file).then_some(file);
    }
    std::env::split_paths(path).map(|p| dir.join(p).join(program)).find(|f| is_executable(f))
}

fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}
