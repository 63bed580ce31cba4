//! Headless shells and jobs, with the real program and a real bash.

mod checkpoints;
mod crash;
mod ended;
mod exec;
mod jobs;
mod many;
mod private;
mod repl;
mod sh;
mod state;
mod troubles;
mod wrapped;

use std::collections::BTreeSet;
use std::process::Child;

use serde_json::Value;

use crate::support::{Answer, Sandbox, wait_until};

/// A python3 shell of this name that ran something and whose process is gone.
pub fn lost(s: &Sandbox, name: &str) {
    s.deck(&["shell", "start", "--name", name, "python3"]).ok();
    s.deck(&["shell", "exec", name, "n = 1"]).ok();
    kill(repl::interpreter(s, name), nix::sys::signal::Signal::SIGKILL);
    wait_until("its process is gone", || {
        let told = s.deck(&["--json", "shell", "show", name]).ok();
        if told.contains("\"lost\"") { Ok(()) } else { Err(told) }
    });
}

/// A sandbox with one shell, `api`.
pub fn world() -> Sandbox {
    let s = Sandbox::new();
    s.deck(&["shell", "start", "--name", "api"]).ok();
    s
}

/// Runs code in the shell `api`.
pub fn run(s: &Sandbox, code: &str) -> Answer {
    s.deck(&["shell", "exec", "api", code])
}

/// The same, with its answer in JSON.
#[track_caller]
pub fn json(s: &Sandbox, code: &str) -> Value {
    serde_json::from_str(&s.deck(&["--json", "shell", "exec", "api", code]).ok()).unwrap()
}

/// The record of a job of the shell `api`.
#[track_caller]
pub fn job(s: &Sandbox, seq: u64) -> Value {
    let text = s.deck(&["--json", "job", "show", &format!("api/{seq}")]).ok();
    serde_json::from_str(&text).unwrap()
}

/// The folder of the shell `api`.
pub fn folder(s: &Sandbox) -> std::path::PathBuf {
    let text = s.deck(&["--json", "shell", "show", "api"]).ok();
    let shell: Value = serde_json::from_str(&text).unwrap();
    shell["folder"].as_str().unwrap().into()
}

/// The sandbox's processes: those whose environment or command line names its folder.
pub fn processes(s: &Sandbox) -> BTreeSet<i32> {
    let mark = s.path("").to_str().unwrap().trim_end_matches('/').as_bytes().to_vec();
    let has = |pid: i32, file: &str| {
        let bytes = std::fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
        bytes.windows(mark.len()).any(|w| w == mark)
    };
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    let pids = all.filter_map(|e| e.file_name().to_str()?.parse::<i32>().ok());
    pids.filter(|pid| has(*pid, "environ") || has(*pid, "cmdline")).collect()
}

/// A process's state, as one letter.
pub fn process_state(pid: i32) -> Option<char> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(") ")?.1.chars().next()
}

/// Whether a process of this sandbox has this thread.
pub fn has_thread(s: &Sandbox, name: &str) -> Result<(), String> {
    let mark = s.path("deck").to_str().unwrap().as_bytes().to_vec();
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    let found =
        all.filter(|e| {
            let environ = std::fs::read(e.path().join("environ")).unwrap_or_default();
            environ.windows(mark.len()).any(|w| w == mark)
                && std::fs::read_dir(e.path().join("task")).into_iter().flatten().flatten().any(|t| {
                    std::fs::read_to_string(t.path().join("comm")).unwrap_or_default().trim() == name
                })
        });
    if found.count() > 0 { Ok(()) } else { Err(format!("no thread {name}")) }
}

pub fn kill(pid: i32, signal: nix::sys::signal::Signal) {
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), signal).unwrap();
}

/// A process of the sandbox that has stopped itself.
#[track_caller]
pub fn stopped(s: &Sandbox) -> i32 {
    let mut found = None;
    wait_until("a process has stopped", || {
        found = processes(s).into_iter().find(|pid| process_state(*pid) == Some('T'));
        found.map(|_| ()).ok_or_else(|| format!("{:?}", processes(s)))
    });
    found.unwrap()
}

/// Starts a command without waiting for it; it stops at a step, if one is named.
pub fn begin(s: &Sandbox, args: &[&str], stop_at: &str) -> Child {
    let mut command = s.command(env!("CARGO_BIN_EXE_deck"));
    command.args(args).env("DECK_STOP_AT", stop_at);
    command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).spawn().unwrap()
}

/// Nothing of the sandbox runs any more.
#[track_caller]
pub fn nothing_runs(s: &Sandbox) {
    wait_until("nothing runs", || {
        let left = processes(s);
        let commands: Vec<String> = left
            .iter()
            .map(|pid| {
                std::fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default().replace('\0', " ")
            })
            .collect();
        if left.is_empty() { Ok(()) } else { Err(format!("{commands:?}")) }
    });
}

/// Nothing was written where the code ran.
#[track_caller]
pub fn workspace_is_untouched(s: &Sandbox) {
    assert_eq!(std::fs::read_dir(s.path("proj")).unwrap().count(), 0, "something is in the workspace");
}
