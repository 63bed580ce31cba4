//! The process table: who lives, since when, and ending whole process groups.
//!
//! Invariant: a process is named by its id together with what it must be; ids are reused.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;

use super::clock::SystemClock;
use super::files;
use crate::domain::session::StartedProcess;
use crate::ports::Clock;
use crate::ports::host::InFolder;

/// The variable that deck's own tmux server is started with. The server passes it on to nothing that it starts.
pub const SERVER_MARK: &str = "DECK_SERVER";
/// How long a group may take to end by itself.
const TIMEOUT: Duration = Duration::from_secs(3);
/// Among the first N words of a command line its program is named: `node --flag PROGRAM`.
const INTERPRETED: usize = 3;
/// The most that is read of a file of `/proc`, in bytes.
const MAX_BYTES: u64 = 16 * 1024 * 1024;
/// How many generations of processes an agent may consist of: a launcher, the agent.
const GENERATIONS: u32 = 3;
/// How often to look whether it has.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// How many looks for what was started with a variable are enough.
const LOOKS: u32 = 50;
/// How long after a look that found nothing of it the one follows that makes sure.
const MAKE_SURE: Duration = Duration::from_millis(2);

/// Fields of `/proc/PID/stat` (see proc(5)).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    /// Whether it ended, and at most waits to be collected.
    pub zombie: bool,
    /// Whether a signal stopped it, as ctrl-z does, or a debugger.
    pub stopped: bool,
    /// The process that started it, or took it over.
    pub parent: i32,
    /// Its process group.
    pub group: i32,
    /// The session it is in: the process that its terminal was given to.
    pub session: i32,
    /// The group in the foreground of its terminal.
    pub foreground: i32,
    /// Its start, in clock ticks since boot.
    pub start: u64,
}

/// Reads a process's state; `None` when there is no such process, or no `/proc`.
pub fn stat(pid: i32) -> Option<Stat> {
    parse_stat(&files::read_text(Path::new(&format!("/proc/{pid}/stat")), MAX_BYTES).ok()?)
}

/// Whether this process was started with a signal ignored, as `nohup` does. Unknown is no.
pub fn ignores(signal: i32) -> bool {
    let text = files::read_text(Path::new("/proc/self/status"), MAX_BYTES).unwrap_or_default();
    is_ignored(&text, signal)
}

/// The mask of ignored signals is a hexadecimal number whose lowest bit is signal 1; proc_pid_status(5).
fn is_ignored(status: &str, signal: i32) -> bool {
    let mask = status.lines().find_map(|l| l.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|m| u64::from_str_radix(m.trim(), 16).ok()).unwrap_or_default();
    u32::try_from(signal - 1).is_ok_and(|bit| mask.checked_shr(bit).unwrap_or_default() & 1 == 1)
}

/// A process's file in `/proc`.
fn read(pid: i32, file: &str) -> io::Result<Vec<u8>> {
    files::read(Path::new(&format!("/proc/{pid}/{file}")), MAX_BYTES)
}

