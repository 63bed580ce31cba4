//! Working with headless shells. Their keys are those of sessions where they do the same to a shell.

use super::Command;
use crate::app::dialogs::{Ask, Confirm};
use crate::app::effect::Effect;
use crate::app::shell_work::ShellWork;
use crate::app::state::Model;
use crate::domain::shell::Job;
use crate::domain::text;
use crate::ops::shell::ShellState;

/// The words for commands that need a shell.
const A_SHELL: &str = "select a headless shell first";
/// The words for commands that need a job.
const A_JOB: &str = "this shell has run nothing yet";

pub(in crate::app) const COMMANDS: &[Command] = &[
    Command {
        id: "shell-open",
        title: "open shell",
        doc: "Open the headless shell as a session that starts where the shell is; the shell itself stays.",
        keys: &["enter"],
        footer: Some(0),
        applies: |m| m.shell().is_some_and(|s| s.shell.can_be_opened()),
        needs: "only a bash can be opened as a session",
        run: |m| open(m),
    },
    Command {
        id: "shell-run",
        title: "run a line",
        doc: "Run a line in the headless shell.",
        keys: &["s"],
        footer: Some(2),
        applies: on_shell,
        needs: A_SHELL,
        run,
    },
    Command {
        id: "shell-jobs",
        title: "jobs",
        doc: "List the jobs of the headless shell, and read what one of them printed.",
        keys: &["H"],
        footer: Some(3),
        applies: on_shell,
        needs: A_SHELL,
        run: |m| work(m, |_| ShellWork::ListJobs),
    },
    Command {
        id: "shell-output",
        title: "output",
        doc: "Read all that the shell's job printed.",
        keys: &["o"],
        footer: Some(4),
        applies: on_job,
        needs: A_JOB,
        run: |m| job_work(m, ShellWork::ReadOutput),
    },
    Command {
        id: "shell-copy",
        title: "copy output",
        doc: "Copy what the shell's job printed.",
        keys: &["y"],
        footer: Some(5),
        applies: on_job,
        needs: A_JOB,
        run: |m| job_work(m, ShellWork::CopyOutput),
    },
    Command {
        id: "shell-kill",
        title: "kill job",
        doc: "Kill the shell's running job and all of its processes.",
        keys: &["x"],
        footer: Some(6),
        applies: on_running,
        needs: "no job is running in this shell",
        run: kill,
    },
    Command {
        id: "shell-end",
        title: "end shell",
        doc: "End the headless shell (u restores it).",
        keys: &["d", "delete"],
        footer: Some(7),
        applies: on_shell,
        needs: A_SHELL,
        run: end,
    },
];

fn on_shell(model: &Model) -> bool {
    model.shell().is_some()
}

fn on_job(model: &Model) -> bool {
    model.shell().is_some_and(|s| s.job.is_some())
}

fn on_running(model: &Model) -> bool {
    running(model).is_some()
}

/// The job of the selected shell that has not ended.
fn running(model: &Model) -> Option<(&ShellState, &Job)> {
    let state = model.shell()?;
    Some((state, state.job.as_ref().filter(|job| !job.status.is_final())?))
}

fn label(state: &ShellState) -> String {
    text::clean(state.shell.label())
}

fn work(model: &Model, work: impl Fn(&ShellState) -> ShellWork) -> Vec<Effect> {
    model.shell().map(|s| Effect::Shell(s.shell.session_id.clone(), work(s))).into_iter().collect()
}

fn job_work(model: &Model, work: impl Fn(crate::domain::shell::JobId) -> ShellWork) -> Vec<Effect> {
    let job = model.shell().and_then(|s| s.job.as_ref());
    job.map(|job| Effect::Shell(job.session_id.clone(), work(job.job_id.clone()))).into_iter().collect()
}

/// Opens the selected shell as a session.
pub(super) fn open(model: &Model) -> Vec<Effect> {
    work(model, |_| ShellWork::Open)
}

fn run(model: &mut Model) -> Vec<Effect> {
    let Some(state) = model.shell() else { return Vec::new() };
    let (id, title) = (state.shell.session_id.clone(), format!("Run in {}", label(state)));
    let check = move |line: &str| {
        if line.trim().is_empty() {
            return Err("nothing to run".to_owned());
        }
        Ok(vec![Effect::Shell(id.clone(), ShellWork::Run(line.to_owned()))])
    };
    model.dialogs.push(Box::new(Ask::new(&title, "line", "", check)));
    Vec::new()
}

fn kill(model: &mut Model) -> Vec<Effect> {
    let Some((state, job)) = running(model) else { return Vec::new() };
    let id = state.shell.session_id.clone();
    let title = format!("Kill job {} of {}?", job.seq, label(state));
    let lines = vec![job.first_line(), "All of its processes are ended.".to_owned()];
    let effects = vec![Effect::Shell(id, ShellWork::Kill(job.job_id.clone()))];
    model.dialogs.push(Box::new(Confirm::new(&title, lines, "kill", effects)));
    Vec::new()
}

pub(super) fn end(model: &mut Model) -> Vec<Effect> {
    let Some(state) = model.shell() else { return Vec::new() };
    let id = state.shell.session_id.clone();
    let has_state_to_lose = state.is_live && !state.is_lost;
    if state.running == 0 && !has_state_to_lose {
        return vec![Effect::Shell(id, ShellWork::End { kill: false })];
    }
    let title = format!("End shell {}?", label(state));
    let undo = model.app.keymap.key("undo");
    let mut lines = Vec::new();
    if state.running > 0 {
        lines.push(format!("{} will be killed.", text::counted(state.running, "running job")));
    }
    lines.push(match has_state_to_lose {
        true => {
            format!(
                "The state of its {} will be lost. {undo} restores the shell, without that.",
                state.shell.kind
            )
        }
        false => format!("{undo} restores the shell, but not its jobs."),
    });
    let effects = vec![Effect::Shell(id, ShellWork::End { kill: true })];
    model.dialogs.push(Box::new(Confirm::new(&title, lines, "end", effects)));
    Vec::new()
}
