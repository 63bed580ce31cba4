//! Running code in a shell: one call in, what it printed and how it ended out.

use std::fs::File;
use std::path::PathBuf;
use std::time::Duration;

use super::find::{find_active, inside};
use super::start::{NewShell, start, variables};
use super::{ShellError, ShellOpResult};
use crate::domain::shell::{Job, JobId, JobStatus, Shell};
use crate::ops::Cx;
use crate::ports::shells::{Attached, Input, NewJob, Progress, Runs, Which};

/// How to run it.
#[derive(Debug)]
pub struct ExecOptions {
    /// The code, in exact bytes.
    pub code: Vec<u8>,
    /// Whether it changes no state and nobody waits for it.
    pub background: bool,
    /// When its caller no longer waits.
    pub timeout: Option<Duration>,
    /// Whether it is ended then.
    pub kill_on_timeout: bool,
    /// Variables for this code alone, as `NAME=VALUE`.
    pub env: Vec<String>,
    /// A folder for this code alone.
    pub folder: Option<PathBuf>,
    /// What it reads.
    pub input: Input,
    /// A file to read instead.
    pub input_file: Option<File>,
    /// Whether both streams go into one pipe.
    pub merge: bool,
    /// Whether its output is wanted as it comes.
    pub stream: bool,
}

impl ExecOptions {
    /// Code that its caller waits for, with nothing to read and nothing for itself alone.
    pub fn of(code: impl Into<Vec<u8>>) -> Self {
        Self {
            code: code.into(),
            background: false,
            timeout: None,
            kill_on_timeout: false,
            env: Vec::new(),
            folder: None,
            input: Input::Nothing,
            input_file: None,
            merge: false,
            stream: false,
        }
    }
}

/// What happens while code runs.
pub enum ExecEvent {
    /// It was asked for: this interrupts it.
    Asked(JobId, Box<dyn Fn() + Send>),
    /// It printed something.
    Output(Which, Vec<u8>),
}

impl std::fmt::Debug for ExecEvent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Asked(job, _) => write!(f, "Asked({job})"),
            Self::Output(which, bytes) => write!(f, "Output({which:?}, {} bytes)", bytes.len()),
        }
    }
}

/// Code that was run, or still runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Executed {
    /// Its shell, as it is now.
    pub shell: Shell,
    /// Its record.
    pub job: Job,
    /// Whether it runs on without its caller, because the time is up.
    pub is_detached: bool,
}

/// Runs code in a shell and waits for its end, or in the background for its beginning.
///
/// # Errors
/// [`ShellError`] when nothing was run.
pub fn exec(
    cx: &Cx,
    word: &str,
    options: ExecOptions,
    on: &mut dyn FnMut(ExecEvent),
) -> ShellOpResult<Executed> {
    check_code(&options.code)?;
    let env = variables(&options.env)?;
    let shell = find_active(cx, word)?;
    if cx.shells.is_lost(&shell) {
        return Err(ShellError::Lost { label: shell.label().to_owned(), kind: shell.kind });
    }
    if !options.background && inside(cx).as_ref() == Some(&shell.session_id) {
        return Err(ShellError::OwnTurn(shell.label().to_owned()));
    }
    exec_in(cx, shell, options, env, on)
}

/// Runs code in a shell of its own, of which nothing is kept once it has ended.
///
/// # Errors
/// As for [`exec`] and [`start`].
pub fn exec_once(
    cx: &Cx,
    new: NewShell,
    options: ExecOptions,
    on: &mut dyn FnMut(ExecEvent),
    read: &mut dyn FnMut(&Executed) -> ShellOpResult<()>,
) -> ShellOpResult<Executed> {
    check_code(&options.code)?;
    let env = variables(&options.env)?;
    let shell = start(cx, NewShell { once: true, ..new })?.shell;
    let id = shell.session_id.clone();
    let executed = exec_in(cx, shell, options, env, on);
    let result = executed.and_then(|executed| read(&executed).map(|()| executed));
    if result.as_ref().is_ok_and(|executed| !executed.job.status.is_final()) {
        return result;
    }
    match &result {
        Ok(executed) => forget(cx, executed)?,
        Err(_) => cx.shells.remove(&id)?,
    }
    result
}