fn parse_stat(text: &str) -> Option<Stat> {
    // The program's name is in parentheses and may hold anything, also parentheses.
    let (_, rest) = text.rsplit_once(") ")?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    let number = |i: usize| fields.get(i).and_then(|f| f.parse::<i64>().ok());
    Some(Stat {
        zombie: matches!(fields.first(), Some(&"Z" | &"X")),
        stopped: matches!(fields.first(), Some(&"T" | &"t")),
        parent: i32::try_from(number(1)?).ok()?,
        group: i32::try_from(number(2)?).ok()?,
        session: i32::try_from(number(3)?).ok()?,
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
        // A zombie leader still counts as a member: look whether anything but it exists.
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

/// The groups of processes that run `program` in the session that `leader` began, and have `variable` in
/// the environment they were started with. None where there is no `/proc`, or if another process has
/// the leader's id by now: the kernel gives no id away that names a session with living processes.
pub fn groups_with(leader: StartedProcess, variable: &str, program: &str) -> Vec<i32> {
    if stat(leader.pid).is_some_and(|s| s.start != leader.start) {
        return Vec::new();
    }
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let has = |pid: &i32, file: &str, test: &dyn Fn(&[u8]) -> bool| {
        let bytes = read(*pid, file).unwrap_or_default();
        bytes.split(|b| *b == 0).take(if file == "cmdline" { INTERPRETED } else { usize::MAX }).any(test)
    };
    let is_program = |word: &[u8]| word.rsplit(|b| *b == b'/').next() == Some(program.as_bytes());
    let mut groups: Vec<i32> = entries
        .flatten()
        .filter_map(|e| e.file_name().to_str()?.parse::<i32>().ok())
        .filter(|pid| has(pid, "cmdline", &is_program) && has(pid, "environ", &|v| v == variable.as_bytes()))
        .filter_map(|pid| stat(pid).filter(|s| !s.zombie && s.session == leader.pid).map(|s| s.group))
        .collect();
    groups.sort_unstable();
    groups.dedup();
    groups
}

/// The processes that were started with a variable, such as `NAME=value`. None where there is no `/proc`.
pub fn all_with_variable(variable: &str) -> Vec<i32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|e| e.file_name().to_str()?.parse::<i32>().ok());
    let has = |pid: &i32| {
        let bytes = read(*pid, "environ").unwrap_or_default();
        bytes.split(|b| *b == 0).any(|v| v == variable.as_bytes())
    };
    pids.filter(has).collect()
}

/// Ends the groups of all processes that were started with a variable, such as `NAME=value`. Returns the processes that can't be
/// ended, with the system's error.
///
/// One look may miss a process: it has no environment for a moment while it begins another program, and may leave for a group
/// of its own just after its group was read. Two consecutive looks that find none are believed.
pub fn end_all_with_variable(variable: &str) -> Vec<(i32, io::Error)> {
    let mut left: Vec<(i32, io::Error)> = Vec::new();
    let mut is_sure = false;
    let unended = |left: &[(i32, io::Error)]| {
        let mut found = all_with_variable(variable);
        found.retain(|pid| left.iter().all(|(other, _)| other != pid));
        found
    };
    for _ in 0..LOOKS {
        let found = unended(&left);
        if found.is_empty() && is_sure {
            return left;
        }
        is_sure = found.is_empty();
        for pid in found {
            let group = stat(pid).map_or(pid, |s| s.group);
            if let Err(error) = end_group(group) {
                left.push((pid, error));
            }
        }
        SystemClock.pause(if is_sure { MAKE_SURE } else { POLL_INTERVAL });
    }
    let again = unended(&left);
    left.extend(again.into_iter().map(|pid| (pid, io::ErrorKind::TimedOut.into())));
    left
}

/// What a process is called; none when it is gone, or where there is no `/proc`.
pub fn name(pid: i32) -> Option<String> {
    read(pid, "comm").ok().map(|name| String::from_utf8_lossy(&name).trim_end().to_owned())
}

/// The processes that each process has started, but those that ended: one look at all there are.
pub fn families() -> HashMap<i32, Vec<i32>> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|e| e.file_name().to_str()?.parse::<i32>().ok());
    let mut families: HashMap<i32, Vec<i32>> = HashMap::new();
    for pid in pids {
        if let Some(stat) = stat(pid).filter(|s| !s.zombie) {
            families.entry(stat.parent).or_default().push(pid);
        }
    }
    families
}

/// The same, with those that ended and were not collected.
pub fn all_children(parent: i32) -> Vec<i32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|e| e.file_name().to_str()?.parse::<i32>().ok());
    pids.filter(|pid| stat(*pid).is_some_and(|s| s.parent == parent)).collect()
}

