//! Running a program that has the terminal instead of this one.
//!
//! Invariant: what ends this process ends that program, too: only the shell is left on the terminal.

use std::io;
use std::process::{Command, ExitStatus};
use std::sync::{Arc, Mutex, PoisonError};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use signal_hook::consts::{SIGHUP, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;

/// How a program ended, and the signal that asked this process to end meanwhile.
pub type Ended = (ExitStatus, Option<i32>);

/// Runs a program to its end. A signal that would have ended this process ends the program.
///
/// # Errors
/// The system's error when it can't be started.
pub fn run(command: &mut Command) -> io::Result<Ended> {
    let mut all = Signals::new([SIGTERM, SIGHUP, SIGQUIT])?;
    let handle = all.handle();
    let told = Arc::new(Mutex::new(None));
    let mut child = command.spawn()?;
    let pid = Pid::from_raw(i32::try_from(child.id()).map_err(io::Error::other)?);
    let noted = told.clone();
    let ends = std::thread::Builder::new().name("front".to_owned()).spawn(move || {
        for signal in &mut all {
            *noted.lock().unwrap_or_else(PoisonError::into_inner) = Some(signal);
            // One that has ended meanwhile needs no ending.
            let _ = kill(pid, Signal::SIGTERM);
        }
    })?;
    let status = child.wait();
    handle.close();
    // One that panicked has logged it.
    let _ = ends.join();
    let told = *told.lock().unwrap_or_else(PoisonError::into_inner);
    Ok((status?, told))
}
