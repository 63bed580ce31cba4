//! Running a program as a job of the shell whose code asks: exact arguments, no shell between.

use std::path::PathBuf;

use crate::domain::shell::JobId;
use crate::ops::Cx;
use crate::ops::shell::{ExecEvent, Executed, ShellError, ShellOpResult, find, inside, run_to_end};
use crate::ports::shells::{Input, NewJob, Runs};

/// Runs a program with its arguments in the caller's own folder and environment.
///
/// # Errors
/// [`ShellError::NotInside`] outside of a shell.
pub fn run(
    cx: &Cx,
    words: Vec<String>,
    background: bool,
    stream: bool,
    on: &mut dyn FnMut(ExecEvent),
) -> ShellOpResult<Executed> {
    let shell = inside(cx).ok_or(ShellError::NotInside("`job run`"))?;
    let shell = find(cx, shell.as_str())?;
    let folder: PathBuf = cx.caller.cwd.clone();
    let new = NewJob {
        runs: Runs::Program(words),
        parent: cx.caller.var("DECK_JOB_ID").and_then(JobId::parse),
        background,
        nested: true,
        env: Vec::new(),
        folder: folder.to_str().map(str::to_owned),
        input: if background { Input::Nothing } else { Input::Inherited },
        input_file: None,
        merge: false,
        stream,
        timeout: None,
        kill_on_timeout: false,
    };
    run_to_end(cx, shell, new, on)
}