/// The files that a process, and those that it started, have open; in no particular order.
pub fn open_files(pid: i32) -> Vec<PathBuf> {
    let mut all = Vec::new();
    let mut at = vec![pid];
    for _ in 0..GENERATIONS {
        for pid in &at {
            let entries = std::fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
            all.extend(entries.filter_map(|e| std::fs::read_link(e.path()).ok()));
        }
        at = at.into_iter().flat_map(started_by).collect();
    }
    all
}

/// The processes that a process started, by the kernel's own list. Empty where there is none.
fn started_by(pid: i32) -> Vec<i32> {
    let threads = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let lists = threads.filter_map(|t| files::read_text(&t.path().join("children"), MAX_BYTES).ok());
    lists.flat_map(|l| l.split_whitespace().filter_map(|p| p.parse().ok()).collect::<Vec<_>>()).collect()
}

/// The processes but this one whose working directory is a folder or below it.
pub fn in_folder(folder: &Path) -> Option<Vec<InFolder>> {
    let own = i32::try_from(std::process::id()).ok()?;
    let entries = std::fs::read_dir("/proc").ok()?.flatten();
    let pids: Vec<i32> = entries.filter_map(|e| e.file_name().to_str()?.parse().ok()).collect();
    // Without it there are no processes to see, not even this one.
    if !pids.contains(&own) {
        return None;
    }
    let is_in = |pid: &i32| {
        *pid != own && std::fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|cwd| cwd.starts_with(folder))
    };
    let one = |pid: i32| {
        if stat(pid)?.zombie {
            return None;
        }
        let word = argv(pid).into_iter().next().unwrap_or_default();
        let program = word.rsplit('/').next().unwrap_or_default().to_owned();
        let mut ancestors = Vec::new();
        let mut at = pid;
        while let Some(parent) = stat(at).map(|s| s.parent).filter(|p| *p > 1 && !ancestors.contains(p)) {
            ancestors.push(parent);
            at = parent;
        }
        Some(InFolder { pid, program, ancestors })
    };
    Some(pids.into_iter().filter(is_in).filter_map(one).collect())
}

/// The processes of a group, but those that ended.
pub fn members(group: i32) -> Vec<i32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|e| e.file_name().to_str()?.parse::<i32>().ok());
    pids.filter(|pid| stat(*pid).is_some_and(|s| s.group == group && !s.zombie)).collect()
}

/// The memory of all processes of a group, in KiB, with each one's share of what it has in common with others; none where the
/// system doesn't say.
pub fn memory_of_group(group: i32) -> Option<u64> {
    let of = |pid: i32| {
        let text = files::read_text(Path::new(&format!("/proc/{pid}/smaps_rollup")), MAX_BYTES).ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix("Pss:"))?;
        line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()
    };
    members(group).into_iter().filter_map(of).reduce(|a, b| a + b)
}

/// A process's command line; empty when there is none.
pub fn argv(pid: i32) -> Vec<String> {
    let bytes = read(pid, "cmdline").unwrap_or_default();
    let words = bytes.split(|b| *b == 0).map(|w| String::from_utf8_lossy(w).into_owned());
    let mut words: Vec<String> = words.collect();
    // The last word ends in a zero byte too.
    if words.last().is_some_and(String::is_empty) {
        words.pop();
    }
    words
}

/// A variable of the environment that a process was started with.
pub fn variable(pid: i32, name: &str) -> Option<String> {
    let bytes = read(pid, "environ").ok()?;
    let mut all = bytes.split(|b| *b == 0).filter_map(|v| std::str::from_utf8(v).ok());
    all.find_map(|v| v.strip_prefix(name)?.strip_prefix('=')).map(str::to_owned)
}

/// The environment that a process was started with, as far as it is text; none if it can't be read.
pub fn environment(pid: i32) -> Option<Vec<(String, String)>> {
    let bytes = read(pid, "environ").ok()?;
    let all = bytes.split(|b| *b == 0).filter_map(|v| std::str::from_utf8(v).ok());
    Some(all.filter_map(|v| v.split_once('=')).map(|(k, v)| (k.to_owned(), v.to_owned())).collect())
}

