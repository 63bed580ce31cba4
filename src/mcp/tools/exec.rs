//! `exec`: code in a shell.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

#[cfg(test)]
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::super::call::{Call, Reporter};
use super::super::clip::USUAL;
use super::super::error::ToolError;
#[cfg(test)]
use super::super::schema;
use super::super::shapes::{Ran, value};
use super::super::tool::{Effect, Tool};
use super::some_number;
use crate::api::Code;
use crate::domain::mcp_scope::Scope;
use crate::domain::shell::{Job, JobId};
use crate::domain::text;
use crate::ops::job::{OutputRange, kill, output};
use crate::ops::shell::{
    ExecEvent, ExecOptions, Executed, NewShell, ShellError, ShellOpResult, exec, forget, start,
};
use crate::ops::{Cancel, Cx};
use crate::ports::shells::Input as Reads;

pub(super) const TOOLS: &[Tool] = &[Tool {
    name: "exec",
    title: "Run code in a shell",
    description: "Run shell code and get its output and exit code. With a sessionId it runs in that shell, which keeps its folder, variables \
                  and functions between calls; without one in a clean bash of which nothing is kept. There is no terminal: what asks a \
                  person fails. After 45 s it answers with status `running`, and waitJob waits for the rest.",
    scope: Scope::Shells,
    effect: Effect::Runs,
    #[cfg(test)]
    input: schema::of::<Input>,
    #[cfg(test)]
    output: schema::of_output::<Ran>,
    run,
}];

