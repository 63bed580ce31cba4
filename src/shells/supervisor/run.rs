//! One job from its turn to its last process.

use std::fs::File;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use super::asker::Asker;
use super::descendants::Descendants;
use super::events::{Events, take};
use super::leader::{self, Plan};
use super::pipes::Pipes;
use super::turn::{self, Queued};
use crate::domain::shell::bash_state::State;
use crate::domain::shell::{Job, JobStatus};
use crate::ports::ShellsError;
use crate::shells::folder::{JobFolder, ShellFolder};
use crate::shells::messages::{Request, Tag};
use crate::shells::records::{self, io_error};
use crate::shells::{control, liveness};
use crate::sys::step;
use crate::sys::{lock, process};

/// How long a job may take to end by itself after it was told to.
const GRACE: Duration = Duration::from_secs(3);
/// How much longer the processes that run jobs of its code may take.
const GRACE_OF_JOBS: Duration = Duration::from_secs(3);
/// When those that outlive that are ended again; then after twice as long, up to the longest time.
const AGAIN: Duration = Duration::from_millis(50);
const AT_MOST: Duration = Duration::from_secs(5);

/// A job in progress.
#[derive(Debug)]
pub(super) struct Run<'a> {
    pub folder: JobFolder,
    pub shell_folder: ShellFolder,
    pub request: Request,
    pub asker: &'a mut Asker,
    pub job: Job,
    /// The state that it started from.
    pub state: (u64, State),
    /// Held as long as it may change the shell's state.
    pub turn: Option<File>,
    /// Held until its leader's end is recorded.
    pub leader_lock: Option<File>,
    pub pipes: Pipes,
    pub descendants: Descendants,
    control: File,
    input: Option<File>,
    deadline: Option<Instant>,
    /// When those that are left are ended by force.
    force_at: Option<Instant>,
    /// When it was told to end, and how long until those that are left are ended by force again.
    told: Option<(Instant, Duration)>,
    /// The signals that deck was asked to send it while its leader ran.
    pub sent: Vec<Signal>,
    /// Whether deck was asked to end it, by force if need be, while its leader ran.
    pub was_terminated: bool,
    pub is_timed_out: bool,
    /// Whether those that outlived its leader were ended by deck.
    pub ended_children: bool,
    /// Whether what is to be done at its leader's end was done.
    pub has_ended: bool,
    /// Why a record could not be written while it ran, and the last one was tried again.
    pub unrecorded: Option<ShellsError>,
    /// Whether its asker is let go of once it has what it is owed.
    is_detached: bool,
    /// Whether the code runs in the shell's live process, which is no descendant of this one.
    in_live_process: bool,
    /// Whether the leader there was told to end the code by force.
    was_forced: bool,
    /// The lock that proves that this process lives.
    pub proof: Option<File>,
}

