//! `deck mcp run`: becomes the server's program, with its own environment and folder, or connects to the process that
//! shares it. The session's file says which.

use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::ExitCode;

use super::answer_error::answer_error;
use super::connect::connect;
use super::spec::{Resolved, environment, resolved};
use crate::sys::spawn;

/// Becomes the server; returns only when that fails, after each request was answered with the reason.
pub(super) fn run(name: &str, set: &Path) -> ExitCode {
    let why = match resolved(name, set, &environment()) {
        Ok(Resolved { shared: Some(spec), session, .. }) => return connect(&spec, &session),
        Ok(Resolved { server, .. }) => {
            let mut command = spawn::command(&server.program);
            command.args(&server.args).env_clear().envs(&server.env).current_dir(&server.dir);
            format!("can't start its program {:?}: {}", server.program, command.exec())
        }
        Err(why) => why,
    };
    answer_error(&format!("MCP server {name:?}: {why}"))
}
