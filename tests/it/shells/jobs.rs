//! Jobs: what outlives the code, what ends them, and how much of their output is kept.

use serde_json::Value;

use super::{begin, has_thread, job, json, nothing_runs, processes, run, stopped, world};
use crate::support::{Sandbox, wait_until};

fn value(s: &Sandbox, args: &[&str]) -> Value {
    serde_json::from_str(&s.deck(args).ok()).unwrap()
}

#[test]
fn a_child_that_lives_on_does_not_hold_the_answer_up() {
    let s = world();
    // The child is the program that it is to be by the time that this ends.
    let answer = json(&s, "sleep 600 & until grep -qx sleep /proc/$!/comm; do :; done; echo hi");
    assert_eq!((&answer["stdout"], &answer["status"]), (&"hi\n".into(), &"draining".into()));
    assert_eq!((&answer["exit_code"], &answer["state"]), (&0.into(), &"kept".into()));
    assert!(answer["children"][0]["command"].as_str().unwrap().contains("sleep 600"), "{answer}");
    assert_eq!(
        value(&s, &["--json", "job", "list", "api", "--status", "draining"]).as_array().unwrap().len(),
        1
    );
    s.deck(&["job", "kill", "api/1"]).ok();
    let record = job(&s, 1);
    assert_eq!((&record["status"], &record["exit_code"]), (&"completed".into(), &0.into()));
    assert_eq!(record["reason"], "ended 1 process that outlived it");
    nothing_runs(&s);
}

#[test]
fn the_output_of_a_daemon_is_in_the_record_and_killing_leaves_nothing() {
    let s = world();
    let daemon = "(setsid bash -c '(until test -e ~/go; do sleep 0.02; done; echo late; exec sleep 600) &' &) ; \
                  (setsid bash -c '(exec >&- 2>&-; exec sleep 601) &' &); echo first; exit 3";
    let answer = json(&s, daemon);
    assert_eq!((&answer["stdout"], &answer["exit_code"]), (&"first\n".into(), &3.into()));
    assert_eq!(answer["status"], "draining");
    s.shell("touch ~/go", None).ok();
    let text = s.deck(&["job", "wait", "api/1", "--for", "^late$", "--timeout", "60s"]).ok();
    assert_eq!(text, "late\n");
    assert_eq!(s.deck(&["job", "output", "api/1"]).ok(), "first\nlate\n");
    wait_until("both daemons sleep", || {
        let left = job(&s, 1);
        let sleeping = processes(&s).len();
        if sleeping >= 3 { Ok(()) } else { Err(left.to_string()) }
    });
    s.deck(&["job", "kill", "api/1"]).ok();
    assert_eq!(job(&s, 1)["status"], "failed");
    nothing_runs(&s);
}

#[test]
fn a_killed_job_is_killed_and_a_finished_one_stays_as_it_was() {
    let s = world();
    let id = s
        .deck(&[
            "shell",
            "exec",
            "api",
            "trap 'echo stopped; exit 9' TERM; echo up; while :; do sleep 0.02; done",
            "--background",
        ])
        .ok();
    assert_eq!(s.deck(&["job", "wait", id.trim(), "--for", "up"]).ok(), "up\n");
    s.deck(&["shell", "end", "api"]).fails(6);
    assert!(s.deck(&["job", "kill", "api/1"]).ok().contains("killed"));
    let record = job(&s, 1);
    assert_eq!(
        (&record["status"], &record["exit_code"], &record["background"]),
        (&"killed".into(), &9.into(), &true.into())
    );
    let again = s.deck(&["job", "kill", "api/1"]).ok();
    assert!(again.contains("already killed with exit code 9"), "{again}");
    s.deck(&["job", "kill", "api/1", "--signal", "NOPE"]).fails(2);
    s.deck(&["job", "kill", "api/9"]).fails(3);
    // A stopped process ends, too.
    s.deck(&["shell", "exec", "api", "echo up; kill -STOP $$; echo never", "--background"]).ok();
    s.deck(&["job", "wait", "api/2", "--for", "up"]).ok();
    stopped(&s);
    s.deck(&["job", "kill", "api/2"]).ok();
    assert_eq!(job(&s, 2)["signal"], "KILL");
    nothing_runs(&s);
}

#[test]
fn a_signal_alone_is_one_signal() {
    let s = world();
    let code = "trap 'echo got; exit 4' USR1; echo up; while :; do sleep 0.02; done";
    s.deck(&["shell", "exec", "api", code, "--background"]).ok();
    s.deck(&["job", "wait", "api/1", "--for", "up"]).ok();
    s.deck(&["job", "kill", "api/1", "--signal", "usr1"]).ok();
    s.deck(&["job", "wait", "api/1", "--all"]).fails(1);
    let record = job(&s, 1);
    assert_eq!((&record["status"], &record["exit_code"]), (&"failed".into(), &4.into()));
    assert_eq!(s.deck(&["job", "output", "api/1"]).ok(), "up\ngot\n");
}

