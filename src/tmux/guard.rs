//! The process that disconnects a connection's client after its deck has ended.
//!
//! A control client that leaves is announced to the others, so it leaves under the server's lock
//! (`server_lock.rs`) however its deck ends, by SIGKILL too. That takes a process that outlives deck:
//! deck's own program, with the client's output as stdin, the client's input as stdout and the lock's
//! file as stderr. While its deck lives it waits; it uses next to nothing.
//!
//! Last it ends its process group, in which the client is that waits for changes of windows (`wake.rs`).
//!
//! Invariant: the client's input ends only under the lock, and the lock is kept until the server has let
//! go of the client's output, which is the last thing it does with a client.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Child;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::{getpgrp, getpid};

use super::server_lock::Held;
use super::stale_clients;
use crate::ports::MuxError;
use crate::sys::{lock, spawn};

/// The verb that runs it.
pub const VERB: &str = "guard-connection";

/// Starts the process for the client whose deck keeps `note` locked.
pub(super) fn start(
    deck: &Path,
    note: &Path,
    output: io::PipeReader,
    input: io::PipeWriter,
    lock: &Held,
) -> Result<Child, MuxError> {
    let mut command = spawn::command(deck);
    command.arg0("deck").arg(VERB).arg(note).current_dir("/").process_group(0);
    command.stdin(output).stdout(input).stderr(lock.stderr()?);
    command.spawn().map_err(MuxError::Start)
}

/// Runs until the deck that keeps `note` locked is gone and its client has left.
///
/// # Errors
/// The system's error; the client then leaves all the same, but perhaps beside one that connects.
pub fn run(note: &Path) -> io::Result<()> {
    let of_deck = File::open(note)?;
    lock::wait(&of_deck)?;
    let of_server = File::from(io::stderr().as_fd().try_clone_to_owned()?);
    lock::wait(&of_server)?;
    nix::unistd::dup2_stdout(File::open("/dev/null")?)?;
    // What nobody reads would keep the client from leaving.
    io::copy(&mut io::stdin().lock(), &mut io::sink())?;
    stale_clients::end_waiting(note);
    std::fs::remove_file(note)?;
    end_group()
}

/// Ends the group that [`start`] made: whoever waits for this deck (`wake.rs`) is in it, and so is this process, which has
/// nothing left to do.
fn end_group() -> io::Result<()> {
    if getpgrp() != getpid() {
        // Started by hand: the group is somebody else's.
        return Ok(());
    }
    Ok(killpg(getpgrp(), Signal::SIGKILL)?)
}

/// deck's own program, also after the file was replaced by a newer one.
pub fn program() -> PathBuf {
    let own = PathBuf::from("/proc/self/exe");
    if own.exists() { own } else { std::env::current_exe().unwrap_or_else(|_| PathBuf::from("deck")) }
}