/// What is done with a command whose call is cancelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
enum OnCancel {
    /// It is ended.
    #[default]
    Kill,
    /// It runs on.
    Keep,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Input {
    /// The code, for the shell: bash, if nothing else was started.
    code: String,
    /// The shell: its id or name.
    session_id: Option<String>,
    /// Return as soon as it runs. It starts from the shell's state, and changes nothing in it.
    #[serde(default)]
    background: bool,
    /// Milliseconds to wait for it; it runs on after that.
    #[serde(default, deserialize_with = "some_number")]
    timeout: Option<u64>,
    /// Variables for this code alone.
    #[serde(default)]
    env: BTreeMap<String, String>,
    /// A folder for this code alone.
    cwd: Option<PathBuf>,
    /// `open` to write to it later with writeJob; else it reads nothing.
    stdin: Option<Stdin>,
    /// Put stderr into stdout, in exact order.
    #[serde(default)]
    merge: bool,
    /// The most bytes to answer; 32768 if absent.
    #[serde(default, deserialize_with = "some_number")]
    max_bytes: Option<u64>,
    #[serde(default)]
    on_cancel: OnCancel,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
enum Stdin {
    Open,
}

/// What the thread that follows it reports.
enum Event {
    Asked(JobId),
    Ended(Box<ShellOpResult<Executed>>),
}

fn run(call: &Call) -> Result<Value, ToolError> {
    let input: Input = call.input()?;
    // It goes on when nobody waits for it any more.
    let cx = Cx { cancel: Cancel::default(), ..call.cx.clone() };
    let is_once = input.session_id.is_none();
    let word = match &input.session_id {
        Some(word) => word.clone(),
        None => {
            let new = NewShell { once: true, ..new_shell(&cx, input.cwd.clone()) };
            start(&cx, new)?.shell.session_id.to_string()
        }
    };
    let options = options(&cx, &input);
    let (background, wait, most) = (
        input.background,
        call.limit(input.timeout.map(Duration::from_millis)),
        input.max_bytes.unwrap_or(USUAL),
    );
    let events = follow(cx.clone(), word, options)?;
    let (job, ended) = until(call, &cx, &events, wait, input.on_cancel)?;
    let Some(executed) = ended else {
        return answer(&cx, job, None, most);
    };
    let executed = executed?;
    let work_dir = (!background).then(|| executed.shell.work_dir.clone());
    let answer = answer(&cx, executed.job.clone(), work_dir, most);
    if is_once && !background {
        forget(&cx, &executed)?;
    }
    answer
}

/// A new shell with the environment that this server was started with.
pub(super) fn new_shell(cx: &Cx, folder: Option<PathBuf>) -> NewShell {
    use std::os::unix::ffi::OsStringExt as _;
    let env = std::env::vars_os().map(|(name, value)| (name.into_vec(), value.into_vec()));
    NewShell {
        folder: folder.map_or_else(|| cx.caller.cwd.clone(), |folder| cx.caller.cwd.join(folder)),
        caller_env: env.collect(),
        ..NewShell::default()
    }
}

fn options(cx: &Cx, input: &Input) -> ExecOptions {
    ExecOptions {
        code: input.code.clone().into_bytes(),
        background: input.background,
        timeout: None,
        kill_on_timeout: false,
        env: input.env.iter().map(|(name, value)| format!("{name}={value}")).collect(),
        folder: input.cwd.as_ref().map(|folder| cx.caller.cwd.join(folder)),
        input: if input.stdin.is_some() { Reads::Open } else { Reads::Nothing },
        input_file: None,
        merge: input.merge,
        stream: false,
    }
}

/// Runs it on a thread of its own, which stays with it to its end.
fn follow(cx: Cx, word: String, options: ExecOptions) -> Result<Receiver<Event>, ToolError> {
    let (sender, events) = channel();
    let asked: Sender<Event> = sender.clone();
    let run = move || {
        let result = exec(&cx, &word, options, &mut |event| {
            if let ExecEvent::Asked(job, _) = event {
                // Nobody may wait any more.
                let _ = asked.send(Event::Asked(job));
            }
        });
        let _ = sender.send(Event::Ended(Box::new(result)));
    };
    std::thread::Builder::new()
        .name("exec".to_owned())
        .spawn(run)
        .map_err(|error| ToolError::new(Code::Failed, format!("can't start a thread: {error}")))?;
    Ok(events)
}

/// How often it is looked whether the client still waits.
const LOOK: Duration = Duration::from_millis(50);

type Ended = (Job, Option<ShellOpResult<Executed>>);

/// Waits for its end, as long as it may.
fn until(
    call: &Call,
    cx: &Cx,
    events: &Receiver<Event>,
    limit: Duration,
    on_cancel: OnCancel,
) -> Result<Ended, ToolError> {
    let (begun, mut asked) = (Instant::now(), None);
    let mut reporter = Reporter::new(call);
    loop {
        match events.recv_timeout(LOOK) {
            Ok(Event::Asked(job)) => asked = Some(job),
            Ok(Event::Ended(result)) => {
                let result = *result;
                return match result {
                    Ok(executed) => Ok((executed.job.clone(), Some(Ok(executed)))),
                    Err(error) => Err(error.into()),
                };
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(ToolError::new(Code::Failed, "internal error while the code ran"));
            }
        }
        let Some(id) = &asked else { continue };
        let job = || -> Result<Job, ToolError> {
            let job = cx.shells.job(&id.shell, id.seq)?;
            Ok(job.ok_or_else(|| ShellError::NoJob(id.to_string()))?)
        };
        if call.cx.cancel.is_cancelled() {
            if on_cancel == OnCancel::Kill {
                kill(cx, &job()?, None)?;
            }
            return Err(ToolError::new(Code::Interrupted, format!("the call was cancelled; job {id}")));
        }
        if begun.elapsed() >= limit {
            return Ok((job()?, None));
        }
        reporter.tell(|| progress(cx, job()));
    }
}

/// How much it printed, and its last line.
pub(super) fn progress(cx: &Cx, job: Result<Job, ToolError>) -> (u64, String) {
    let Ok(job) = job else { return (0, String::new()) };
    let bytes = job.stdout.total + job.stderr.total;
    let since = job.stdout.total.saturating_sub(2000);
    let range = OutputRange { stdout: since, stderr: job.stderr.total, limit: u64::MAX };
    let last = output(cx, job, range).ok().and_then(|output| {
        let (text, _) = output.stdout.text();
        text.lines().rev().map(text::clean).find(|line| !line.trim().is_empty())
    });
    let last = last.map(|line| format!(": {}", text::fit(line.trim(), 120))).unwrap_or_default();
    (bytes, format!("{bytes} bytes{last}"))
}

/// What it printed so far, and how it is.
pub(super) fn answer(cx: &Cx, job: Job, work_dir: Option<String>, most: u64) -> Result<Value, ToolError> {
    let output = output(cx, job, OutputRange::default())?;
    value(&Ran { work_dir, ..Ran::of(&output, most) })
}