#[test]
fn an_interrupt_reaches_the_code() {
    let s = world();
    // Made by what is to be interrupted: bash goes on after a command that ended well while the interrupt came.
    let code = "sh -c ': > ~/began; exec sleep 600'; echo no";
    let mut asker = begin(&s, &["shell", "exec", "api", code], "");
    wait_until("it runs", || if s.path("home/began").exists() { Ok(()) } else { Err(String::new()) });
    // The code may run before its asker hears signals.
    wait_until("its asker hears signals", || has_thread(&s, "interrupt"));
    super::kill(i32::try_from(asker.id()).unwrap(), nix::sys::signal::Signal::SIGINT);
    assert_eq!(asker.wait().unwrap().code(), Some(130));
    let record = job(&s, 1);
    assert_eq!((&record["status"], &record["signal"]), (&"killed".into(), &"INT".into()));
    nothing_runs(&s);
}

#[test]
fn what_is_written_to_a_job_is_read_by_it() {
    let s = world();
    let code = "while read -r line; do echo \"got $line\"; done; echo end";
    s.deck(&["shell", "exec", "api", code, "--background", "--stdin", "open"]).ok();
    s.deck(&["job", "write", "api/1", "one"]).ok();
    s.deck(&["job", "wait", "api/1", "--for", "got one"]).ok();
    s.shell("printf 'two\\nthree\\n' | deck job write api/1 - --eof", None).ok();
    s.deck(&["job", "wait", "api/1", "--all"]).ok();
    assert_eq!(s.deck(&["job", "output", "api/1"]).ok(), "got one\ngot two\ngot three\nend\n");
    s.deck(&["job", "write", "api/1", "late"]).fails(6);
    nothing_runs(&s);
}

#[test]
fn offsets_are_absolute_and_no_character_is_cut() {
    let s = world();
    let code = "printf 'é%.0s' 1 2 3; printf '\\303'; echo up >&2; until test -e ~/go; do sleep 0.02; done; printf '\\251'";
    s.deck(&["shell", "exec", "api", code, "--background"]).ok();
    s.deck(&["job", "wait", "api/1", "--for", "up"]).ok();
    let read = |args: &[&str]| value(&s, &[&["--json", "job", "output", "api/1"], args].concat());
    let first = read(&[]);
    assert_eq!(
        (&first["stdout"], &first["offset"]["stdout"], &first["lossy"]),
        (&"ééé".into(), &6.into(), &false.into())
    );
    assert_eq!(first["total"]["stdout"], 7);
    let part = read(&["--limit", "3"]);
    assert_eq!((&part["stdout"], &part["offset"]["stdout"]), (&"é".into(), &2.into()));
    let part = read(&["--since", "2,0", "--limit", "3"]);
    assert_eq!((&part["stdout"], &part["offset"]["stdout"]), (&"é".into(), &4.into()));
    s.shell("touch ~/go", None).ok();
    s.deck(&["job", "wait", "api/1", "--all"]).ok();
    let rest = read(&["--since", "6,3"]);
    assert_eq!((&rest["stdout"], &rest["stderr"]), (&"é".into(), &"".into()));
    s.deck(&["job", "output", "api/1", "--since", "9"]).fails(2);
}

#[test]
fn much_output_is_bounded_and_its_ends_are_kept() {
    let s = world();
    let code = "head -c 40000000 /dev/zero | tr '\\0' 'a'; echo; echo last";
    let answer = json(&s, code);
    assert_eq!((&answer["stdout_truncated"], &answer["exit_code"]), (&true.into(), &0.into()));
    assert_eq!(answer["offset"]["stdout"], 40_000_006);
    let text = answer["stdout"].as_str().unwrap();
    assert!(text.starts_with("aaa") && text.ends_with("a\nlast\n"));
    assert!(text.len() > 1_100_000 && text.len() < 1_500_000, "{}", text.len());
    let gap = &answer["gap"]["stdout"];
    assert_eq!(
        (gap[0].as_u64().unwrap(), 40_000_006 - gap[1].as_u64().unwrap() + 65_536),
        (65_536, text.len() as u64)
    );
    let folder = super::folder(&s).join("jobs/1");
    let size: u64 = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().metadata().unwrap().len()).sum();
    assert!(size < 1_500_000, "{size}");
    // Who follows it as it comes gets every byte.
    assert_eq!(
        s.shell("deck shell exec api 'head -c 9000000 /dev/zero' | wc -c", None).ok().trim(),
        "9000000"
    );
    let part = value(&s, &["--json", "job", "output", "api/1", "--since", "100000,0", "--limit", "10"]);
    assert_eq!((&part["truncated"]["stdout"], &part["start"]["stdout"]), (&true.into(), &gap[1]));
}

