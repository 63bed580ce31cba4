//! What becomes of shells that were ended, and of those that run one command.

use serde_json::Value;

use super::{job, json, nothing_runs, run, world};
use crate::support::{Sandbox, wait_until};

fn shells(s: &Sandbox, all: bool) -> Vec<Value> {
    let mut args = vec!["--json", "shell", "list"];
    args.extend(all.then_some("--all"));
    serde_json::from_str(&s.deck(&args).ok()).unwrap()
}

#[test]
fn an_ended_shell_comes_back_with_its_state_and_its_jobs() {
    let s = world();
    run(&s, "x=5; cd /tmp").ok();
    s.deck(&["shell", "end", "api"]).ok();
    assert!(run(&s, "true").fails(3).contains("`deck undo api` brings it back"));
    assert_eq!(s.deck(&["undo"]).ok(), "restored shell api\n");
    assert_eq!(run(&s, "echo $x in $PWD").ok(), "5 in /tmp\n");
    assert_eq!(job(&s, 1)["status"], "completed");
    // What was done last is undone first.
    s.deck(&["shell", "end", "api"]).ok();
    s.deck(&["add", &s.project("p"), "-t", "web", "-c", "sh", "--no-start"]).ok();
    s.deck(&["rm", "web"]).ok();
    assert_eq!(s.deck(&["undo"]).ok(), "restored web\n");
    assert_eq!(s.deck(&["undo", "api"]).ok(), "restored shell api\n");
    // Another one has its name by now.
    s.deck(&["shell", "end", "api"]).ok();
    s.deck(&["shell", "start", "--name", "api"]).ok();
    assert!(s.deck(&["undo", "api"]).fails(2).contains("already exists"));
}

#[test]
fn a_command_alone_ends_no_shell_and_leaves_none() {
    let s = world();
    for n in 1..10 {
        s.deck(&["shell", "start", "--name", &format!("s{n}")]).ok();
    }
    assert_eq!(s.deck(&["shell", "exec", "--once", "echo hi"]).ok(), "hi\n");
    assert_eq!(shells(&s, false).len(), 10);
    // What runs on is followed by its job; its shell is ended with it.
    let id = s.deck(&["shell", "exec", "--once", "sleep 600", "--background"]).ok();
    assert_eq!(shells(&s, false).len(), 11);
    s.deck(&["job", "kill", id.trim()]).ok();
    wait_until("its shell is ended", || match shells(&s, false).len() {
        10 => Ok(()),
        n => Err(format!("{n} shells")),
    });
    s.deck(&["job", "output", id.trim()]).ok();
    nothing_runs(&s);
}

#[test]
fn variables_for_one_command_are_on_no_command_line() {
    let s = world();
    let code = "tr '\\0' ' ' < /proc/$$/cmdline; env | grep -c __deck";
    let args = ["--json", "shell", "exec", "api", code, "--env", "TOKEN=hunter2", "--env", "B=x y"];
    let answer: Value = serde_json::from_str(&s.deck(&args).ok()).unwrap();
    let text = answer["stdout"].as_str().unwrap();
    assert!(!text.contains("hunter2") && text.ends_with("\n0\n") || text.trim_end().ends_with('0'), "{text}");
    assert!(!text.contains("hunter2"), "{text}");
    let args = ["shell", "exec", "api", "echo \"$TOKEN-$B\"", "--env", "TOKEN=hunter2", "--env", "B=x y"];
    assert_eq!(s.deck(&args).ok(), "hunter2-x y\n");
    assert_eq!(json(&s, "echo \"<$TOKEN>\"")["stdout"], "<>\n");
}

#[test]
fn a_signal_that_the_code_caught_is_no_kill() {
    let s = world();
    let code = "trap 'got=1' TERM; echo up; until [ -n \"$got\" ]; do sleep 0.02; done; true";
    s.deck(&["shell", "exec", "api", code, "--background"]).ok();
    s.deck(&["job", "wait", "api/1", "--for", "up"]).ok();
    s.deck(&["job", "kill", "api/1", "--signal", "TERM"]).ok();
    s.deck(&["job", "wait", "api/1", "--all"]).ok();
    let record = job(&s, 1);
    assert_eq!((&record["status"], &record["exit_code"]), (&"completed".into(), &0.into()));
}

#[test]
fn the_history_keeps_jobs_whose_records_were_removed() {
    let s = world();
    let kept = "a".repeat(3000);
    run(&s, &format!(": {kept}")).ok();
    s.deck(&["job", "prune", "api"]).ok();
    let all: Vec<Value> = serde_json::from_str(&s.deck(&["--json", "shell", "history", "api"]).ok()).unwrap();
    assert_eq!(all.len(), 1);
    assert_eq!(all[0]["code"].as_str().unwrap().len(), 1024, "of long code the beginning");
}

#[test]
fn a_job_within_a_job_is_recorded_as_killed_with_it() {
    let s = world();
    let inner = format!(
        "{} job run -- sh -c 'trap : TERM USR2; echo inner; while :; do sleep 0.02; done'",
        env!("CARGO_BIN_EXE_deck")
    );
    s.deck(&["shell", "exec", "api", &inner, "--background"]).ok();
    wait_until("the inner one is recorded", || {
        let text = s.deck(&["--json", "job", "list", "api"]).ok();
        let jobs: Vec<Value> = serde_json::from_str(&text).unwrap();
        if jobs.len() == 2 { Ok(()) } else { Err(text) }
    });
    s.deck(&["job", "wait", "api/2", "--for", "inner"]).ok();
    // A named signal is for what runs, not for the process that records it.
    s.deck(&["job", "kill", "api/1", "--signal", "USR2"]).ok();
    s.deck(&["job", "kill", "api/1"]).ok();
    wait_until("both are recorded", || {
        let both = [job(&s, 1)["status"].clone(), job(&s, 2)["status"].clone()];
        if both.iter().all(|status| status == "killed") { Ok(()) } else { Err(format!("{both:?}")) }
    });
    nothing_runs(&s);
}
