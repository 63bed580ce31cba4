//! `deck mcp run`: becomes the server's program, with its own environment and folder. No process is added.

use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::ExitCode;

use super::answer_error::answer_error;
use super::spec::{environment, prepared};
use crate::sys::spawn;

/// Becomes the server; returns only when that fails, after each request was answered with the reason.
pub(super) fn run(name: &str, set: &Path) -> ExitCode {
    let why = match prepared(name, set, &environment()) {
        Ok(server) => {
            let mut command = spawn::command(&server.program);
            command.args(&server.args).env_clear().envs(&server.env).current_dir(&server.dir);
            format!("can't start its program {:?}: {}", server.program, command.exec())
        }
        Err(why) => why,
    };
    answer_error(&format!("MCP server {name:?}: {why}"))
}