/// Removes a shell that was for one command, which has ended. One that still runs stays until it has.
///
/// # Errors
/// The system's.
pub fn forget(cx: &Cx, executed: &Executed) -> ShellOpResult<()> {
    if !executed.job.status.is_final() || !executed.shell.once {
        return Ok(());
    }
    // Its supervisor writes until it is gone.
    cx.shells.wait(&executed.job.job_id, crate::ports::shells::Until::All, None)?;
    Ok(cx.shells.remove(&executed.shell.session_id)?)
}

fn check_code(code: &[u8]) -> ShellOpResult<()> {
    if code.iter().all(u8::is_ascii_whitespace) {
        return Err(ShellError::NoCode);
    }
    if code.contains(&0) { Err(ShellError::NulInCode) } else { Ok(()) }
}

pub(super) fn exec_in(
    cx: &Cx,
    shell: Shell,
    options: ExecOptions,
    env: Vec<(String, String)>,
    on: &mut dyn FnMut(ExecEvent),
) -> ShellOpResult<Executed> {
    if options.background && cx.shells.is_live(&shell) {
        return Err(ShellError::NoBackground(shell.kind));
    }
    let folder = match &options.folder {
        Some(folder) if !cx.host.is_dir(folder) => return Err(ShellError::NoSuchFolder(folder.clone())),
        Some(folder) => folder.clone(),
        None => cx.shells.next_folder(&shell)?,
    };
    if !cx.host.is_dir(&folder) {
        return Err(ShellError::NoFolder { folder, label: shell.label().to_owned() });
    }
    let text = |folder: PathBuf| folder.to_str().map(str::to_owned).ok_or(ShellError::NoSuchFolder(folder));
    let new = NewJob {
        runs: Runs::Code(options.code),
        parent: parent(cx),
        background: options.background,
        nested: false,
        env,
        folder: options.folder.map(text).transpose()?,
        input: options.input,
        input_file: options.input_file,
        merge: options.merge,
        stream: options.stream,
        timeout: options.timeout,
        kill_on_timeout: options.kill_on_timeout,
    };
    run_to_end(cx, shell, new, on)
}

/// The job whose code asks.
fn parent(cx: &Cx) -> Option<JobId> {
    cx.caller.var("DECK_JOB_ID").and_then(JobId::parse)
}

/// Starts a job and follows it until it has ended, its time is up, or, in the background, it runs.
pub(in crate::ops) fn run_to_end(
    cx: &Cx,
    shell: Shell,
    new: NewJob,
    on: &mut dyn FnMut(ExecEvent),
) -> ShellOpResult<Executed> {
    // Those that wait for their turn run nothing yet.
    let count = cx.shells.running(&shell)?.iter().filter(|j| j.status != JobStatus::Queued).count();
    if count >= shell.limits.running {
        return Err(ShellError::TooManyJobs { label: shell.label().to_owned(), count });
    }
    let background = new.background;
    let mut attached: Box<dyn Attached> = cx.shells.start(&shell, new)?;
    let id = JobId { shell: shell.session_id.clone(), seq: attached.seq() };
    on(ExecEvent::Asked(id.clone(), attached.interrupter()));
    let mut is_detached = false;
    loop {
        match attached.next()? {
            Progress::Started if background => break,
            Progress::Started => {}
            Progress::Output(which, bytes) => on(ExecEvent::Output(which, bytes)),
            Progress::Detached => {
                is_detached = true;
                break;
            }
            Progress::Ended => break,
            Progress::Failed(why) => return Err(ShellError::NotRun(why)),
        }
    }
    let missing = || ShellError::NoJob(id.to_string());
    let job = cx.shells.job(&id.shell, id.seq)?.ok_or_else(missing)?;
    let shell = cx.shells.shell(&id.shell)?.unwrap_or(shell);
    Ok(Executed { shell, job, is_detached })
}