/// Runs a job to its last record.
pub(super) fn run(
    folder: JobFolder,
    request: Request,
    asker: &mut Asker,
    mut events: Events,
    proof: File,
) -> Result<(), ShellsError> {
    let missing = || ShellsError::Damaged(folder.record());
    let shell_folder = folder.shell().ok_or_else(missing)?;
    let mut job = records::read_job(&folder)?.ok_or_else(missing)?;
    job.supervisor_pid = i32::try_from(std::process::id()).ok();
    let path = folder.leader();
    let leader_lock = lock::file(&path).map_err(io_error("lock", &path))?;
    lock::wait(&leader_lock).map_err(io_error("lock", &path))?;
    let mut control = control::make(&folder.control()).map_err(io_error("make", &folder.control()))?;
    let deadline = request.timeout_ms.map(|ms| Instant::now() + Duration::from_millis(ms));
    let (mut held, mut later) = (None, Vec::new());
    if request.takes_turn {
        let path = shell_folder.turn();
        let queued = turn::wait(&path, asker, &mut events, &mut control, &mut later, deadline);
        match queued.map_err(io_error("lock", &path))? {
            Queued::Turn(file) => held = Some(file),
            Queued::Left(why) => return cancel(&folder, &shell_folder, job, asker, why),
        }
    }
    step::reached("turn");
    let shell = records::read_shell(&shell_folder)?.ok_or_else(missing)?;
    if request.takes_turn && !shell.is_active() {
        return cancel(&folder, &shell_folder, job, asker, "its shell was ended");
    }
    let state = records::usable_state(&shell_folder, shell.generation)?;
    if state.0 != shell.generation {
        job.reason =
            Some(format!("state {} is damaged: it started from state {}", shell.generation, state.0));
    }
    // From here on it may have run: its record says so first.
    job.status = JobStatus::Running;
    job.boot_id = liveness::boot_id();
    job.generation = state.0;
    if request.program.is_none() {
        let own = request.folder.clone();
        job.work_dir = own.unwrap_or_else(|| String::from_utf8_lossy(&state.1.folder).into_owned());
    }
    job.started_at = Some(Timestamp::now());
    records::write_job(&folder, &job)?;
    step::reached("intent");
    let plan = Plan {
        shell: &shell,
        shell_folder: &shell_folder,
        folder: &folder,
        job: &job,
        request: &request,
        state: &state,
    };
    let in_live_process = leader::is_live(&plan);
    let started = match leader::start(&plan) {
        Ok(started) => started,
        Err(error) => return fail(&folder, &shell_folder, job, asker, &error),
    };
    step::reached("spawned");
    job.pid = Some(started.pid);
    job.pgid = Some(started.pid);
    job.leader_start = process::stat(started.pid).map(|s| s.start);
    // It runs: from here on nothing but its end ends this process, whatever can't be written.
    let unrecorded = records::write_job(&folder, &job).err();
    asker.tell(Tag::Started, &[]);
    let pipes = match Pipes::new(&folder, started.stdout, started.stderr) {
        Ok(pipes) => pipes,
        Err(error) => {
            // Nobody could read what it prints.
            let _ = killpg(Pid::from_raw(started.pid), Signal::SIGKILL);
            return fail(&folder, &shell_folder, job, asker, &error);
        }
    };
    let name = (request.program.is_none() && !in_live_process && shell.wrap.is_empty())
        .then(|| program_name(&shell.program));
    let mut run = Run {
        folder,
        shell_folder,
        request,
        asker,
        job,
        state,
        turn: held,
        leader_lock: Some(leader_lock),
        pipes,
        descendants: Descendants::new(started.pid, name),
        control,
        input: started.input,
        deadline,
        force_at: None,
        told: None,
        sent: Vec::new(),
        was_terminated: false,
        is_timed_out: false,
        ended_children: false,
        has_ended: false,
        unrecorded,
        is_detached: false,
        in_live_process,
        was_forced: false,
        proof: Some(proof),
    };
    step::reached("running");
    run.do_lines(&later);
    run.until_the_last_is_gone(&mut events)
}

/// What the kernel calls a program.
fn program_name(program: &str) -> String {
    program.rsplit('/').next().unwrap_or_default().chars().take(15).collect()
}

/// The record of a job that never ran.
fn cancel(
    folder: &JobFolder,
    shell: &ShellFolder,
    mut job: Job,
    asker: &mut Asker,
    why: &str,
) -> Result<(), ShellsError> {
    job.status = JobStatus::Cancelled;
    job.reason = Some(why.to_owned());
    job.completed_at = Some(Timestamp::now());
    records::write_job(folder, &job)?;
    records::append_history(shell, &job)?;
    super::ended::remove_what_ran(folder);
    asker.tell(Tag::Ended, &[]);
    asker.finish();
    Ok(())
}

/// The record of a job whose program could not be started.
fn fail(
    folder: &JobFolder,
    shell: &ShellFolder,
    mut job: Job,
    asker: &mut Asker,
    error: &std::io::Error,
) -> Result<(), ShellsError> {
    let why = format!("can't start it: {error}");
    job.status = JobStatus::Failed;
    job.reason = Some(why.clone());
    job.completed_at = Some(Timestamp::now());
    records::write_job(folder, &job)?;
    records::append_history(shell, &job)?;
    super::ended::remove_what_ran(folder);
    asker.fail(&why);
    Ok(())
}

