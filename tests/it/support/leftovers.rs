//! The end of a sandbox: every process that still belongs to it is killed.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::wait_until;

/// The processes that a sandbox may have started: those with an id that was given after it was made.
#[derive(Clone, Copy)]
pub struct Started {
    after: i32,
    /// How many processes and threads the machine had started by then.
    count: u64,
}

/// After so many starts ids may have been given again, and any process may be the sandbox's. The usual kernel has 32,768 ids.
const ONCE_AROUND: u64 = 20_000;

impl Started {
    /// From now on.
    pub fn now() -> Self {
        Self { after: last_pid(), count: starts() }
    }

    /// Ends what is left of a sandbox: the processes whose command line or environment names its folder, tmux servers
    /// among them. A process that is just being started may not be seen: two consecutive looks that find none are believed.
    pub fn end(self, folder: &Path) {
        let mut empty = 0;
        wait_until("all of the sandbox's processes are gone", || match self.kill_seen(folder) {
            0 if empty == 1 => Ok(()),
            0 => {
                empty = 1;
                Err("one look found none".to_owned())
            }
            left => {
                empty = 0;
                Err(format!("{left} were left"))
            }
        });
    }

    /// Kills the processes that are seen now. Returns how many those were.
    fn kill_seen(self, folder: &Path) -> usize {
        let mark = folder.as_os_str().as_bytes();
        // Ids begin at the lowest again after the highest.
        let began_again = last_pid() < self.after || starts().saturating_sub(self.count) > ONCE_AROUND;
        let after = if began_again { 0 } else { self.after };
        let mut seen = 0;
        for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
            let pid = entry.file_name().to_str().and_then(|n| n.parse::<i32>().ok());
            let Some(pid) = pid.filter(|pid| *pid > after) else { continue };
            let names = |file: &str| {
                let bytes = fs::read(entry.path().join(file)).unwrap_or_default();
                bytes.windows(mark.len()).any(|w| w == mark)
            };
            // Nearly all of them have it in their environment, so that is read first.
            if names("environ") || names("cmdline") {
                seen += 1;
                // It may have ended meanwhile.
                let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
            }
        }
        seen
    }
}

/// The id of the process that was started last on this machine: the last word of `/proc/loadavg`, see `proc(5)`.
fn last_pid() -> i32 {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split_whitespace().next_back().and_then(|word| word.parse().ok()).unwrap_or_default()
}

/// How many processes and threads were started since the machine was: the line `processes` of `/proc/stat`.
fn starts() -> u64 {
    let text = fs::read_to_string("/proc/stat").unwrap_or_default();
    text.lines().find_map(|l| l.strip_prefix("processes ")).and_then(|n| n.parse().ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::Sandbox;

    fn lives(pid: i32) -> bool {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        !stat.is_empty() && !stat.contains(") Z ") && !stat.contains(") X ")
    }

    #[test]
    fn whatever_a_test_leaves_behind_is_ended_with_its_sandbox() {
        let s = Sandbox::new();
        s.agent("claude");
        s.deck(&["add", &s.project("p"), "-t", "api", "-c", "claude"]).ok();
        let mut agent = 0;
        wait_until("the agent runs", || match s.session("api")["tmux"]["pid"].as_i64() {
            Some(pid) => {
                agent = pid;
                Ok(())
            }
            None => Err("no pid".to_owned()),
        });
        // One in a session of its own, one without an environment that is known by its command line alone.
        let named = s.path("tmp/named");
        let line = "setsid sleep 1000 >/dev/null 2>&1 & echo $!
             env -i setsid sh -c 'while :; do sleep 1000; done' \"$0\" >/dev/null 2>&1 & echo $!";
        let mut command = s.command("sh");
        command.args(["-c", line, named.to_str().unwrap()]);
        let output = command.output().unwrap();
        let mut pids: Vec<i32> =
            String::from_utf8(output.stdout).unwrap().lines().map(|l| l.parse().unwrap()).collect();
        pids.push(agent.try_into().unwrap());
        assert_eq!(pids.len(), 3);
        wait_until("all of them live", || match pids.iter().filter(|pid| lives(**pid)).count() {
            3 => Ok(()),
            n => Err(format!("{n} of {pids:?}")),
        });
        drop(s);
        wait_until("none of them lives", || match pids.iter().filter(|pid| lives(**pid)).count() {
            0 => Ok(()),
            n => Err(format!("{n} of {pids:?}")),
        });
    }
}
