//! What a row shows of a shell: a sign, a few words, and since when that is so.

use jiff::Timestamp;

use super::{Job, JobStatus, Shell};
use crate::domain::text;

/// What a shell is doing, at a glance. None of them asks for its user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShellSign {
    /// One of its jobs runs, or processes that a job started.
    Running,
    /// Its last job failed.
    Failed,
    /// It has nothing to do.
    Idle,
    /// What became of its last job is not known.
    Unsure,
}

/// A shell's row in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowWords {
    pub sign: ShellSign,
    /// `cargo test`, `exit 101`, `idle`.
    pub words: String,
    pub since: Timestamp,
}

/// What a shell's row shows. `job` is the one that it is about: the one that runs, else the last one; `running` is how
/// many have not ended.
/// `is_lost` is whether its process is gone, with its state.
pub fn row_words(shell: &Shell, job: Option<&Job>, running: usize, is_lost: bool) -> RowWords {
    if is_lost {
        let since = shell.last_activity_at;
        return RowWords { sign: ShellSign::Unsure, words: "lost".to_owned(), since };
    }
    let idle = |since| RowWords { sign: ShellSign::Idle, words: "idle".to_owned(), since };
    let Some(job) = job else { return idle(shell.last_activity_at) };
    let ended = job.completed_at.unwrap_or(shell.last_activity_at);
    let began = job.started_at.unwrap_or(job.queued_at);
    let others = if running > 1 { format!(" +{}", running - 1) } else { String::new() };
    let (sign, words, since) = match job.status {
        JobStatus::Queued => (ShellSign::Running, format!("queued: {}{others}", job.first_line()), began),
        JobStatus::Running => (ShellSign::Running, format!("{}{others}", job.first_line()), began),
        JobStatus::Draining => (ShellSign::Running, format!("{}{others}", draining(job)), ended),
        JobStatus::Failed => (ShellSign::Failed, exit(job), ended),
        JobStatus::TimedOut => (ShellSign::Failed, "timed out".to_owned(), ended),
        JobStatus::Killed => (ShellSign::Idle, "killed".to_owned(), ended),
        JobStatus::Orphaned => (ShellSign::Unsure, "orphaned".to_owned(), ended),
        JobStatus::Completed | JobStatus::Cancelled => return idle(shell.last_activity_at.max(ended)),
    };
    RowWords { sign, words, since }
}

impl Job {
    /// The first line of its code that holds anything, fit to be drawn.
    pub fn first_line(&self) -> String {
        let line = self.code.lines().map(str::trim).find(|l| !l.is_empty()).unwrap_or_default();
        text::clean(line)
    }
}

/// `2 children · exit 0`: the leader has ended.
fn draining(job: &Job) -> String {
    let children = match job.children.len() {
        1 => "1 child".to_owned(),
        n => format!("{n} children"),
    };
    format!("{children} · {}", exit(job))
}

/// `exit 101`, or the signal that ended it.
fn exit(job: &Job) -> String {
    match (&job.signal, job.exit_code) {
        (Some(signal), _) => format!("SIG{}", signal.trim_start_matches("SIG")),
        (None, Some(code)) => format!("exit {code}"),
        // Such a record was never written by deck.
        (None, None) => job.status.word().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::shell::JobId;
    use jiff::SignedDuration;

    fn words(status: JobStatus, running: usize, change: impl FnOnce(&mut Job)) -> (ShellSign, String) {
        let shell = Shell::sample(1);
        let id = JobId { shell: shell.session_id.clone(), seq: 1 };
        let mut job = Job::queued(id, b"\n  make \x1b[31mall\nand more", "bash", Timestamp::UNIX_EPOCH);
        job.status = status;
        change(&mut job);
        let shown = row_words(&shell, Some(&job), running, false);
        (shown.sign, shown.words)
    }

    #[test]
    fn a_row_for_each_status() {
        use ShellSign::{Failed, Idle, Running, Unsure};
        let check = |status, wanted: (ShellSign, &str)| {
            let got = words(status, usize::from(!status.is_final()), |job| job.exit_code = Some(2));
            assert_eq!((got.0, got.1.as_str()), wanted, "{status:?}");
        };
        check(JobStatus::Queued, (Running, "queued: make all"));
        check(JobStatus::Running, (Running, "make all"));
        check(JobStatus::Draining, (Running, "0 children · exit 2"));
        check(JobStatus::Completed, (Idle, "idle"));
        check(JobStatus::Failed, (Failed, "exit 2"));
        check(JobStatus::Killed, (Idle, "killed"));
        check(JobStatus::TimedOut, (Failed, "timed out"));
        check(JobStatus::Cancelled, (Idle, "idle"));
        check(JobStatus::Orphaned, (Unsure, "orphaned"));
    }

    #[test]
    fn a_signal_has_its_name_and_others_that_run_are_counted() {
        let signalled = words(JobStatus::Failed, 0, |job| {
            (job.signal, job.exit_code) = (Some("SEGV".to_owned()), Some(139));
        });
        assert_eq!(signalled, (ShellSign::Failed, "SIGSEGV".to_owned()));
        assert_eq!(words(JobStatus::Running, 3, |_| {}).1, "make all +2");
    }

    #[test]
    fn a_shell_that_ran_nothing_is_idle_since_it_was_made() {
        let mut shell = Shell::sample(1);
        shell.last_activity_at += SignedDuration::from_secs(9);
        assert_eq!(row_words(&shell, None, 0, true).words, "lost");
        let shown = row_words(&shell, None, 0, false);
        assert_eq!((shown.words.as_str(), shown.since), ("idle", shell.last_activity_at));
    }
}
