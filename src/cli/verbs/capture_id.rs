//! `deck capture-id`: find a conversation's id in the JSON that a headless run prints.

use std::io::Read;
use std::process::Stdio;
use std::time::Duration;

use crate::api::Code;
use crate::cli::error::CliError;
use crate::cli::output::Out;
use crate::domain::id::is_conversation;
use crate::sys::spawn;
use crate::tools::{JsonPath, Post, last_with, posted};

/// The most that is read of a headless run's output, in bytes.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

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
            std::io::stdin().lock().take(MAX_BYTES).read_to_end(&mut text)?;
            text
        }
        Some((program, rest)) if args.post.is_some() => {
            let patience = Duration::from_secs(args.timeout);
            let path = args.post.as_deref().unwrap_or("/");
            let post = Post { path, password_env: args.password_env.as_deref(), patience, most: MAX_BYTES };
            posted(program, rest, post)?.ok_or_else(|| {
                CliError::new(Code::TimedOut, format!("{program} returned no answer at {path}"))
            })?
        }
        Some((program, rest)) => headless(program, rest, Duration::from_secs(args.timeout))?,
    };
    let id = last_with(&String::from_utf8_lossy(&text), &path);
    let id = id.ok_or_else(|| CliError::new(Code::Failed, format!("no output contains {}", args.path)))?;
    if !is_conversation(&id) {
        let message = format!("the value at {} is not a conversation id", args.path);
        return Err(CliError::new(Code::Failed, message));
    }
    out.line(&id)
}

/// Runs a command without input and returns what it printed. It is ended when the time is up.
fn headless(program: &str, rest: &[String], limit: Duration) -> Result<Vec<u8>, CliError> {
    let mut command = spawn::command(program);
    command.args(rest).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let text = spawn::output_within(&mut command, limit, MAX_BYTES)?;
    text.ok_or_else(|| {
        CliError::new(Code::TimedOut, format!("{program} didn't finish within {} s", limit.as_secs()))
    })
}
