//! Whoever is killed, at whichever step: every record is right afterwards, and the next command works.

use nix::sys::signal::Signal;
use serde_json::Value;

use super::{
    begin, job, json, kill, nothing_runs, process_state, processes, stopped, workspace_is_untouched, world,
};
use crate::support::{Sandbox, wait_until};

/// The steps of a supervisor, with what the record says when it is killed there, and what the code's `x=2` became.
const SUPERVISOR: &[(&str, &str, &str)] = &[
    ("began", "cancelled", "1"),
    ("turn", "cancelled", "1"),
    ("intent", "orphaned", "1"),
    ("spawned", "orphaned", "1"),
    ("running", "orphaned", "1"),
    ("ended", "orphaned", "1"),
    ("state", "orphaned", "1"),
    ("published", "orphaned", "2"),
    ("final", "completed", "2"),
];

const EXEC: &[&str] = &["shell", "exec", "api", "x=2; echo hi"];

/// A shell with `x=1`, and an exec of `x=2` that has stopped at a step: the one who asks, and the one who stopped.
fn at(step: &str) -> (Sandbox, std::process::Child, i32) {
    let s = world();
    super::run(&s, "x=1").ok();
    let asker = begin(&s, EXEC, step);
    let pid = stopped(&s);
    (s, asker, pid)
}

/// The record of a job once it has one of these statuses. The kernel closes the sockets of a supervisor that was killed, and
/// may give its lock back only after that: until then the job counts as one that runs.
#[track_caller]
fn becomes(s: &Sandbox, step: &str, seq: u64, want: &[&str]) -> Value {
    let mut record = Value::Null;
    wait_until(&format!("{step}: job {seq} is {want:?}"), || {
        record = job(s, seq);
        if want.contains(&record["status"].as_str().unwrap()) { Ok(()) } else { Err(record.to_string()) }
    });
    record
}

/// What every crash must leave: a record with this status, and a shell that works.
#[track_caller]
fn holds(s: &Sandbox, step: &str, status: &[&str], x: &[&str]) {
    let record = becomes(s, step, 2, status);
    if record["status"] == "orphaned" || record["status"] == "cancelled" {
        assert!(record["exit_code"].is_null() && record["reason"].is_string(), "{step}: {record}");
    }
    let next = json(s, "echo $x");
    let seen = next["stdout"].as_str().unwrap().trim();
    assert!(x.contains(&seen), "{step}: x is {seen}");
    assert_eq!(next["state"], "kept", "{step}");
    nothing_runs(s);
    workspace_is_untouched(s);
}

#[test]
fn a_supervisor_that_is_killed_at_any_step() {
    for (step, status, x) in SUPERVISOR {
        let (s, mut asker, supervisor) = at(step);
        kill(supervisor, Signal::SIGKILL);
        let code = asker.wait().unwrap();
        assert!(!code.success() || *status == "completed", "{step}: who asked is told that it went well");
        holds(&s, step, &[status], &[x]);
    }
}

#[test]
fn an_asker_that_is_killed_at_any_step() {
    // It may be gone before its supervisor knows what to run; after that its end changes nothing.
    for (step, status, x) in [
        ("recorded-by-asker", "cancelled", "1"),
        ("started-by-asker", "cancelled", "1"),
        ("began", "completed", "2"),
        ("intent", "completed", "2"),
        ("spawned", "completed", "2"),
        ("running", "completed", "2"),
        ("ended", "completed", "2"),
        ("published", "completed", "2"),
        ("final", "completed", "2"),
    ] {
        let (s, mut asker, stopped) = at(step);
        // It has sent its request before the supervisor can have stopped for good.
        if step == "began" {
            wait_until("the asker waits for an answer", || {
                let wchan = process_state(i32::try_from(asker.id()).unwrap());
                if wchan == Some('S') { Ok(()) } else { Err(format!("{wchan:?}")) }
            });
        }
        asker.kill().unwrap();
        asker.wait().unwrap();
        if process_state(stopped) == Some('T') {
            kill(stopped, Signal::SIGCONT);
        }
        wait_until("it has an end", || {
            let record = job(&s, 2);
            if record["completed_at"].is_string() || record["status"] == "cancelled" {
                Ok(())
            } else {
                Err(record.to_string())
            }
        });
        nothing_runs(&s);
        holds(&s, step, &[status], &[x]);
    }
}

