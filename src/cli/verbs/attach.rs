//! `deck attach`: hand this terminal to a session.

use std::io::IsTerminal;
use std::process::ExitCode;
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use super::Done;
use crate::cli::error::{CliError, Code};
use crate::cli::{Context, complete};
use crate::domain::session::Session;
use crate::ops::{self, Deck, OpError};
use crate::sys::front;

/// Hand this terminal to a session; ctrl-q comes back.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  deck attach api")]
pub struct Args {
    /// The session.
    #[arg(add = complete::sessions())]
    session: String,
}

pub(super) fn run(args: &Args, context: &mut Context) -> Done {
    let deck = context.wiring.deck();
    let session = context.find(&deck, &args.session)?;
    attach(context, &deck, &session)
}

/// How often the line below the session is brought up to date.
const LOOK: Duration = Duration::from_secs(1);

/// Keeps the line below the attached session up to date, until it is dropped.
struct Line {
    stop: Option<SyncSender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Line {
    fn start(deck: Deck) -> Self {
        let (stop, stopped) = sync_channel(0);
        let thread = std::thread::spawn(move || {
            let (mut watcher, mut beacon) = (ops::Watcher::new(), ops::Beacon::default());
            loop {
                if let Err(error) = watcher.tick(&deck).and_then(|snapshot| beacon.show(&deck, &snapshot)) {
                    tracing::debug!(%error, "the line of the attached session was not written");
                }
                if !matches!(stopped.recv_timeout(LOOK), Err(RecvTimeoutError::Timeout)) {
                    // Once more: the session that the user went to from this one is left, too.
                    if let Err(error) = watcher.tick(&deck) {
                        tracing::debug!(%error, "what was left was not noted");
                    }
                    return;
                }
            }
        });
        Self { stop: Some(stop), thread: Some(thread) }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // One that panicked has said so.
            let _ = thread.join();
        }
    }
}

/// Attaches, and notes that the user has seen what was there when he leaves.
pub(super) fn attach(context: &Context, deck: &Deck, session: &Session) -> Done {
    if !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
        return Err(CliError::usage("attaching needs a terminal")
            .hint("`deck output --screen` prints what an agent shows"));
    }
    let snapshot = ops::Watcher::new().tick(deck)?;
    let row = snapshot.look(&session.id).and_then(|l| l.row.as_ref());
    let Some(row) = row else { return Err(OpError::NotRunning(session.title.clone()).into()) };
    let command = context.wiring.attach_command(row.server.as_deref(), &row.name);
    let mut command = command.ok_or_else(|| CliError::new(Code::Failed, "that is no session of deck's"))?;
    let (status, told) = {
        let line = context.wiring.config.notify.status_line.then(|| Line::start(deck.clone()));
        let ended = front::run(&mut command)?;
        if ended.1.is_some() {
            // Who was told to end waits for no last look.
            std::mem::forget(line);
        }
        ended
    };
    if let Some(signal) = told {
        // As a shell says of a program that a signal ended.
        return Ok(ExitCode::from(u8::try_from(signal).map_or(1, |n| n.saturating_add(128))));
    }
    ops::acknowledge(deck, &session.id)?;
    if status.success() {
        Ok(ExitCode::SUCCESS)
    } else {
        Err(CliError::new(Code::Failed, format!("tmux could not attach to {:?}", session.title)))
    }
}