#[test]
fn many_short_lines_on_both_streams_are_all_there() {
    let s = world();
    let answer = json(&s, "for ((i = 0; i < 20000; i++)); do echo $i; echo $i >&2; done");
    let want: String = (0..20_000).map(|i| format!("{i}\n")).collect();
    assert!(answer["stdout"] == want.as_str() && answer["stderr"] == want.as_str());
    run(&s, "echo 1; sleep 0.1; echo 2 >&2; sleep 0.1; echo 3").ok();
    assert_eq!(s.deck(&["job", "output", "api/2", "--merged"]).ok(), "1\n2\n3\n");
}

#[test]
fn a_command_in_the_code_is_a_child_job() {
    let s = world();
    let code = format!("{} job run -- printf '%s|' 'a b' '$x' ''", env!("CARGO_BIN_EXE_deck"));
    assert_eq!(run(&s, &code).ok(), "a b|$x||");
    let record = job(&s, 2);
    assert_eq!((&record["parent_job"], &record["kind"]), (&job(&s, 1)["job_id"], &"program".into()));
    assert_eq!(run(&s, &format!("{} job run -- sh -c 'exit 7'", env!("CARGO_BIN_EXE_deck"))).code(), 7);
    s.deck(&["job", "run", "--", "true"]).fails(2);
}

#[test]
fn waiting_ends_with_the_leader_with_all_or_with_the_time() {
    let s = world();
    s.deck(&["shell", "exec", "api", "(until test -e ~/go; do sleep 0.02; done) & exit 2", "--background"])
        .ok();
    s.deck(&["job", "wait", "api/1"]).fails(1);
    s.deck(&["job", "wait", "api/1", "--all", "--timeout", "0.2s"]).fails(5);
    s.deck(&["job", "wait", "api/1", "--for", "never", "--timeout", "0.2s"]).fails(5);
    s.deck(&["job", "wait", "api/1", "--idle", "0.1s"]).ok();
    s.shell("touch ~/go", None).ok();
    s.deck(&["job", "wait", "api/1", "--all"]).fails(1);
    s.deck(&["job", "wait", "api/1", "--for", "never"]).fails(1);
    assert!(s.deck(&["job", "wait", "api/1", "--for", "("]).fails(2).contains("regular expression"));
    let waited = value(&s, &["--json", "shell", "exec", "api", "true"]);
    assert_eq!(waited["success"], true);
    nothing_runs(&s);
}

#[test]
fn pruning_removes_output_and_keeps_the_history() {
    let s = world();
    run(&s, "echo hello").ok();
    s.deck(&["shell", "exec", "api", "sleep 600", "--background"]).ok();
    assert_eq!(value(&s, &["--json", "job", "prune", "api"])["jobs"], 1);
    let jobs = value(&s, &["--json", "job", "list", "api"]);
    assert_eq!(jobs.as_array().unwrap().len(), 1);
    let history = value(&s, &["--json", "shell", "history", "api"]);
    assert_eq!(history[0]["code"], "echo hello");
    assert_eq!(job(&s, 1)["trimmed"], true);
    s.deck(&["shell", "end", "api", "--kill", "--now"]).ok();
    nothing_runs(&s);
}

#[test]
fn a_queued_job_that_is_killed_never_runs() {
    let s = world();
    let mut first = begin(&s, &["shell", "exec", "api", "touch ~/began; sleep 600"], "");
    wait_until("it runs", || if s.path("home/began").exists() { Ok(()) } else { Err(String::new()) });
    let mut second = begin(&s, &["shell", "exec", "api", "touch ~/second"], "");
    wait_until("it is queued", || {
        let jobs = value(&s, &["--json", "job", "list", "api", "--status", "queued"]);
        if jobs.as_array().unwrap().len() == 1 { Ok(()) } else { Err(jobs.to_string()) }
    });
    let text = s.deck(&["job", "kill", "api/2"]).ok();
    assert!(text.contains("cancelled"), "{text}");
    assert_eq!(job(&s, 2)["reason"], "it was killed before it began");
    assert!(!second.wait().unwrap().success());
    s.deck(&["job", "kill", "api/1"]).ok();
    first.wait().unwrap();
    run(&s, "true").ok();
    assert!(!s.path("home/second").exists());
    nothing_runs(&s);
}

#[test]
fn a_server_that_a_job_is_the_first_to_need_is_no_part_of_it() {
    let s = world();
    s.agent("claude");
    let proj = s.project("proj");
    let deck = env!("CARGO_BIN_EXE_deck");
    run(&s, &format!("{deck} add {proj} -c claude -t kept")).ok();
    s.deck(&["job", "wait", "api/1", "--all", "--timeout", "60s"]).ok();
    assert_eq!(job(&s, 1)["status"], "completed");
    s.deck(&["shell", "end", "api"]).ok();
    assert_ne!(s.session("kept")["status"], "stopped");
}
