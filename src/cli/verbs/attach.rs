//! `deck attach`: attach this terminal to a session.

use std::io::IsTerminal;
use std::process::ExitCode;
use std::thread::JoinHandle;
use std::time::Duration;

use super::Done;
use crate::api::Code;
use crate::cli::error::CliError;
use crate::cli::{Context, complete};
use crate::domain::session::Session;
use crate::engine::{Engine, Pace, StatusLine};
use crate::ops::worker::{Target, WorkerName};
use crate::ops::{self, Cx, OpError};
use crate::ports::mux::{PaneRef, ServerId};
use crate::sys::terminal_program;
use crate::wiring::Wiring;

/// Attach to a session (ctrl-q detaches).
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The session keeps running after you detach. Attaching marks a finished turn as seen.\n\nExamples:\n  deck attach api\n  deck attach api:tests        show the terminal tests beside its agent"
)]
pub struct Args {
    /// Session to attach to.
    #[arg(add = complete::sessions())]
    session: String,
}

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    let cx = context.wiring.cx();
    match ops::worker::find(&cx, &args.session)? {
        Target::Session(session) => attach(context, &cx, &session),
        Target::Worker(session, worker) => {
            require_terminal()?;
            let name = WorkerName { session: session.id.clone(), worker: worker.id.clone() };
            let row = ops::worker::terminal_row(&cx, &name)?;
            // Nothing of its agent is seen by that.
            run_tmux(context, &row.pane.server, &row.name, &row.pane, &session.title).map(|(code, _)| code)
        }
    }
}

/// How often the line below the session is brought up to date, if no window changes.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Keeps the line below the attached session up to date, until it is dropped.
struct Line {
    engine: Option<Engine>,
    thread: Option<JoinHandle<()>>,
}

impl Line {
    fn start(wiring: &Wiring) -> std::io::Result<Self> {
        let (cx, engine) = wiring.watching(Pace::Steady(POLL_INTERVAL))?;
        let polls = engine.subscribe().blocking()?;
        let thread = std::thread::spawn(move || {
            let mut status_line = StatusLine::default();
            for poll in polls {
                let shown = poll.snapshot().and_then(|snapshot| status_line.show(&cx, snapshot));
                if let Err(error) = shown {
                    tracing::debug!(%error, "can't update the attached session's status line");
                }
            }
        });
        Ok(Self { engine: Some(engine), thread: Some(thread) })
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        if let Some(engine) = self.engine.take() {
            // Once more: the session that the user went to from this one is left, too.
            engine.finish();
        }
        if let Some(thread) = self.thread.take() {
            // One that panicked has said so.
            let _ = thread.join();
        }
    }
}

/// Attaches, and notes that the user has seen what was there when they detach.
pub(super) fn attach(context: &Context, cx: &Cx, session: &Session) -> Done {
    require_terminal()?;
    let snapshot = ops::Watcher::new().tick(cx)?;
    let row = snapshot.state(&session.id).and_then(|l| l.row.as_ref());
    let Some(row) = row else { return Err(OpError::NotRunning(session.name()).into()) };
    let (code, is_left) = run_tmux(context, row.server(), &row.name, &row.pane, &session.title)?;
    if is_left {
        ops::acknowledge_shown(cx, &session.id)?;
    }
    Ok(code)
}

fn require_terminal() -> Result<(), CliError> {
    if std::io::stdin().is_terminal() && std::io::stdout().is_terminal() {
        return Ok(());
    }
    Err(CliError::usage("attaching needs a terminal").hint("`deck output` prints a session's screen"))
}

/// Gives the terminal to tmux until its client ends. Returns the exit code, and whether the user left the session.
fn run_tmux(
    context: &Context,
    server: &ServerId,
    name: &str,
    pane: &PaneRef,
    title: &str,
) -> Result<(ExitCode, bool), CliError> {
    require_terminal()?;
    let command = context.wiring.attach_command(server, name, Some(pane));
    let mut command = command.ok_or_else(|| CliError::new(Code::Failed, "not a deck session"))?;
    let (status, ended_by) = {
        let line =
            context.wiring.config.notify.status_line.then(|| Line::start(&context.wiring)).transpose()?;
        let ended = terminal_program::run(&mut command)?;
        if ended.1.is_some() {
            // A process that is asked to end doesn't wait for a last poll.
            std::mem::forget(line);
        }
        ended
    };
    if let Some(signal) = ended_by {
        // The exit code that shells use for a program ended by a signal.
        return Ok((ExitCode::from(u8::try_from(signal).map_or(1, |n| n.saturating_add(128))), false));
    }
    if status.success() {
        Ok((ExitCode::SUCCESS, true))
    } else {
        Err(CliError::new(Code::Failed, format!("tmux couldn't attach to {title:?}")))
    }
}
