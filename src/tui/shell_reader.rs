//! The thread that reads what the screen shows of headless shells.
//!
//! Invariants: it starts no process; while nothing has changed it looks at one folder, and at one more for each shell in
//! sight; of a shell that is out of sight it reads no job; output is read of the selected shell alone; nothing waits for
//! this thread.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender as Teller, channel};
use std::time::{Duration, SystemTime};

use tokio::sync::mpsc::Sender;
use tokio::sync::mpsc::error::TrySendError;

use crate::app::Msg;
use crate::domain::shell::{Job, Shell, ShellId};
use crate::ops::Cx;
use crate::ops::shell::{
    JobTail, ShellOpResult, ShellState, ShellsInView, ShellsSeen, records, state_of, tail,
};

/// Between two looks while a job in sight runs. At other times it looks when the sessions are polled.
const FAST: Duration = Duration::from_millis(250);
/// How old a change must be to be the last one: a folder's time is coarse, and a second change may have the same.
const SETTLED: Duration = Duration::from_millis(100);

/// Messages to the thread.
#[derive(Debug, PartialEq, Eq)]
enum Told {
    /// These are in sight.
    View(ShellsInView),
    /// The sessions were polled.
    Polled,
    /// Something else has the terminal, or not any more.
    Rest(bool),
}

/// Hands the thread what it is told; the thread ends with this.
pub(super) struct ShellReader {
    told: Teller<Told>,
}

impl ShellReader {
    pub fn start(cx: Cx, loop_: Sender<Msg>) -> std::io::Result<Self> {
        let (told, given) = channel();
        std::thread::Builder::new().name("shells".to_owned()).spawn(move || run(cx, &loop_, &given))?;
        Ok(Self { told })
    }

    /// These shells are in sight.
    pub fn view(&self, view: ShellsInView) {
        // A thread that has ended has said why.
        let _ = self.told.send(Told::View(view));
    }

    /// The sessions were polled: it may look, too.
    pub fn polled(&self) {
        let _ = self.told.send(Told::Polled);
    }

    /// Whether something else has the terminal.
    pub fn rest(&self, rests: bool) {
        let _ = self.told.send(Told::Rest(rests));
    }
}

fn run(cx: Cx, loop_: &Sender<Msg>, given: &Receiver<Told>) {
    let mut eyes = Eyes::new(cx);
    let mut rests = false;
    let mut unsent = None;
    loop {
        if !rests {
            if let Some(seen) = eyes.look() {
                unsent = Some(seen);
            }
            if let Some(seen) = unsent.take() {
                let profile = eyes.cx.profile.name.clone();
                match loop_.try_send(Msg::Shells(profile, Box::new(seen))) {
                    Err(TrySendError::Closed(_)) => return,
                    Err(TrySendError::Full(Msg::Shells(_, seen))) => unsent = Some(*seen),
                    Ok(()) | Err(TrySendError::Full(_)) => {}
                }
            }
        }
        let first = if !rests && (eyes.is_busy() || unsent.is_some()) {
            given.recv_timeout(FAST)
        } else {
            given.recv().map_err(|_| RecvTimeoutError::Disconnected)
        };
        if first == Err(RecvTimeoutError::Disconnected) {
            return;
        }
        // Whatever it was told meanwhile, it looks once.
        for told in first.into_iter().chain(given.try_iter()) {
            match told {
                Told::View(view) => eyes.view = view,
                Told::Rest(now) => rests = now,
                Told::Polled => {}
            }
        }
    }
}

/// When something changed, as it was read last; none when it must be read again whatever it says.
type Stamp = Option<SystemTime>;

/// What was seen, and for which state of the folders.
struct Eyes {
    cx: Cx,
    view: ShellsInView,
    listed: Stamp,
    states: BTreeMap<ShellId, (Stamp, ShellState)>,
    /// The shells, oldest first.
    order: Vec<ShellId>,
    tail: Option<JobTail>,
    sent: ShellsSeen,
}