/// Whether a live process runs `program`: by its name, or as what an interpreter runs.
pub fn runs(pid: i32, program: &str) -> bool {
    lives(pid) && names(&argv(pid), program)
}

/// Whether a command line runs `program`: `PROGRAM …`, `node --flag /path/to/PROGRAM …`.
pub fn names(argv: &[String], program: &str) -> bool {
    argv.iter().take(INTERPRETED).any(|word| word.rsplit('/').next() == Some(program))
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
#[expect(clippy::disallowed_methods, reason = "processes send no notice when they end, so they are polled")]
pub fn end_group(group: i32) -> io::Result<()> {
    if group <= 1 {
        return Ok(());
    }
    for signal in [Signal::SIGHUP, Signal::SIGTERM] {
        signal_group(group, signal)?;
    }
    for last in [false, true] {
        let begun = Instant::now();
        while begun.elapsed() < TIMEOUT {
            if !group_lives(group) {
                return Ok(());
            }
            std::thread::sleep(POLL_INTERVAL);
        }
        if !last {
            signal_group(group, Signal::SIGKILL)?;
        }
    }
    Err(io::Error::new(io::ErrorKind::TimedOut, format!("process group {group} survived SIGKILL")))
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
        let line = "42 (a) b) c) S 1 42 43 34816 77 4194304 1 2 3 4 5 6 7 8 20 0 1 0 120901 1 1";
        let want = Stat {
            zombie: false,
            stopped: false,
            parent: 1,
            group: 42,
            session: 43,
            foreground: 77,
            start: 120_901,
        };
        assert_eq!(parse_stat(line), Some(want));
        let state = |letter: &str| parse_stat(&line.replacen(") S ", &format!(") {letter} "), 1)).unwrap();
        assert!(state("T").stopped && state("t").stopped && !state("D").stopped);
        assert!(state("Z").zombie && state("X").zombie && !state("D").zombie);
        assert_eq!(parse_stat("42 (x"), None);
    }

    #[test]
    fn ignored_signals_are_bits_of_a_mask() {
        let status = "Name:\tdeck\nSigBlk:\tffffffffffffffff\nSigIgn:\t0000000000001001\n";
        assert_eq!([1, 2, 13, 15].map(|s| is_ignored(status, s)), [true, false, true, false]);
        assert!(!is_ignored("", 1) && !is_ignored("SigIgn:\tx\n", 1) && !is_ignored(status, 0));
    }

    #[test]
    fn all_groups_that_were_started_with_a_variable_are_ended() {
        use std::os::unix::process::CommandExt as _;
        let value = uuid::Uuid::new_v4().to_string();
        let variable = format!("DECK_TEST_OF_GROUPS={value}");
        assert!(end_all_with_variable(&variable).is_empty());
        let mut command = super::super::spawn::command("sh");
        // The second of the two groups is there once it has said so.
        command
            .args(["-c", "setsid sh -c 'echo up; sleep 1000; :' & wait"])
            .env("DECK_TEST_OF_GROUPS", &value);
        command.process_group(0).stdin(std::process::Stdio::null()).stdout(std::process::Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut said = [0; 3];
        io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut said).unwrap();
        let group = |pid: &i32| stat(*pid).map(|s| s.group);
        let groups: std::collections::BTreeSet<_> =
            all_with_variable(&variable).iter().filter_map(group).collect();
        assert!(groups.len() >= 2, "{groups:?}");
        assert!(end_all_with_variable(&variable).is_empty());
        assert_eq!(all_with_variable(&variable), [0; 0]);
        assert!(groups.iter().all(|group| !group_lives(*group)));
        child.wait().unwrap();
    }

    #[test]
    fn the_impossible_groups_are_never_signalled() {
        for group in [-1, 0, 1] {
            assert!(end_group(group).is_ok());
            assert!(!group_lives(group));
        }
    }
}
