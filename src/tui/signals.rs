//! Signals: those that end deck, and those that stop it and bring it back.
//!
//! Invariants: they are heard while another program has the terminal, too: what ends deck ends that program,
//! what stops it stops both; an interrupt is that program's alone.

use std::io;
use std::process::{Command, ExitStatus};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::{Pid, getpgrp, getsid};
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};
use signal_hook::iterator;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// How long after its end an interrupt was still meant for the program that had the terminal.
const LATE: Duration = Duration::from_millis(500);

/// What the signals ask of deck.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SignalMsg {
    /// To leave.
    End,
    /// To stop until it is continued.
    Suspend,
    Continued,
}

/// Which program has the terminal.
#[derive(Debug, Default)]
struct Front {
    /// Whether deck gave it away.
    away: bool,
    /// The program that has it.
    child: Option<Pid>,
    /// When it came back.
    back: Option<Instant>,
}

/// The signals of this process, heard on a thread of their own.
pub(super) struct Signals {
    received: UnboundedReceiver<SignalMsg>,
    front: Arc<Mutex<Front>>,
    handle: iterator::Handle,
}

impl Signals {
    pub fn listen() -> io::Result<Self> {
        let mut all = iterator::Signals::new([SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGCONT])?;
        let (handle, front) = (all.handle(), Arc::<Mutex<Front>>::default());
        let (tell, received) = unbounded_channel();
        let seen = front.clone();
        std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
            for signal in &mut all {
                take(signal, &seen, &tell);
            }
        })?;
        Ok(Self { received, front, handle })
    }

    /// What comes next.
    pub async fn next(&mut self) -> SignalMsg {
        match self.received.recv().await {
            Some(received) => received,
            // The thread ends with this value alone.
            None => std::future::pending().await,
        }
    }

    /// Notes that deck gives the terminal away, or has it again.
    pub fn set_away(&self, away: bool) {
        let mut front = lock(&self.front);
        (front.away, front.back) = (away, (!away).then(Instant::now));
    }

    /// Runs a program that has the terminal, to its end: its process, and how it ended.
    pub fn run(&self, command: &mut Command) -> io::Result<(Pid, ExitStatus)> {
        let (mut child, pid) = {
            let mut front = lock(&self.front);
            let child = command.spawn()?;
            let pid = Pid::from_raw(i32::try_from(child.id()).map_err(io::Error::other)?);
            front.child = Some(pid);
            (child, pid)
        };
        let status = child.wait();
        lock(&self.front).child = None;
        status.map(|status| (pid, status))
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        self.handle.close();
    }
}

fn lock(front: &Mutex<Front>) -> MutexGuard<'_, Front> {
    front.lock().unwrap_or_else(PoisonError::into_inner)
}

fn take(signal: i32, front: &Mutex<Front>, tell: &UnboundedSender<SignalMsg>) {
    let front = lock(front);
    let received = match signal {
        SIGINT if front.away || front.back.is_some_and(|at| at.elapsed() < LATE) => return,
        SIGTSTP if front.away => {
            // The program has stopped by the same signal.
            drop(front);
            stop();
            return;
        }
        SIGTSTP => SignalMsg::Suspend,
        SIGCONT if front.away => return,
        SIGCONT => SignalMsg::Continued,
        _ => {
            if let Some(child) = front.child {
                // A shell that talks to its user takes no notice of TERM alone.
                for signal in [Signal::SIGTERM, Signal::SIGHUP] {
                    // One that has ended meanwhile needs no ending.
                    let _ = kill(child, signal);
                }
            }
            SignalMsg::End
        }
    };
    // A loop that is gone needs no signals.
    let _ = tell.send(received);
}

/// Stops this process until the shell continues it. If no shell waits for that, it keeps running.
pub(super) fn stop() {
    // A shell with job control gives each job its own group. In the group of the session's first process nothing
    // could continue it.
    if getsid(None).is_ok_and(|session| session != getpgrp()) {
        // A program that started deck for the shell stops with it. What can't be stopped keeps running.
        let _ = killpg(getpgrp(), Signal::SIGSTOP);
    }
}
