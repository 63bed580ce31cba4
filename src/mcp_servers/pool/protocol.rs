//! The words between a pool and those who start it, connect to it or ask it something.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::domain::mcp_servers::Prepared;
use crate::domain::mcp_servers::relay::{Millis, RelayStatus};

/// The verb that runs it.
pub(in crate::mcp_servers) const VERB: &str = "pool-serve";
/// What it prints once clients can come.
pub(in crate::mcp_servers) const READY: &str = "ready";
/// What is said to a client that was taken in, before anything else.
pub(in crate::mcp_servers) const WELCOME: &str = r#"{"deck":"welcome"}"#;
/// The most that is read as what is to be run, in bytes.
pub(super) const MAX_SPEC: u64 = 16 * 1024 * 1024;

/// What a pool is started with, on its stdin: no secret is in an argument.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::mcp_servers) struct Spec {
    pub name: String,
    /// The folder for what may be lost.
    pub run: PathBuf,
    /// Names this server with all that it was given.
    pub key: String,
    pub server: Prepared,
    pub protocol: String,
    pub parallel: bool,
    /// In milliseconds, and so is the other.
    pub timeout: Millis,
    pub idle: Millis,
}

/// What a connection is for: its first line.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "deck", rename_all = "lowercase")]
pub(in crate::mcp_servers) enum Hello {
    /// A session's agent.
    Client { session: String },
    /// Tells what the pool is doing, and nothing else.
    Status,
    /// Has the server started again.
    Restart,
}

/// What `status` and `restart` are answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PoolStatus {
    pub name: String,
    /// The pool's own process.
    pub pid: u32,
    /// The server's, if it runs.
    pub server_pid: Option<i32>,
    /// The sessions whose agents are its clients.
    pub sessions: Vec<String>,
    pub relay: RelayStatus,
}

/// Asks a pool something, and returns its answer.
///
/// # Errors
/// The system's error when there is none.
pub(in crate::mcp_servers) fn ask(socket: &std::path::Path, hello: &Hello) -> io::Result<PoolStatus> {
    let mut stream = UnixStream::connect(socket)?;
    stream.set_read_timeout(Some(Duration::from_secs(5)))?;
    writeln!(stream, "{}", serde_json::to_string(hello)?)?;
    let mut line = String::new();
    BufReader::new(stream).take(MAX_SPEC).read_line(&mut line)?;
    Ok(serde_json::from_str(&line)?)
}
