//! A program that serves HTTP for as long as one request takes: how a conversation's id is obtained if only
//! a service reports it.
//!
//! Invariants: it serves on loopback alone, with its own password if it accepts one; it is ended
//! with its whole process group, whatever became of the request.

use std::io;
use std::process::Stdio;
use std::time::{Duration, Instant};

use super::opencode_http::{agent, authorization};
use crate::ports::Clock;
use crate::sys::clock::SystemClock;
use crate::sys::spawn;

/// How long between two attempts to reach a service that is starting.
const LOOK: Duration = Duration::from_millis(100);
/// How long one request may take.
const REQUEST: Duration = Duration::from_secs(5);

/// The request to the service.
#[derive(Debug, Clone, Copy)]
pub struct Post<'a> {
    /// The path that is posted to.
    pub path: &'a str,
    /// The variable that sets the service's password.
    pub password_env: Option<&'a str>,
    /// How long everything may take.
    pub patience: Duration,
    /// The most that is read of the answer, in bytes.
    pub most: u64,
}

/// Runs a program, in whose arguments `{port}` is the port to serve on, posts to it once it answers, and
/// ends it. `None` when nothing was served in time.
///
/// # Errors
/// The system's error when it can't be started.
pub fn posted(program: &str, rest: &[String], post: Post<'_>) -> io::Result<Option<Vec<u8>>> {
    // A port that nobody listens on right now.
    let port = std::net::TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
    let password = uuid::Uuid::new_v4().simple().to_string();
    let mut command = spawn::command(program);
    command.args(rest.iter().map(|a| a.replace("{port}", &port.to_string())));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if let Some(name) = post.password_env {
        command.env(name, &password);
    }
    let service = spawn::Group::start(&mut command)?;
    let url = format!("http://127.0.0.1:{port}{}", post.path);
    let secret = post.password_env.map(|_| password.as_str());
    let begun = Instant::now();
    while begun.elapsed() < post.patience && service.lives() {
        if let Some(body) = send(&url, secret, post.most) {
            return Ok(Some(body));
        }
        SystemClock.pause(LOOK);
    }
    Ok(None)
}

/// The answer to a post; `None` while the service is not up yet.
fn send(url: &str, password: Option<&str>, most: u64) -> Option<Vec<u8>> {
    let request = agent().post(url).header("content-type", "application/json");
    let mut request = request.config().timeout_global(Some(REQUEST)).build();
    if let Some(password) = password {
        request = request.header("authorization", authorization(password));
    }
    let mut answer = request.send("{}").ok().filter(|a| a.status().is_success())?;
    answer.body_mut().with_config().limit(most).read_to_vec().ok()
}
