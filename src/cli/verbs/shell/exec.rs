//! `deck shell exec`.

use std::fs::File;
use std::io::{IsTerminal, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use jiff::SignedDuration;

use super::exec_once;
use crate::api::ShellExec;
use crate::cli::error::CliError;
use crate::cli::verbs::{Done, wait::duration};
use crate::cli::{Context, complete};
use crate::config::paths::expand;
use crate::domain::shell::JobStatus;
use crate::ops::Cx;
use crate::ops::job::{OutputRange, output};
use crate::ops::shell::{self, ExecEvent, ExecOptions, Executed, ShellError, ShellOpResult};
use crate::ports::ShellsError;
use crate::ports::shells::{Input, Which};

/// What the command exits with when the time is up while the code runs on.
const STILL_RUNS: u8 = 124;
/// What it exits with when deck could not run the code.
const DECK_FAILED: u8 = 125;
/// The most code, in bytes.
const MAX_CODE: u64 = 64 * 1024 * 1024;

/// Run code in a shell.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Prints what the code prints and exits as it does: 128 and the signal's number if a signal ended it, 124 if it still runs after --timeout, 125 if deck could not run it. With --json it exits 0 once the code was run, whatever its exit code.\n\nWhat the code changes is kept for the next command: folder, variables, functions, aliases, options, traps, umask. Not kept: jobs of the shell's own table, open file descriptors, ulimit, and anything of code in the background.\n\nctrl-c interrupts the code.\n\nExamples:\n  deck shell exec api 'cd /tmp && x=1'\n  deck shell exec api 'echo $x; pwd' --json\n  echo 'ls' | deck shell exec api\n  deck shell exec api 'sleep 1; echo done' --background\n  deck shell exec api 'make' --timeout 10m --kill-on-timeout || true\n  deck shell exec --once 'echo hello'"
)]
pub struct Args {
    /// The shell.
    #[arg(value_name = "SHELL", required_unless_present = "once", add = complete::shells())]
    shell: Option<String>,
    /// The code; `-` or none reads it from stdin.
    #[arg(value_name = "CODE", allow_hyphen_values = true)]
    code: Option<String>,
    /// Run it in a new shell of which nothing is kept.
    #[arg(long)]
    once: bool,
    /// Return as soon as it runs; it changes no state.
    #[arg(long)]
    background: bool,
    /// Return after this time, such as 30s or 10m; the code runs on.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    timeout: Option<SignedDuration>,
    /// End the code when the time is up.
    #[arg(long, requires = "timeout")]
    kill_on_timeout: bool,
    /// Set a variable for this code alone; may be repeated.
    #[arg(long, value_name = "NAME=VALUE")]
    env: Vec<String>,
    /// Run in this folder.
    #[arg(long, value_name = "DIR")]
    cwd: Option<String>,
    /// What the code reads: a file, `-` for stdin, or `open` for what `deck job write` writes.
    #[arg(long, value_name = "FILE")]
    stdin: Option<String>,
    /// Put stdout and stderr into one stream, in exact order.
    #[arg(long)]
    merge: bool,
}

pub(super) fn run(args: Args, context: &mut Context) -> Done {
    let cx = context.wiring.cx();
    // With --once there is no shell to name: what stands there is the code.
    let (shell, code) = match (args.once, args.shell, args.code) {
        (true, code, None) => (String::new(), code),
        (true, _, Some(_)) => return Err(CliError::usage("--once takes only CODE")),
        (false, shell, code) => (shell.unwrap_or_default(), code),
    };
    let (input, input_file) = match args.stdin.as_deref() {
        None => (Input::Nothing, None),
        Some("-") => (Input::Inherited, None),
        Some("open") => (Input::Open, None),
        Some(path) => (Input::Nothing, Some(open(&expand(path, &context.wiring.env))?)),
    };
    let json = context.out.json;
    let options = ExecOptions {
        code: read_code(code, args.stdin.as_deref() == Some("-"))?,
        background: args.background,
        timeout: args.timeout.map(SignedDuration::unsigned_abs),
        kill_on_timeout: args.kill_on_timeout,
        env: args.env,
        folder: args.cwd.as_deref().map(|dir| expand(dir, &context.wiring.env)),
        input,
        input_file,
        merge: args.merge,
        stream: !json && !args.background,
    };
    let background = options.background;
    if args.once {
        return exec_once::run(context, &cx, options);
    }
    let result = shell::exec(&cx, &shell, options, &mut follow());
    answer(context, &cx, result, background)
}

fn open(path: &std::path::Path) -> Result<File, CliError> {
    let file = crate::sys::files::open(path);
    file.map_err(|error| {
        let mut failed = CliError::usage(format!("can't read {}", path.display()));
        failed.causes.push(error.to_string());
        failed
    })
}

