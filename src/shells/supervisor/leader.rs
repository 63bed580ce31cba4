//! Starting what a job runs.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, PipeReader};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use nix::sys::stat::Mode;

use crate::domain::shell::bash_state::State;
use crate::domain::shell::{Job, Shell, environment};
use crate::ports::shells::Which;
use crate::shells::ask;
use crate::shells::control;
use crate::shells::folder::{JobFolder, ShellFolder};
use crate::shells::kind;
use crate::shells::messages::Request;
use crate::shells::repl::{self, ReplRequest, interpreter};
use crate::sys::{files, process, spawn};

/// The most that is read of the start's environment, in bytes.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// A leader that was started.
#[derive(Debug)]
pub struct Started {
    pub pid: i32,
    pub stdout: PipeReader,
    /// None where it goes into stdout.
    pub stderr: Option<PipeReader>,
    /// Keeps what the job reads open.
    pub input: Option<File>,
}

/// What is started, and from what.
#[derive(Debug)]
pub struct Plan<'a> {
    pub shell: &'a Shell,
    pub shell_folder: &'a ShellFolder,
    pub folder: &'a JobFolder,
    pub job: &'a Job,
    pub request: &'a Request,
    /// The state that it starts from, and its number.
    pub state: &'a (u64, State),
}

/// Starts a job's leader in its own process group.
pub fn start(plan: &Plan<'_>) -> io::Result<Started> {
    let is_live = is_live(plan);
    let mut command = match &plan.request.program {
        Some(words) => program(plan, words)?,
        None if is_live => ask_interpreter(plan)?,
        None => code(plan)?,
    };
    command.env_remove(process::SERVER_MARK);
    // A live process opens its end by its name.
    let pipe = |which| if is_live { named_pipe(&plan.folder.pipe(which)) } else { unnamed_pipe() };
    let (stdout, out) = pipe(Which::Stdout)?;
    let stderr = if plan.request.merge {
        command.stderr(out.try_clone()?);
        None
    } else {
        let (stderr, err) = pipe(Which::Stderr)?;
        command.stderr(err);
        Some(stderr)
    };
    command.stdout(out).process_group(0);
    let input = if plan.request.open_stdin {
        let (reader, writer) = control::make_input(&plan.folder.stdin())?;
        command.stdin(reader);
        Some(writer)
    } else {
        command.stdin(Stdio::inherit());
        None
    };
    let child = command.spawn()?;
    // This process keeps no end of what its job uses.
    drop(command);
    let null = File::open("/dev/null")?;
    nix::unistd::dup2_stdin(null.as_fd())?;
    let pid = i32::try_from(child.id()).map_err(io::Error::other)?;
    Ok(Started { pid, stdout, stderr, input })
}

/// Whether the code runs in the shell's live process.
pub fn is_live(plan: &Plan<'_>) -> bool {
    plan.request.program.is_none() && kind::driver(&plan.shell.kind).is_some()
}

fn unnamed_pipe() -> io::Result<(PipeReader, OwnedFd)> {
    let (reader, writer) = io::pipe()?;
    Ok((reader, writer.into()))
}

/// Both ends of a FIFO: it has no end while the writer is open.
fn named_pipe(path: &Path) -> io::Result<(PipeReader, OwnedFd)> {
    let both = control::make(path)?;
    // Each has its own other end by now, so neither waits.
    let reader = File::open(path)?;
    let writer = OpenOptions::new().write(true).open(path)?;
    drop(both);
    Ok((PipeReader::from(OwnedFd::from(reader)), writer.into()))
}

