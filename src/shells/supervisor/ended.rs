//! What is recorded when a job's leader has ended, and when its last process has.
//!
//! Invariants: the state is published before the end is recorded, and the end is recorded before anybody is told.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use jiff::Timestamp;

use super::descendants::LeaderEnd;
use super::run::Run;
use crate::domain::shell::bash_state::State;
use crate::domain::shell::{JobStatus, StateOutcome};
use crate::ports::ShellsError;
use crate::ports::shells::Which;
use crate::shells::folder::JobFolder;
use crate::shells::kind::{self, Capture};
use crate::shells::messages::Tag;
use crate::shells::records;
use crate::shells::remove;
use crate::shells::repl::interpreter;
use crate::sys::files;
use crate::sys::step;

/// The most that is read of a capture, in bytes.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// How often a new state is tried to be published while another process holds the shell's record.
const TRIES: u32 = 5;

impl Run<'_> {
    /// The leader has ended, and its pipes were emptied.
    pub(super) fn leader_ended(&mut self) {
        step::reached("ended");
        self.record_how();
        if let Err(error) = self.give_state_back() {
            // How the code ended is known all the same.
            self.job.state = Some(StateOutcome::Unchanged);
            self.job.state_reason = Some("not_written".to_owned());
            self.because(&format!("its state can't be kept: {error}"));
        }
        step::reached("published");
        self.has_ended = true;
        if self.descendants.are_gone {
            // The last record follows at once.
            return;
        }
        self.job.status = JobStatus::Draining;
        self.job.children = self.descendants.alive();
        self.count_output();
        self.record();
        step::reached("recorded");
        self.release();
        self.asker.tell(Tag::Ended, &[]);
    }

    /// The next one in the queue begins, and who waits for this one reads how it ended.
    fn release(&mut self) {
        self.turn = None;
        self.leader_lock = None;
    }

    fn count_output(&mut self) {
        (self.job.stdout, self.job.stderr) = self.pipes.kept();
        if let Some(problem) = self.pipes.problem().map(str::to_owned) {
            self.because(&format!("some output was not kept: {problem}"));
        }
    }

    fn record_how(&mut self) {
        let now = Timestamp::now();
        self.job.completed_at = Some(now);
        self.job.duration_ms =
            self.job.started_at.and_then(|at| u64::try_from(now.duration_since(at).as_millis()).ok());
        match self.descendants.end {
            Some(LeaderEnd::Exited(code)) => self.job.exit_code = Some(code),
            Some(LeaderEnd::Signalled(signal)) => {
                self.job.exit_code = Some(128 + signal as i32);
                self.job.signal = Some(signal.as_str().trim_start_matches("SIG").to_owned());
            }
            None => {}
        }
    }

    /// What the job is called once nothing of it runs.
    fn last_status(&self) -> JobStatus {
        // A shell exits with 128 and the number where a signal ended what it ran.
        let was_ended = self.was_terminated
            || self.sent.iter().any(|signal| self.job.exit_code == Some(128 + *signal as i32));
        match self.job.exit_code {
            _ if self.is_timed_out => JobStatus::TimedOut,
            _ if was_ended => JobStatus::Killed,
            Some(0) => JobStatus::Completed,
            _ => JobStatus::Failed,
        }
    }

    /// Publishes what the code changed, if this job has the turn and its shell could tell.
    fn give_state_back(&mut self) -> Result<(), ShellsError> {
        if self.request.program.is_some() {
            return Ok(());
        }
        let capture = self.folder.capture();
        let read = files::read(&capture, MAX_BYTES);
        // It holds the environment.
        let _ = std::fs::remove_file(&capture);
        let bytes = read.as_deref().unwrap_or_default();
        let state = match kind::script(&self.job.kind).map(|script| script.capture) {
            Some(Capture::Parts) => State::of_capture(bytes, &self.state.1),
            // A live process says no more than in which folder it is.
            Some(Capture::Script) | None => State::of_script_capture(bytes),
        };
        let why = match (&state, &self.descendants.end) {
            _ if self.turn.is_none() => Some("background"),
            (_, Some(LeaderEnd::Signalled(_))) => Some("killed"),
            (Some(_), _) => None,
            (None, _) if self.descendants.was_replaced => Some("exec"),
            // The trap that captures was replaced: it wrote nothing.
            (None, _) if read.is_ok() && bytes.is_empty() => Some("exit_trap"),
            (None, _) => Some("no_capture"),
        };
        let (Some(mut state), None) = (state, why) else {
            self.job.state = Some(StateOutcome::Unchanged);
            self.job.state_reason = why.map(str::to_owned);
            return Ok(());
        };
        // A folder for this job alone isn't kept, unless the code itself changed it.
        let before = Path::new(OsStr::from_bytes(&self.state.1.folder));
        if self.request.folder.as_deref().is_some_and(|own| own.as_bytes() == state.folder) && before.is_dir()
        {
            state.folder.clone_from(&self.state.1.folder);
        }
        let generation = records::read_shell(&self.shell_folder)?.map_or(self.state.0, |s| s.generation) + 1;
        records::write_state(&self.shell_folder, generation, &state)?;
        step::reached("state");
        let folder = String::from_utf8_lossy(&state.folder).into_owned();
        let mut tries = 0;
        loop {
            let published = records::change_shell(&self.shell_folder, |shell| {
                shell.generation = generation;
                shell.work_dir.clone_from(&folder);
                Ok(())
            });
            match published {
                Err(ShellsError::Busy { .. }) if tries < TRIES => tries += 1,
                other => break drop(other?),
            };
        }
        self.job.state = Some(StateOutcome::Kept);
        Ok(())
    }

    /// A shell that is for one command is ended with it, whether anybody waits for that or not.
    fn end_once(&self) {
        let once = records::read_shell(&self.shell_folder).ok().flatten().is_some_and(|shell| shell.once);
        if !once || self.job.parent_job.as_ref().is_some_and(|p| p.shell == self.job.session_id) {
            return;
        }
        let ended = records::change_shell(&self.shell_folder, |shell| {
            shell.end(Timestamp::now());
            Ok(())
        });
        if let Err(error) = interpreter::end(&self.shell_folder) {
            tracing::debug!(%error, "can't end the process of a shell that is for one command");
        }
        if let Err(error) = ended {
            // The next one that is started counts it no more than this one.
            tracing::debug!(%error, "can't end a shell that is for one command");
        }
    }

    /// The last process is gone.
    pub(super) fn finish(&mut self) -> Result<(), ShellsError> {
        self.job.status = self.last_status();
        self.count_output();
        if self.ended_children && !self.job.children.is_empty() {
            let count = self.job.children.len();
            let what = if count == 1 { "1 process" } else { "all processes" };
            self.because(&format!("ended {what} that outlived it"));
        }
        self.job.children = Vec::new();
        self.record();
        step::reached("final");
        if let Some(error) = self.unrecorded.take() {
            // The only one who can know it is who waits for it.
            let code = self.job.exit_code.map(|code| format!(" with {code}")).unwrap_or_default();
            self.asker.fail(&format!("it ran and ended{code}, but that can't be recorded: {error}"));
            return Err(error);
        }
        self.end_once();
        let in_history = records::append_history(&self.shell_folder, &self.job);
        remove_what_ran(&self.folder);
        self.release();
        self.asker.tell(Tag::Ended, &[]);
        remove::make_room(&self.shell_folder, &self.job);
        // An asker that reads slowly keeps nobody from this shell.
        self.proof = None;
        self.asker.finish();
        in_history
    }
}

/// Removes what a job needed only while it ran.
pub(super) fn remove_what_ran(folder: &JobFolder) {
    let pipes = [folder.answer(), folder.pipe(Which::Stdout), folder.pipe(Which::Stderr)];
    let others = [folder.control(), folder.stdin(), folder.capture(), folder.leader()];
    for path in pipes.into_iter().chain(others) {
        // Who still waits for a lock has the file open.
        let _ = std::fs::remove_file(path);
    }
}
