//! `deck capture-id`: find a conversation's id in the JSON that a headless run prints.

use std::io::Read;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::cli::error::{CliError, Code};
use crate::cli::output::Out;
use crate::ports::Clock;
use crate::sys::clock::SystemClock;
use crate::sys::spawn;
use crate::tools::{JsonPath, base64, last_with};

/// The most that is read of a headless run's output, in bytes.
const MOST: u64 = 16 * 1024 * 1024;

/// Find a conversation's id in JSON.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Where it is, such as `.session_id`.
    path: String,
    /// Run the command for at most N seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    timeout: u64,
    /// The command serves HTTP on loopback at the port that is filled in for {port}: post to this path.
    #[arg(long, value_name = "PATH", requires = "command")]
    post: Option<String>,
    /// The variable that sets the service's password.
    #[arg(long, value_name = "NAME", requires = "post")]
    password_env: Option<String>,
    /// A command that prints the JSON; stdin if not given.
    #[arg(last = true)]
    command: Vec<String>,
}

pub(super) fn run(args: &Args, out: &Out) -> Result<(), CliError> {
    let path = JsonPath::parse(&args.path).ok_or_else(|| {
        CliError::usage(format!("invalid JSON path {:?}", args.path)).hint("such as .session_id")
    })?;
    let text = match args.command.split_first() {
        None => {
            let mut text = Vec::new();
            std::io::stdin().lock().take(MOST).read_to_end(&mut text)?;
            text
        }
        Some((program, rest)) if args.post.is_some() => served(program, rest, args)?,
        Some((program, rest)) => headless(program, rest, Duration::from_secs(args.timeout))?,
    };
    let id = last_with(&String::from_utf8_lossy(&text), &path);
    let id = id.ok_or_else(|| CliError::new(Code::Failed, format!("no output contains {}", args.path)))?;
    out.line(&id)
}

/// Runs a command without input and returns what it printed. It is ended when the time is up.
fn headless(program: &str, rest: &[String], limit: Duration) -> Result<Vec<u8>, CliError> {
    let mut command = spawn::command(program);
    command.args(rest).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let text = spawn::output_within(&mut command, limit, MOST)?;
    text.ok_or_else(|| {
        CliError::new(Code::TimedOut, format!("{program} didn't finish within {} s", limit.as_secs()))
    })
}

/// How long between two attempts to reach a service that is starting.
const LOOK: Duration = Duration::from_millis(100);
/// How long one request may take.
const REQUEST: Duration = Duration::from_secs(5);

/// Runs a command that serves HTTP, posts to it once it answers, and ends it.
fn served(program: &str, rest: &[String], args: &Args) -> Result<Vec<u8>, CliError> {
    let port = free_port()?;
    let password = uuid::Uuid::new_v4().simple().to_string();
    let mut command = spawn::command(program);
    command.args(rest.iter().map(|a| a.replace("{port}", &port.to_string())));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if let Some(name) = &args.password_env {
        command.env(name, &password);
    }
    let service = spawn::Group::start(&mut command)?;
    let url = format!("http://127.0.0.1:{port}{}", args.post.as_deref().unwrap_or("/"));
    let secret = args.password_env.is_some().then_some(password.as_str());
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(args.timeout) && service.lives() {
        if let Some(body) = post(&url, secret) {
            return Ok(body);
        }
        SystemClock.pause(LOOK);
    }
    Err(CliError::new(Code::TimedOut, format!("{program} served nothing at {url}")))
}

/// A port that nobody listens on right now.
fn free_port() -> std::io::Result<u16> {
    Ok(std::net::TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}

/// The answer to a post; `None` while the service is not up yet.
fn post(url: &str, password: Option<&str>) -> Option<Vec<u8>> {
    let agent: ureq::Agent =
        ureq::Agent::config_builder().timeout_global(Some(REQUEST)).proxy(None).build().into();
    let mut request = agent.post(url).header("content-type", "application/json");
    if let Some(password) = password {
        let pair = base64(format!("opencode:{password}").as_bytes());
        request = request.header("authorization", format!("Basic {pair}"));
    }
    let mut answer = request.send("{}").ok()?;
    answer.body_mut().with_config().limit(MOST).read_to_vec().ok()
}