impl Run<'_> {
    fn until_the_last_is_gone(&mut self, events: &mut Events) -> Result<(), ShellsError> {
        loop {
            let [child, end, control, asks] = self.wait(events)?;
            if control {
                self.obey();
            }
            if asks && !self.asker.is_gone() && self.asker.hear().is_some() {
                self.end_by(Signal::SIGINT, true);
            }
            self.asker.send();
            if self.is_detached && !self.asker.has_pending() {
                self.asker.leave();
            }
            if self.may_read() {
                self.pipes.read(self.asker, self.request.stream);
            }
            if end && take(&mut events.end) {
                self.terminate();
            }
            if child {
                take(&mut events.child);
                self.descendants.collect();
            }
            self.keep_time();
            if self.descendants.end.is_some() && !self.has_ended {
                self.pipes.drain(self.asker, self.request.stream);
                self.descendants.collect();
                self.leader_ended();
            }
            if self.has_ended && self.descendants.are_gone {
                self.pipes.drain(self.asker, false);
                return self.finish();
            }
        }
    }

    /// Whether the job may go on printing: it waits for an asker who reads slowly, unless it is none of theirs any more.
    fn may_read(&self) -> bool {
        self.is_detached || !self.asker.is_behind()
    }

    /// Writes the record. One that can't be written is written with the next change, and tried at the end.
    pub(super) fn record(&mut self) {
        self.unrecorded = records::write_job(&self.folder, &self.job).err();
    }

    /// Adds to what is said of how it went.
    pub(super) fn because(&mut self, why: &str) {
        match &mut self.job.reason {
            Some(reason) if reason.split("; ").any(|one| one == why) => {}
            Some(reason) => reason.push_str(&format!("; {why}")),
            None => self.job.reason = Some(why.to_owned()),
        }
    }

    /// Waits for anything: which of a child's end, a signal, the control pipe and the asker there is.
    fn wait(&self, events: &Events) -> Result<[bool; 4], ShellsError> {
        let next = [self.deadline, self.force_at].into_iter().flatten().min();
        let timeout = match next.map(|at| at.saturating_duration_since(Instant::now())) {
            None => PollTimeout::NONE,
            Some(left) => PollTimeout::try_from(left.as_millis() + 1).unwrap_or(PollTimeout::MAX),
        };
        let mut fds = vec![
            PollFd::new(events.child.as_fd(), PollFlags::POLLIN),
            PollFd::new(events.end.as_fd(), PollFlags::POLLIN),
            PollFd::new(self.control.as_fd(), PollFlags::POLLIN),
        ];
        let has_asker = !self.asker.is_gone();
        if has_asker {
            let out = if self.asker.has_pending() { PollFlags::POLLOUT } else { PollFlags::empty() };
            fds.push(PollFd::new(self.asker.socket.as_fd(), PollFlags::POLLIN | out));
        }
        if self.may_read() {
            fds.extend(self.pipes.open().map(|fd| PollFd::new(fd, PollFlags::POLLIN)));
        }
        match poll(&mut fds, timeout) {
            Err(nix::errno::Errno::EINTR) => return Ok([true, false, false, false]),
            Err(error) => return Err(io_error("wait for", &self.folder.0)(error.into())),
            Ok(_) => {}
        }
        let is_ready = |at: usize| fds.get(at).is_some_and(|fd| fd.any() == Some(true));
        Ok([is_ready(0), is_ready(1), is_ready(2), has_asker && is_ready(3)])
    }

    /// Does what was written to the control pipe.
    fn obey(&mut self) {
        let lines = control::lines(&mut self.control);
        self.do_lines(&lines);
    }

    fn do_lines(&mut self, lines: &[String]) {
        for line in lines {
            match line.split_once(' ') {
                None if line == "kill" => self.terminate(),
                None if line == "eof" => self.input = None,
                Some(("signal", name)) => {
                    if let Ok(signal) = name.parse::<Signal>() {
                        self.end_by(signal, true);
                    }
                }
                _ => {}
            }
        }
    }

    /// Ends it: by TERM, and by KILL what is left after a while.
    fn terminate(&mut self) {
        self.was_terminated |= self.descendants.end.is_none();
        self.end_by(Signal::SIGTERM, false);
        let now = Instant::now();
        self.force_at = Some(now + GRACE);
        self.told = Some((now, AGAIN));
    }

    fn end_by(&mut self, signal: Signal, spares_supervisors: bool) {
        if self.descendants.end.is_none() {
            self.sent.push(signal);
        } else {
            self.ended_children = true;
        }
        let is_led = self.in_live_process && self.descendants.end.is_none();
        if signal == Signal::SIGKILL && is_led && !self.was_forced {
            // The leader knows whether the interpreter runs this job.
            self.was_forced = true;
            self.descendants.signal(Signal::SIGUSR1, spares_supervisors);
            return;
        }
        self.descendants.signal(signal, spares_supervisors);
    }

    /// What is due by time: the caller's limit, and force.
    fn keep_time(&mut self) {
        let now = Instant::now();
        if let (Some((told, again)), true) = (self.told, self.force_at.is_some_and(|at| at <= now)) {
            self.end_by(Signal::SIGKILL, now.duration_since(told) < GRACE + GRACE_OF_JOBS);
            self.force_at = Some(now + again);
            self.told = Some((told, (again * 2).min(AT_MOST)));
        }
        if self.deadline.is_none_or(|at| at > now) {
            return;
        }
        self.deadline = None;
        if self.descendants.end.is_some() {
            return;
        }
        if self.request.kill_on_timeout {
            self.is_timed_out = true;
            self.terminate();
            return;
        }
        // It runs on in the background, and its state is not taken back.
        self.turn = None;
        self.job.background = true;
        self.record();
        // What it still has to read is sent while the job goes on.
        self.request.stream = false;
        self.is_detached = true;
        self.asker.tell(Tag::Detached, &[]);
    }
}
