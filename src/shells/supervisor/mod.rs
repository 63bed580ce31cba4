//! The process that runs one job: it owns the job's pipes, its record and its descendants, and outlives who asked.
//!
//! Its stdin is the job's, its stdout the socket to who asked, its stderr the locked file `code` of the job.
//!
//! Invariants: it holds that lock until its last record is on disk; it tells nobody of an end before that is on disk; it
//! never waits for who asked longer than that lives.

mod asker;
mod descendants;
mod ended;
mod events;
mod leader;
mod pipes;
mod run;
mod turn;

pub use events::{Events, take};
pub use leader::{around, read_environment};

use std::fs::File;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::path::Path;

use super::folder::JobFolder;
use super::messages;
use crate::sys::step;

/// The verb that runs it.
pub const VERB: &str = "supervise-job";

/// Runs the job in this folder.
///
/// # Errors
/// The system's, when it could not even be recorded.
pub fn supervise(folder: &Path) -> Result<(), Box<dyn std::error::Error>> {
    // No terminal: what asks for a password there fails at once.
    nix::unistd::setsid()?;
    let lock = File::from(std::io::stderr().as_fd().try_clone_to_owned()?);
    let socket = UnixStream::from(std::io::stdout().as_fd().try_clone_to_owned()?);
    let null = File::options().read(true).write(true).open("/dev/null")?;
    nix::unistd::dup2_stdout(&null)?;
    nix::unistd::dup2_stderr(&null)?;
    std::env::set_current_dir("/")?;
    let events = events::Events::listen()?;
    #[cfg(target_os = "linux")]
    nix::sys::prctl::set_child_subreaper(true)?;
    step::reached("began");
    let mut asker = asker::Asker::new(socket);
    let request = messages::receive_request(&mut asker.socket)?;
    asker.is_ready()?;
    let folder = JobFolder(folder.to_owned());
    let result = run::run(folder, request, &mut asker, events, lock);
    if let Err(error) = &result {
        asker.fail(&error.to_string());
    }
    Ok(result?)
}