#[test]
fn a_leader_that_is_killed_at_any_step() {
    for step in ["spawned", "running"] {
        let s = world();
        super::run(&s, "x=1").ok();
        let mut asker = begin(&s, &["shell", "exec", "api", "x=2; read -r _ < <(sleep 600)"], step);
        let supervisor = stopped(&s);
        let leader = children(supervisor);
        assert_eq!(leader.len(), 1, "{step}");
        kill(leader[0], Signal::SIGKILL);
        kill(supervisor, Signal::SIGCONT);
        let code = asker.wait().unwrap().code();
        assert_eq!(code, Some(137), "{step}");
        let record = job(&s, 2);
        assert_eq!((&record["signal"], &record["state"]), (&"KILL".into(), &"unchanged".into()), "{record}");
        s.deck(&["job", "kill", "api/2"]).ok();
        holds(&s, step, &["failed"], &["1"]);
    }
}

#[test]
fn a_supervisor_killed_while_its_job_drains_leaves_the_code_that_is_known() {
    let s = world();
    super::run(&s, "x=1").ok();
    let code = "x=2; sleep 600 & until grep -qx sleep /proc/$!/comm; do :; done; exit 3";
    let mut asker = begin(&s, &["shell", "exec", "api", code], "recorded");
    let supervisor = stopped(&s);
    kill(supervisor, Signal::SIGKILL);
    asker.wait().unwrap();
    let record = becomes(&s, "recorded", 2, &["orphaned"]);
    assert_eq!(record["exit_code"], 3);
    assert!(record["children"][0]["command"].as_str().unwrap().contains("sleep 600"), "{record}");
    let doctor = s.deck(&["doctor"]).stdout();
    let line = doctor.lines().find(|l| l.contains("shells")).unwrap_or_default();
    let job_id = record["job_id"].as_str().unwrap();
    assert!(line.starts_with("WARN") && line.contains(job_id), "{doctor}");
    // What it left is known by its id and its start, and ended by that.
    let text = s.deck(&["job", "kill", "api/2"]).ok();
    assert!(text.contains("orphaned"), "{text}");
    assert!(!s.deck(&["doctor"]).stdout().contains(job_id), "nothing of it runs any more");
    assert_eq!(json(&s, "echo $x")["stdout"], "2\n");
    nothing_runs(&s);
}

#[test]
fn after_a_restart_of_the_machine_nothing_is_signalled() {
    let s = world();
    let mut asker = begin(&s, &["shell", "exec", "api", "exec sleep 600"], "running");
    let supervisor = stopped(&s);
    let leader = children(supervisor)[0];
    kill(supervisor, Signal::SIGKILL);
    asker.wait().unwrap();
    let path = super::folder(&s).join("jobs/1/job.json");
    let mut record: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    record["boot_id"] = "another".into();
    std::fs::write(&path, record.to_string()).unwrap();
    let shown = becomes(&s, "running", 1, &["orphaned"]);
    assert_eq!(shown["children"], serde_json::json!([]));
    assert_eq!(shown["reason"], "the machine was restarted");
    assert!(s.deck(&["job", "kill", "api/1"]).ok().contains("already orphaned"));
    assert!(process_state(leader).is_some_and(|c| c != 'Z'), "a process of another boot was signalled");
    kill(leader, Signal::SIGKILL);
    nothing_runs(&s);
}

/// The processes that a process has started.
fn children(of: i32) -> Vec<i32> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|n| n.parse::<i32>().ok()) else { continue };
        let stat = std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        let parent = stat.rsplit_once(") ").and_then(|(_, rest)| rest.split(' ').nth(1)?.parse::<i32>().ok());
        if parent == Some(of) {
            found.push(pid);
        }
    }
    found
}

#[test]
fn nothing_lives_between_two_commands() {
    let s = world();
    super::run(&s, "x=1").ok();
    nothing_runs(&s);
    assert!(processes(&s).is_empty());
}

#[test]
fn an_asker_that_is_killed_while_it_records_blocks_no_later_command() {
    let (s, mut asker, _) = at("code-by-asker");
    asker.kill().unwrap();
    asker.wait().unwrap();
    assert_eq!(json(&s, "echo $x")["stdout"], "1\n");
    s.deck(&["shell", "end", "api"]).ok();
    nothing_runs(&s);
}

#[test]
fn a_damaged_record_of_a_job_blocks_and_hides_nothing() {
    let (s, mut asker, supervisor) = at("running");
    kill(supervisor, Signal::SIGKILL);
    asker.wait().unwrap();
    std::fs::write(super::folder(&s).join("jobs/2/job.json"), "").unwrap();
    let record = becomes(&s, "running", 2, &["orphaned"]);
    assert_eq!(record["reason"], "its record is damaged");
    assert_eq!(record["code"], "x=2; echo hi");
    assert!(s.deck(&["shell", "list"]).ok().contains("api"));
    assert_eq!(json(&s, "echo $x")["stdout"], "1\n");
    s.deck(&["job", "prune", "api"]).ok();
    s.deck(&["shell", "end", "api", "--now"]).ok();
    nothing_runs(&s);
}
