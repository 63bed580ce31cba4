//! What is done with headless shells for the TUI, by the same use cases as the verbs. Blocking.

use std::sync::mpsc::{Sender, channel};

use crate::app::{Done, Keymap, ShellWork, shell_error_words};
use crate::domain::shell::{Job, JobId, Shell, ShellId};
use crate::domain::text;
use crate::ops::Cx;
use crate::ops::job::{self, JobFilter};
use crate::ops::shell::{self, ExecEvent, ExecOptions, ShellError, ShellOpResult};
use crate::ports::shells::Which;

/// Does the work on one shell.
pub(super) fn perform(cx: &Cx, keymap: &Keymap, id: &ShellId, work: ShellWork) -> Done {
    let done = match work {
        ShellWork::ListJobs => {
            job::jobs(cx, Some(id.as_str()), &JobFilter::default()).map(|jobs| Done::Jobs(id.clone(), jobs))
        }
        ShellWork::ReadOutput(job) => printed(cx, &job).map(|(_, lines)| Done::JobOutput(job, lines)),
        ShellWork::CopyOutput(job) => printed(cx, &job).map(|(_, lines)| {
            let text: String = lines.iter().map(|(_, line)| format!("{}\n", text::clean(line))).collect();
            if text.is_empty() {
                Done::Ok(Some("this job has printed nothing".to_owned()))
            } else {
                Done::Clip(text)
            }
        }),
        ShellWork::Run(line) => {
            run(cx, id, line).map(|job| Done::Ok(Some(format!("started job {}", job.seq))))
        }
        ShellWork::Kill(job) => job::kill_word(cx, &job.to_string(), None).map(|killed| {
            let ended = if killed.had_ended { "had ended already" } else { "was killed" };
            Done::Ok(Some(format!("job {} {ended}", job.seq)))
        }),
        ShellWork::End { kill } => shell::end(cx, id.as_str(), kill, false).map(|ended| {
            let label = text::clean(ended.shell.label());
            Done::Ok(Some(format!("ended shell {label}; {} restores it", keymap.key("undo"))))
        }),
        ShellWork::Open => shell::open(cx, id.as_str()).map(|created| {
            let words = format!("opened as session {}; the shell itself stays", created.session.title);
            Done::CreatedPane(created.session.id, words, None)
        }),
    };
    done.unwrap_or_else(|error| failed(&error, keymap))
}

/// Brings back the shell that an undo means, if it means one.
pub(super) fn bring_back(cx: &Cx, keymap: &Keymap) -> Option<Done> {
    let back = || -> ShellOpResult<Option<Shell>> {
        let Some(ended) = shell::to_bring_back(cx, None)? else { return Ok(None) };
        shell::bring_back(cx, &ended).map(Some)
    };
    let words = |shell: &Shell| {
        let label = text::clean(shell.label());
        let lost = if cx.shells.is_lost(shell) { "; its state ended with its process" } else { "" };
        format!("restored shell {label}{lost}")
    };
    match back() {
        Ok(shell) => shell.map(|s| Done::Ok(Some(words(&s)))),
        Err(error) => Some(failed(&error, keymap)),
    }
}

fn failed(error: &ShellError, keymap: &Keymap) -> Done {
    Done::Failed(None, shell_error_words(error, keymap))
}

/// A job, and all that is kept of what it printed.
fn printed(cx: &Cx, id: &JobId) -> ShellOpResult<(Job, Vec<(Which, String)>)> {
    let job = job::find(cx, &id.to_string())?;
    let (read, lines) = shell::whole(cx, job)?;
    Ok((read.job, lines))
}

/// Runs a line in a shell, and returns once it was asked for. A thread of its own waits for its end, however long that
/// takes: whoever asks for a job keeps it in the queue. When deck quits, what runs goes on, and its state is kept.
fn run(cx: &Cx, id: &ShellId, line: String) -> ShellOpResult<JobId> {
    let (tell, told) = channel();
    let (cx, id) = (cx.clone(), id.clone());
    let work = move || {
        if let Err(error) = follow(&cx, &id, line, &tell) {
            // Nobody is told of a job that was asked for and then failed: its record says why.
            let _ = tell.send(Err(error));
        }
    };
    let io = |error: std::io::Error| ShellError::NotRun(format!("can't start a thread: {error}"));
    std::thread::Builder::new().name("shell-line".to_owned()).spawn(work).map_err(io)?;
    told.recv().unwrap_or_else(|_| Err(ShellError::NotRun("internal error".to_owned())))
}

fn follow(cx: &Cx, id: &ShellId, line: String, tell: &Sender<ShellOpResult<JobId>>) -> ShellOpResult<()> {
    let mut asked = |event: ExecEvent| {
        if let ExecEvent::Asked(job, _) = event {
            // Who asked may have left.
            let _ = tell.send(Ok(job));
        }
    };
    shell::exec(cx, id.as_str(), ExecOptions::of(line), &mut asked).map(drop)
}