fn read_code(code: Option<String>, stdin_is_taken: bool) -> Result<Vec<u8>, CliError> {
    match code {
        Some(code) if code != "-" => Ok(std::ffi::OsString::from(code).as_bytes().to_vec()),
        given => {
            if stdin_is_taken {
                return Err(CliError::usage("stdin can't be both the code and what it reads"));
            }
            if given.is_none() && std::io::stdin().is_terminal() {
                return Err(CliError::usage("no code given").hint("give it as an argument, or on stdin"));
            }
            let mut bytes = Vec::new();
            std::io::stdin().lock().take(MAX_CODE).read_to_end(&mut bytes)?;
            Ok(bytes)
        }
    }
}

/// Passes on what the code prints, and ctrl-c to it.
pub(in crate::cli::verbs) fn follow() -> impl FnMut(ExecEvent) {
    move |event| match event {
        ExecEvent::Asked(_, interrupt) => listen(interrupt),
        ExecEvent::Output(Which::Stdout, bytes) => {
            // A reader that has left ends nothing: the job runs on, and its output is kept.
            let mut stdout = std::io::stdout().lock();
            let _ = stdout.write_all(&bytes).and_then(|()| stdout.flush());
        }
        ExecEvent::Output(Which::Stderr, bytes) => {
            let _ = std::io::stderr().lock().write_all(&bytes);
        }
    }
}

/// How many times ctrl-c is passed on before it ends the command itself.
const INTERRUPTS: u32 = 3;

fn listen(interrupt: Box<dyn Fn() + Send>) {
    let Ok(mut signals) = signal_hook::iterator::Signals::new([signal_hook::consts::SIGINT]) else { return };
    let count = Arc::new(AtomicU32::new(0));
    let run = move || {
        for signal in signals.forever() {
            if count.fetch_add(1, Ordering::SeqCst) >= INTERRUPTS {
                std::process::exit(128 + signal);
            }
            interrupt();
        }
    };
    // Without a thread ctrl-c ends nothing but this command.
    let _ = std::thread::Builder::new().name("interrupt".to_owned()).spawn(run);
}

/// Prints how it ended, and exits as it did.
pub(in crate::cli::verbs) fn answer(
    context: &Context,
    cx: &Cx,
    result: ShellOpResult<Executed>,
    background: bool,
) -> Done {
    let executed = match result {
        Ok(executed) => executed,
        Err(error @ (ShellError::NotRun(_) | ShellError::Shells(ShellsError::Supervisor(_)))) => {
            let code = context.out.error(&error.into());
            return Ok(if context.out.json { code } else { ExitCode::from(DECK_FAILED) });
        }
        Err(error) => return Err(error.into()),
    };
    print(context, cx, &executed, background)?;
    Ok(exit_code(context, &executed, background))
}

/// Prints how code ended.
pub(super) fn print(
    context: &Context,
    cx: &Cx,
    executed: &Executed,
    background: bool,
) -> Result<(), CliError> {
    let job = &executed.job;
    if context.out.json {
        if background {
            return context.out.value(&ShellExec::background(job));
        }
        let output = output(cx, job.clone(), OutputRange::default())?;
        return context.out.value(&ShellExec::of(executed, &output));
    }
    if background {
        return context.out.line(&job.job_id.to_string());
    }
    let name = format!("{}/{}", executed.shell.label(), job.seq);
    match job.status {
        _ if executed.is_detached => {
            context.out.note(&format!("{name} still runs; `deck job wait {name}` waits for it"));
        }
        JobStatus::Cancelled | JobStatus::Orphaned | JobStatus::TimedOut => {
            let why = job.reason.as_deref().map(|r| format!(": {r}")).unwrap_or_default();
            context.out.note(&format!("{name} {}{why}", job.status.word()));
        }
        // What its status alone does not say, such as output that could not be kept.
        _ => job.reason.iter().for_each(|why| context.out.note(&format!("{name}: {why}"))),
    }
    Ok(())
}

/// What the command exits with.
pub(super) fn exit_code(context: &Context, executed: &Executed, background: bool) -> ExitCode {
    let job = &executed.job;
    // It never ran, or nobody knows how it ended.
    if matches!(job.status, JobStatus::Cancelled | JobStatus::Orphaned) {
        return ExitCode::from(DECK_FAILED);
    }
    if context.out.json || background {
        return ExitCode::SUCCESS;
    }
    if executed.is_detached || job.status == JobStatus::TimedOut {
        return ExitCode::from(STILL_RUNS);
    }
    match job.exit_code.and_then(|code| u8::try_from(code).ok()) {
        Some(code) => ExitCode::from(code),
        None => ExitCode::from(DECK_FAILED),
    }
}
