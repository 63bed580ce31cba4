//! Slow readers, records that can't be written, and what is said then.

use std::process::{Child, Stdio};

use serde_json::Value;

use super::{folder, job, nothing_runs, run, world};
use crate::support::{Sandbox, wait_until};

/// A command whose output is read by nobody, or late.
fn unread(s: &Sandbox, args: &[&str]) -> Child {
    let mut command = s.command(env!("CARGO_BIN_EXE_deck"));
    command.args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// The record of the first job, once there is one.
fn record(s: &Sandbox) -> Value {
    let text = std::fs::read(folder(s).join("jobs/1/job.json")).unwrap_or_default();
    serde_json::from_slice(&text).unwrap_or_default()
}

#[test]
fn a_reader_that_stops_reading_holds_no_job_up() {
    let s = world();
    // Its output is never read.
    let mut asker = unread(&s, &["shell", "exec", "api", "yes", "--timeout", "1s"]);
    wait_until("it runs on in the background", || match record(&s) {
        record if record["background"] == true => Ok(()),
        record => Err(record.to_string()),
    });
    let before = job(&s, 1)["stdout"]["total"].as_u64();
    wait_until("it goes on printing", || match job(&s, 1)["stdout"]["total"].as_u64() {
        now if now > before => Ok(()),
        now => Err(format!("{now:?}")),
    });
    assert!(s.deck(&["job", "kill", "api/1"]).ok().contains("killed"));
    assert_eq!(job(&s, 1)["status"], "killed");
    asker.kill().unwrap();
    asker.wait().unwrap();
    nothing_runs(&s);
}

#[test]
fn a_reader_that_stops_reading_keeps_nobody_from_the_shell() {
    let s = world();
    let mut asker = unread(&s, &["shell", "exec", "api", "head -c 900000 /dev/zero"]);
    wait_until("it has ended", || match record(&s) {
        record if record["status"] == "completed" => Ok(()),
        record => Err(record.to_string()),
    });
    assert_eq!(run(&s, "echo next").ok(), "next\n");
    s.deck(&["shell", "end", "api", "--now"]).ok();
    asker.kill().unwrap();
    asker.wait().unwrap();
    nothing_runs(&s);
}

#[test]
fn an_end_that_cant_be_recorded_is_told_to_who_waits_for_it() {
    let s = world();
    let code = ": > ~/began; until [ -e ~/go ]; do sleep 0.02; done; exit 3";
    let mut asker = unread(&s, &["shell", "exec", "api", code]);
    wait_until("it runs", || if s.path("home/began").exists() { Ok(()) } else { Err(String::new()) });
    // The code may run before its process is recorded.
    wait_until("its process is recorded", || match job(&s, 1) {
        job if job["pid"].is_i64() => Ok(()),
        job => Err(job.to_string()),
    });
    // Nothing can be put in the place of a folder.
    let record = folder(&s).join("jobs/1/job.json");
    std::fs::remove_file(&record).unwrap();
    std::fs::create_dir(&record).unwrap();
    std::fs::write(s.path("home/go"), "").unwrap();
    let output = {
        use std::io::Read;
        let mut text = String::new();
        asker.stderr.take().unwrap().read_to_string(&mut text).unwrap();
        text
    };
    assert_eq!(asker.wait().unwrap().code(), Some(125));
    assert!(output.contains("it ran and ended with 3, but that can't be recorded"), "{output}");
    std::fs::remove_dir(&record).unwrap();
    assert_eq!(run(&s, "echo next").ok(), "next\n");
    nothing_runs(&s);
}

#[test]
fn what_is_not_kept_is_said() {
    let s = world();
    s.deck(&["shell", "exec", "api", "head -c 3000000 /dev/zero", "--background"]).ok();
    s.deck(&["job", "wait", "api/1", "--all"]).ok();
    let part = s.deck(&["job", "output", "api/1", "--since", "100000,0"]);
    let note = part.stderr();
    assert!(note.contains("bytes of stdout are not kept, from 100000 on"), "{note}");
}

#[test]
fn one_offset_stands_for_both_streams() {
    let s = world();
    s.deck(&["shell", "exec", "api", "echo 0123456789; echo ready", "--background"]).ok();
    s.deck(&["job", "wait", "api/1"]).ok();
    // stderr has none of these bytes.
    assert_eq!(s.deck(&["job", "wait", "api/1", "--for", "ready", "--since", "11"]).ok(), "ready\n");
    s.deck(&["job", "wait", "api/1", "--for", "ready", "--since", "17"]).fails(1);
    s.deck(&["job", "wait", "api/1", "--for", "ready", "--since", "99"]).fails(2);
    s.deck(&["job", "wait", "api/1", "--for", "ready", "--since", "0,99"]).fails(2);
}
