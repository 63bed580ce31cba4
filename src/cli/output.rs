//! Where output goes and how it looks: for people, as JSON, or quiet.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use super::args::{Cli, ColorWhen};
use super::error::CliError;
use crate::api::{ErrorAnswer, ErrorBody, Shape};
use crate::domain::status::StatusKind;

/// The way this run answers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Out {
    /// Answer in JSON.
    pub json: bool,
    /// Only what was asked for.
    pub quiet: bool,
    color: bool,
}

impl Out {
    /// From the command line and the terminal.
    pub fn new(cli: &Cli) -> Self {
        let plain = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty())
            || std::env::var_os("TERM").is_some_and(|t| t == "dumb");
        let color = match cli.color {
            ColorWhen::Always => true,
            ColorWhen::Never => false,
            ColorWhen::Auto => io::stdout().is_terminal() && !plain,
        };
        Self { json: cli.json, quiet: cli.quiet, color }
    }

    /// For a command line that could not be read.
    pub fn json() -> Self {
        Self { json: true, quiet: false, color: false }
    }

    /// Writes a text and a newline to stdout.
    pub fn line(&self, text: &str) -> Result<(), CliError> {
        self.raw(format!("{text}\n").as_bytes())
    }

    /// Writes bytes to stdout.
    pub fn raw(&self, bytes: &[u8]) -> Result<(), CliError> {
        let mut stdout = io::stdout().lock();
        match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
            // The reader closed the pipe: that is not an error, and nothing is left to print.
            Err(e) if e.kind() == io::ErrorKind::BrokenPipe => std::process::exit(0),
            other => Ok(other?),
        }
    }

    /// Writes an answer as JSON.
    pub fn value(&self, value: &impl Shape) -> Result<(), CliError> {
        let text = serde_json::to_string_pretty(value).map_err(io::Error::other)?;
        self.line(&text)
    }

    /// Writes the answers about several sessions as one JSON array.
    pub fn values(&self, values: &[serde_json::Value]) -> Result<(), CliError> {
        let text = serde_json::to_string_pretty(values).map_err(io::Error::other)?;
        self.line(&text)
    }

    /// Writes an answer as JSON on one line.
    pub fn value_line(&self, value: &impl Shape) -> Result<(), CliError> {
        let text = serde_json::to_string(value).map_err(io::Error::other)?;
        self.line(&text)
    }

    /// Whether nobody reads stdout any more.
    pub fn is_closed(&self) -> bool {
        use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
        use std::os::fd::AsFd;
        let stdout = io::stdout();
        let mut fds = [PollFd::new(stdout.as_fd(), PollFlags::empty())];
        let asked = poll(&mut fds, PollTimeout::ZERO);
        let gone = PollFlags::POLLERR | PollFlags::POLLHUP | PollFlags::POLLNVAL;
        asked.is_ok() && fds.iter().any(|fd| fd.revents().is_some_and(|r| r.intersects(gone)))
    }

    /// Prints a note besides the answer, on stderr; not when quiet or in JSON.
    pub fn note(&self, text: &str) {
        if !self.quiet && !self.json {
            to_stderr(text);
        }
    }

    /// Prints a warning, on stderr; not when quiet.
    pub fn warn(&self, text: &str) {
        if !self.quiet {
            to_stderr(&format!("warning: {text}"));
        }
    }

    /// Prints an error and returns its exit code.
    pub fn error(&self, error: &CliError) -> ExitCode {
        if self.json {
            let message = error.causes.iter().fold(error.message.clone(), |m, c| format!("{m}: {c}"));
            let error = ErrorBody { code: error.code, message, hint: error.hint.clone() };
            // It holds nothing that can't be written.
            to_stderr(&serde_json::to_string(&ErrorAnswer { error }).unwrap_or_default());
        } else {
            let mut text = format!("error: {}", error.message);
            text.extend(error.causes.iter().map(|c| format!("\n  caused by: {c}")));
            text.extend(error.hint.iter().map(|h| format!("\n  hint: {h}")));
            to_stderr(&text);
        }
        super::interrupt::exit_code(error.code)
    }

    /// A status' text in its colour.
    pub fn status(&self, kind: StatusKind, text: &str) -> String {
        let code = match kind {
            StatusKind::Asks => "33",
            StatusKind::Failed => "31",
            StatusKind::Done => "96",
            StatusKind::Running => "32",
            StatusKind::Starting => "36",
            StatusKind::Idle | StatusKind::Stopped => "2",
        };
        self.paint(code, text)
    }

    /// A header.
    pub fn strong(&self, text: &str) -> String {
        self.paint("1", text)
    }

    /// Something of less weight.
    pub fn dim(&self, text: &str) -> String {
        self.paint("2", text)
    }

    /// Something that was added.
    pub fn added(&self, text: &str) -> String {
        self.paint("32", text)
    }

    /// Something that was removed.
    pub fn removed(&self, text: &str) -> String {
        self.paint("31", text)
    }

    fn paint(&self, code: &str, text: &str) -> String {
        if self.color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

fn to_stderr(text: &str) {
    // Without a stderr there is nobody to report to.
    let _ = writeln!(io::stderr().lock(), "{text}");
}
