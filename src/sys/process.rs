//! The process table: who lives, since when, and ending whole process groups.
//!
//! Invariant: a process is named by its id together with what it must be; ids are reused.

use std::io;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;

/// How long a group may take to end by itself.
const PATIENCE: Duration = Duration::from_secs(3);
/// How often to look whether it has.
const LOOK: Duration = Duration::from_millis(20);

/// Fields of `/proc/PID/stat` (see proc(5)).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    /// Whether it ended and waits to be collected.
    pub zombie: bool,
    /// Its process group.
    pub group: i32,
    /// The group in the foreground of its terminal.
    pub foreground: i32,
    /// Its start, in clock ticks since boot.
    pub start: u64,
}

/// Reads a process's state; `None` when there is no such process, or no `/proc`.
pub fn stat(pid: i32) -> Option<Stat> {
    parse_stat(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

fn parse_stat(text: &str) -> Option<Stat> {
    // The program's name is in parentheses and may hold anything, also parentheses.
    let (_, rest) = text.rsplit_once(") ")?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    let number = |i: usize| fields.get(i).and_then(|f| f.parse::<i64>().ok());
    Some(Stat {
        zombie: fields.first() == Some(&"Z"),
        group: i32::try_from(number(2)?).ok()?,
        foreground: i32::try_from(number(5)?).ok()?,
        start: u64::try_from(number(19)?).ok()?,
    })
}

/// Whether any process of the group lives.
pub fn group_lives(group: i32) -> bool {
    if group <= 1 {
        return false;
    }
    match killpg(Pid::from_raw(group), None) {
        Err(Errno::ESRCH) => false,
        // A zombie leader still counts as a member: look whether anything but it is there.
        Ok(()) | Err(_) => !only_zombies(group),
    }
}

fn only_zombies(group: i32) -> bool {
    let Ok(entries) = std::fs::read_dir("/proc") else { return false };
    let mut members = 0;
    for entry in entries.flatten() {
        let pid = entry.file_name().to_str().and_then(|n| n.parse::<i32>().ok());
        if let Some(s) = pid.and_then(stat).filter(|s| s.group == group) {
            if !s.zombie {
                return false;
            }
            members += 1;
        }
    }
    members > 0
}

/// Whether the process lives.
pub fn lives(pid: i32) -> bool {
    pid > 1
        && !matches!(kill(Pid::from_raw(pid), None), Err(Errno::ESRCH))
        && stat(pid).is_none_or(|s| !s.zombie)
}

/// Ends the process group: HUP and TERM, three seconds, KILL. Returns once it is gone.
///
/// # Errors
/// The system's error when it may not be signalled, or `TimedOut` when it outlives KILL.
#[expect(clippy::disallowed_methods, reason = "the process table gives no sign: it must be looked at again")]
pub fn end_group(group: i32) -> io::Result<()> {
    if group <= 1 {
        return Ok(());
    }
    for signal in [Signal::SIGHUP, Signal::SIGTERM] {
        signal_group(group, signal)?;
    }
    for last in [false, true] {
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            if !group_lives(group) {
                return Ok(());
            }
            std::thread::sleep(LOOK);
        }
        if !last {
            signal_group(group, Signal::SIGKILL)?;
        }
    }
    Err(io::Error::new(io::ErrorKind::TimedOut, format!("process group {group} outlives SIGKILL")))
}

fn signal_group(group: i32, signal: Signal) -> io::Result<()> {
    match killpg(Pid::from_raw(group), signal) {
        Ok(()) | Err(Errno::ESRCH) => Ok(()),
        Err(e) => Err(e.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_parentheses_does_not_shift_fields() {
        let line = "42 (a) b) c) S 1 42 42 34816 77 4194304 1 2 3 4 5 6 7 8 20 0 1 0 120901 1 1";
        let want = Stat { zombie: false, group: 42, foreground: 77, start: 120_901 };
        assert_eq!(parse_stat(line), Some(want));
        assert_eq!(parse_stat("42 (x"), None);
    }

    #[test]
    fn the_impossible_groups_are_never_signalled() {
        for group in [-1, 0, 1] {
            assert!(end_group(group).is_ok());
            assert!(!group_lives(group));
        }
    }
}
