//! The capture-resume script: get the id, publish it, `exec` the agent.
//!
//! Invariants: one POSIX script for every tool; because of the `exec` the pane's process is the
//! agent; a step that fails never keeps the agent from starting. A user can paste it into a shell.

use crate::domain::quote::{sh, sh_join};

/// How a start script reports to deck, from inside the pane: one line of shell each, which never fails.
#[derive(Debug, Clone, Copy)]
pub struct Publish {
    /// Puts `$id` on the session as its conversation's id, and into this variable of its environment.
    pub id: fn(Option<&str>) -> String,
    /// Notes something about the start.
    pub note: fn(&str) -> String,
    /// Notes that the setup of the worktree ended: with `$code`, which is 0 if the agent starts now.
    pub setup: fn() -> String,
    /// Waits until the server has read what was printed: of a pane whose process ends at once it may never.
    pub settle: fn() -> String,
}

/// The commands that are run in a worktree before the agent, one after the other, until one fails. Then the agent is not
/// started, and the pane shows what the command printed.
pub(super) fn setup(dir: &str, commands: &[String], deck: &str, publish: Publish) -> String {
    let note = (publish.setup)();
    let ended = format!("{note}{} {SETUP_ENDED} \"$code\" || :\n", sh(deck));
    let run: String = commands
        .iter()
        .map(|line| {
            let line = sh(line);
            format!("if [ $code = 0 ]; then printf '$ %s\\n' {line}; ( cd {} && exec sh -c {line} ) || code=$?; fi\n", sh(dir))
        })
        .collect();
    format!("code=0\n{run}{ended}if [ $code != 0 ]; then exit $code; fi\n")
}

/// The verb by which the script records how a setup ended.
pub const SETUP_ENDED: &str = "setup-ended";

/// Where the id comes from.
pub(super) enum Step {
    None,
    Known {
        id: String,
    },
    /// A headless run prints it.
    Capture {
        /// deck's own program.
        deck: String,
        /// How the id is got from the run, as options of `deck capture-id`.
        options: Vec<String>,
        /// Where the id is in the JSON.
        path: String,
        /// The headless run.
        run: Vec<String>,
        /// The agent's command, to be followed by the id.
        resume: Vec<String>,
        /// The agent's command when there is no id.
        fresh: Vec<String>,
        /// The arguments that follow in both cases.
        tail: Vec<String>,
    },
}

/// How long a headless run may take, in seconds.
const CAPTURE_SECONDS: u32 = 60;

/// What is noted on the session when no id came.
const NO_ID: &str = "started without a session id: its headless run printed none";

/// The script that runs `argv` after `step`.
pub(super) fn script(argv: &[String], step: &Step, id_env: Option<&str>, publish: Publish) -> String {
    match step {
        Step::None => format!("exec {}\n", sh_join(argv)),
        Step::Known { id } => {
            let publish = (publish.id)(id_env);
            format!("id={}\n{publish}exec {}\n", sh(id), sh_join(argv))
        }
        Step::Capture { deck, options, path, run, resume, fresh, tail } => {
            let options: String = options.iter().map(|o| format!(" {}", sh(o))).collect();
            let (deck, path, run) = (sh(deck), sh(path), sh_join(run));
            let note = (publish.note)(NO_ID);
            let publish = (publish.id)(id_env);
            let (resume, fresh) = (sh_join(resume), sh_join(fresh));
            let tail: String = tail.iter().map(|a| format!(" {}", sh(a))).collect();
            format!(
                "id=$({deck} capture-id --timeout {CAPTURE_SECONDS}{options} {path} -- {run}) || id=\n\
                 if [ -n \"$id\" ]; then\n{publish}exec {resume} \"$id\"{tail}\nfi\n\
                 {note}exec {fresh}{tail}\n",
            )
        }
    }
}
