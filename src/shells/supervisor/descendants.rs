//! The processes of a job: they are this process's descendants, and it is told when the last one ends.

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill, killpg};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid, waitpid};
use nix::unistd::{Pid, getpid};

use crate::domain::shell::Child;
use crate::shells::liveness;
use crate::sys::process;

/// How a leader ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LeaderEnd {
    Exited(i32),
    Signalled(Signal),
}

/// Whether all that this process would wait for is no part of its job. One that ended and is not collected counts: it
/// may have just left something to this process.
fn only_others_are_left() -> bool {
    let all = process::all_children(getpid().as_raw());
    !all.is_empty() && all.into_iter().all(liveness::is_apart)
}

/// The leader and all that descends from it.
#[derive(Debug)]
pub struct Descendants {
    pub leader: i32,
    /// What the leader was called when it began.
    name: Option<String>,
    /// Whether it has ended in another program than it began in.
    pub was_replaced: bool,
    pub end: Option<LeaderEnd>,
    /// Whether nobody is left.
    pub are_gone: bool,
}

impl Descendants {
    pub const fn new(leader: i32, name: Option<String>) -> Self {
        Self { leader, name, was_replaced: false, end: None, are_gone: false }
    }

    /// Collects those that have ended.
    pub fn collect(&mut self) {
        if self.end.is_none() {
            self.look_at_leader();
        }
        loop {
            match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
                Ok(WaitStatus::Exited(pid, code)) if pid.as_raw() == self.leader && self.end.is_none() => {
                    self.end = Some(LeaderEnd::Exited(code));
                }
                Ok(WaitStatus::Signaled(pid, signal, _))
                    if pid.as_raw() == self.leader && self.end.is_none() =>
                {
                    self.end = Some(LeaderEnd::Signalled(signal));
                }
                Ok(WaitStatus::StillAlive) => {
                    self.are_gone = self.end.is_some() && only_others_are_left();
                    return;
                }
                Err(Errno::EINTR) | Ok(_) => {}
                // Nobody is left: neither children nor those of children that have ended.
                Err(_) => {
                    self.are_gone = self.end.is_some() && !self.others_live();
                    return;
                }
            }
        }
    }

    /// Where no process collects the orphans of another, the group is all that is known.
    fn others_live(&self) -> bool {
        !cfg!(target_os = "linux") && process::group_lives(self.leader)
    }

    /// Before a leader that has ended is collected: whether it was replaced by another program.
    fn look_at_leader(&mut self) {
        let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
        let ended = waitid(Id::Pid(Pid::from_raw(self.leader)), flags);
        if ended.is_ok_and(|s| s != WaitStatus::StillAlive) {
            self.was_replaced = self.name.is_some() && process::name(self.leader) != self.name;
        }
    }

    /// Those that live.
    pub fn alive(&self) -> Vec<Child> {
        liveness::descendants(getpid().as_raw())
    }

    /// Sends a signal to the leader's group, and to each descendant outside of it. The processes that run other jobs can be
    /// spared: they end theirs when they are told to, and must live to record that.
    pub fn signal(&self, signal: Signal, spares_supervisors: bool) {
        // While the leader isn't collected, its id is that of its group and of nobody else.
        let has_group = self.end.is_none();
        if has_group {
            let _ = killpg(Pid::from_raw(self.leader), signal);
        }
        for child in self.alive() {
            let outside = !has_group || process::stat(child.pid).is_some_and(|s| s.group != self.leader);
            let is_spared = spares_supervisors && liveness::is_supervisor(child.pid);
            if outside && !is_spared && liveness::is_same(&child) {
                let _ = kill(Pid::from_raw(child.pid), signal);
            }
        }
    }
}
