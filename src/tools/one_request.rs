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
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// How long one request may take.
const REQUEST: Duration = Duration::from_secs(5);
/// How often a service that ends before it answered is started. Of several OpenCodes that create their
/// database at the same time, all but one end.
const ATTEMPTS: u32 = 4;

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
    let begun = Instant::now();
    for _ in 0..ATTEMPTS {
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
        while begun.elapsed() < post.patience && service.lives() {
            if let Some(body) = send(&url, secret, post.most) {
                return Ok(Some(body));
            }
            SystemClock.pause(POLL_INTERVAL);
        }
        if begun.elapsed() >= post.patience {
            break;
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::files;
    use std::io::{Read, Write};
    use std::path::Path;

    /// The ports that a program was started with so far.
    fn ports(list: &Path) -> Vec<u16> {
        let text = files::read_text(list, 4096).unwrap_or_default();
        text.lines().filter_map(|l| l.parse().ok()).collect()
    }

    #[test]
    fn a_service_that_ends_before_it_answers_is_started_again() {
        let dir = tempfile::tempdir().unwrap();
        let list = dir.path().join("ports");
        let line = r#"echo "$2" >> "$1"; [ "$(wc -l < "$1")" -gt 1 ] && exec sleep 600; exit 1"#;
        let rest = ["-c", line, "sh", list.to_str().unwrap(), "{port}"].map(str::to_owned);
        // The second one answers: for it, this test does.
        let answers = {
            let list = list.clone();
            std::thread::spawn(move || {
                let begun = Instant::now();
                while ports(&list).len() < 2 {
                    assert!(begun.elapsed() < Duration::from_secs(60), "not started again");
                    SystemClock.pause(Duration::from_millis(10));
                }
                let listener = std::net::TcpListener::bind(("127.0.0.1", ports(&list)[1])).unwrap();
                let (mut stream, _) = listener.accept().unwrap();
                // The head of a request and its body may come one after the other.
                let (mut all, mut part) = (Vec::<u8>::new(), [0; 4096]);
                while !all.ends_with(b"{}") {
                    match stream.read(&mut part) {
                        Ok(n) if n > 0 => all.extend_from_slice(&part[..n]),
                        _ => break,
                    }
                }
                let _ =
                    stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}");
            })
        };
        let patience = Duration::from_secs(120);
        let post = Post { path: "/session", password_env: None, patience, most: 100 };
        assert_eq!(posted("sh", &rest, post).unwrap().as_deref(), Some(&b"{}"[..]));
        answers.join().unwrap();
    }

    #[test]
    fn one_that_never_serves_is_given_up() {
        let dir = tempfile::tempdir().unwrap();
        let list = dir.path().join("ports");
        let rest = ["-c", r#"echo "$2" >> "$1"; exit 1"#, "sh", list.to_str().unwrap(), "{port}"];
        let post = Post { path: "/", password_env: None, patience: Duration::from_secs(600), most: 100 };
        assert_eq!(posted("sh", &rest.map(str::to_owned), post).unwrap(), None);
        assert_eq!(ports(&list).len(), 4);
    }
}