/// A process of deck's that asks the shell's live process, which is started if none ever was.
fn ask_interpreter(plan: &Plan<'_>) -> io::Result<Command> {
    if !interpreter::is_alive(plan.shell_folder) {
        if interpreter::was_started(plan.shell_folder) {
            return Err(io::Error::other("its process is gone, and its state is lost"));
        }
        interpreter::start(plan.shell_folder, plan.shell, plan.job.seq, &plan.request.own_env)?;
    }
    nix::unistd::mkfifo(&plan.folder.answer(), Mode::S_IRUSR | Mode::S_IWUSR)?;
    let text = |path: &Path| path.to_str().map(str::to_owned).ok_or_else(|| io::Error::other("not UTF-8"));
    let env = plan.request.env.iter().map(|(name, value)| (name.clone(), value.clone().into())).collect();
    let request = ReplRequest {
        job: plan.job.job_id.to_string(),
        folder: text(&plan.folder.0)?,
        cwd: plan.request.folder.clone(),
        env,
        stdin: None,
        merge: plan.request.merge,
        deck: text(&ask::installed_program())?,
    };
    let mut command = spawn::command(ask::program());
    command.arg0("deck").arg(repl::VERB).arg(&plan.folder.0);
    command.env(repl::REQUEST, serde_json::to_string(&request).map_err(io::Error::other)?);
    Ok(command)
}

/// A program with its arguments, in the environment of who asked.
fn program(plan: &Plan<'_>, words: &[String]) -> io::Result<Command> {
    let (first, rest) = words.split_first().ok_or_else(|| io::Error::other("nothing to run"))?;
    let mut command = spawn::command(first);
    command.args(rest).current_dir(&plan.job.work_dir);
    command.envs(plan.request.env.iter().cloned()).envs(plan.request.own_env.iter().cloned());
    Ok(command)
}

/// Code in the shell's program: the first command gets the start's environment, a later one restores its state.
fn code(plan: &Plan<'_>) -> io::Result<Command> {
    let (generation, state) = plan.state;
    let folder = match &plan.request.folder {
        Some(folder) => OsString::from(folder),
        None => OsString::from_vec(state.folder.clone()),
    };
    let mut command = around(plan.shell, &plan.folder.0)?;
    command.env_clear().current_dir(&folder);
    let is_first = state.script.is_none();
    for (name, value) in read_environment(plan.shell_folder)? {
        if is_first || environment::is_passed_beside(&name) {
            command.env(OsString::from_vec(name), OsString::from_vec(value));
        }
    }
    command.env("PWD", &folder).envs(plan.request.own_env.iter().cloned());
    if is_first {
        command.args(plan.shell.command.iter().skip(1));
    }
    // Only a file that is private from the beginning may hold the environment.
    files::create_new(&plan.folder.capture(), b"", 0o600)?;
    let script = kind::script(&plan.shell.kind)
        .ok_or_else(|| io::Error::other(format!("unknown kind of shell {:?}", plan.shell.kind)))?;
    command.arg("-c").arg(script.run_on_one_line()).arg(&plan.shell.kind);
    command.arg(if is_first { OsString::new() } else { plan.shell_folder.state(*generation).into() });
    command.arg(plan.folder.code()).arg(plan.folder.capture()).arg(script.at_the_end);
    // Not as arguments, which every user of the machine may read.
    for (n, (name, value)) in plan.request.env.iter().enumerate() {
        command.env(format!("__deck_env_{n:04}"), format!("{name}={value}"));
    }
    Ok(command)
}

/// The shell's program, in what its user has it run by: in a sandbox that folder must be writable.
pub fn around(shell: &Shell, writable: &Path) -> io::Result<Command> {
    let writable = writable.to_str().ok_or_else(|| io::Error::other("not UTF-8"))?;
    let words = shell.words_around(writable);
    let (first, rest) = words.split_first().ok_or_else(|| io::Error::other("nothing to run"))?;
    let mut command = spawn::command(first);
    command.args(rest);
    Ok(command)
}

/// The environment at the start: NUL-separated exact bytes.
pub fn read_environment(folder: &ShellFolder) -> io::Result<Vec<(Vec<u8>, Vec<u8>)>> {
    let bytes = files::read(&folder.env(), MAX_BYTES)?;
    let pair = |entry: &[u8]| {
        let at = entry.iter().position(|b| *b == b'=')?;
        Some((entry.get(..at)?.to_vec(), entry.get(at + 1..)?.to_vec()))
    };
    Ok(bytes.split(|b| *b == 0).filter_map(pair).collect())
}