impl Eyes {
    fn new(cx: Cx) -> Self {
        Self {
            cx,
            view: ShellsInView::default(),
            listed: None,
            states: BTreeMap::new(),
            order: Vec::new(),
            tail: None,
            sent: ShellsSeen::default(),
        }
    }

    /// Whether a job in sight runs.
    fn is_busy(&self) -> bool {
        self.in_sight().any(|id| self.states.get(id).is_some_and(|(_, state)| state.running > 0))
    }

    fn in_sight(&self) -> impl Iterator<Item = &ShellId> {
        let also = self.view.at.iter().filter(|id| !self.view.rows.contains(id));
        self.view.rows.iter().chain(also)
    }

    /// Reads what has changed. Returns what is known if that is something else than before.
    fn look(&mut self) -> Option<ShellsSeen> {
        if let Err(error) = self.read() {
            tracing::debug!(%error, "can't read headless shells");
        }
        let shells = self.order.iter().filter_map(|id| self.states.get(id)).map(|(_, s)| s.clone()).collect();
        let seen = ShellsSeen { shells, tail: self.tail.clone() };
        if seen == self.sent {
            return None;
        }
        self.sent.clone_from(&seen);
        Some(seen)
    }

    fn read(&mut self) -> ShellOpResult<()> {
        let changed = self.cx.shells.changed_at(None);
        if changed.is_none() {
            (self.listed, self.order, self.tail) = (None, Vec::new(), None);
            self.states.clear();
            return Ok(());
        }
        if self.listed != changed {
            let listed = settled(changed, SystemTime::now());
            let shells = records(&self.cx)?;
            self.order = shells.iter().map(|s| s.session_id.clone()).collect();
            self.states.retain(|id, _| self.order.contains(id));
            for shell in shells {
                self.take_record(shell);
            }
            self.listed = listed;
        }
        let in_sight: Vec<ShellId> = self.in_sight().cloned().collect();
        for id in in_sight {
            self.read_state(&id)?;
        }
        self.read_tail()
    }

    /// Takes a record of the list: what its jobs do is read where it is in sight.
    fn take_record(&mut self, shell: Shell) {
        match self.states.get_mut(&shell.session_id) {
            Some((_, state)) => state.shell = shell,
            None => {
                let id = shell.session_id.clone();
                self.states.insert(
                    id,
                    (None, ShellState { shell, job: None, running: 0, is_live: false, is_lost: false }),
                );
            }
        }
    }

    fn read_state(&mut self, id: &ShellId) -> ShellOpResult<()> {
        let changed = self.cx.shells.changed_at(Some(id));
        let Some((stamp, known)) = self.states.get(id) else { return Ok(()) };
        // How a job goes on changes its own folder alone.
        if *stamp == changed && changed.is_some() && known.running == 0 {
            return Ok(());
        }
        let stamp = settled(changed, SystemTime::now());
        if let Some(shell) = self.cx.shells.shell(id)?.filter(Shell::is_active) {
            let state = state_of(&self.cx, shell)?;
            self.states.insert(id.clone(), (stamp, state));
        }
        Ok(())
    }

    /// Reads the end of the output of the selected shell's job, where there may be more of it.
    fn read_tail(&mut self) -> ShellOpResult<()> {
        let state = self.view.at.as_ref().and_then(|id| self.states.get(id));
        let Some(job) = state.and_then(|(_, state)| state.job.clone()) else {
            self.tail = None;
            return Ok(());
        };
        let is_same = |known: &Job| {
            (&known.job_id, known.status, known.stdout, known.stderr)
                == (&job.job_id, job.status, job.stdout, job.stderr)
        };
        if !self.tail.as_ref().is_some_and(|tail| is_same(&tail.job)) {
            self.tail = Some(tail(&self.cx, job)?);
        }
        Ok(())
    }
}

/// A time that can be compared with later; none if another change may follow that has the same.
fn settled(changed: Stamp, now: SystemTime) -> Stamp {
    // A time in the future says nothing about what follows.
    changed.filter(|at| now.duration_since(*at).is_ok_and(|elapsed| elapsed >= SETTLED))
}

#[cfg(test)]
mod tests;
