//! Shells whose state is in one live process: python3 and node.

use serde_json::Value;

use super::{begin, kill, nothing_runs, processes};
use crate::support::{Answer, Sandbox, wait_until};

/// A sandbox with a shell `api` of this kind; none where its program isn't installed.
fn world(kind: &str) -> Option<Sandbox> {
    let s = Sandbox::new();
    let answer = s.deck(&["shell", "start", "--name", "api", kind]);
    if answer.stderr().contains("not found") || answer.stderr().contains("searched") {
        return None;
    }
    answer.ok();
    Some(s)
}

fn run(s: &Sandbox, code: &str) -> Answer {
    s.deck(&["shell", "exec", "api", code])
}

fn json(s: &Sandbox, args: &[&str]) -> Value {
    serde_json::from_str(&s.deck(&[&["--json"], args].concat()).ok()).unwrap()
}

/// Ends the shell, and with it the process that held its state.
fn end(s: &Sandbox) {
    s.deck(&["shell", "end", "api"]).ok();
    nothing_runs(s);
}

/// The process that holds the state.
pub fn interpreter(s: &Sandbox, name: &str) -> i32 {
    let folder = json(s, &["shell", "show", name])["folder"].as_str().unwrap().to_owned();
    let text = std::fs::read_to_string(format!("{folder}/interpreter.json")).unwrap();
    let pid = serde_json::from_str::<Value>(&text).unwrap()["pid"].as_i64().unwrap();
    i32::try_from(pid).unwrap()
}

#[test]
fn python_keeps_its_state_from_one_command_to_the_next() {
    let Some(s) = world("python3") else { return };
    assert_eq!(run(&s, "import os, sys\nx = [1]\ndef f(n):\n    return n * 2\nf(21)").ok(), "42\n");
    let dir = s.project("deep");
    run(&s, &format!("os.chdir({dir:?}); x.append(2); print('err', file=sys.stderr)")).ok();
    let shown = json(&s, &["shell", "exec", "api", "x, os.getcwd()"]);
    assert_eq!(shown["stdout"], format!("([1, 2], '{dir}')\n"));
    assert_eq!((&shown["work_dir"], &shown["state"]), (&dir.as_str().into(), &"kept".into()));
    // It ends as its code does, and lives on.
    assert_eq!(run(&s, "sys.exit(3)").code(), 3);
    let failed = run(&s, "1 / 0");
    assert_eq!(failed.code(), 1);
    assert!(failed.stderr().contains("ZeroDivisionError"), "{}", failed.stderr());
    assert_eq!(run(&s, "x").ok(), "[1, 2]\n");
    assert_eq!(
        s.deck(&["shell", "exec", "api", "os.environ['ONE']", "--env", "ONE=just now"]).ok(),
        "'just now'\n"
    );
    assert_eq!(run(&s, "os.environ.get('ONE')").ok(), "");
    end(&s);
}

#[test]
fn node_keeps_its_state_from_one_command_to_the_next() {
    let Some(s) = world("node") else { return };
    assert_eq!(run(&s, "const x = [1]; let f = (n) => n * 2; f(21)").ok(), "42\n");
    assert_eq!(run(&s, "x.push(await Promise.resolve(2)); console.error('err'); x").ok(), "[ 1, 2 ]\n");
    let failed = run(&s, "nope()");
    assert_eq!(failed.code(), 1);
    assert!(failed.stderr().contains("ReferenceError"), "{}", failed.stderr());
    assert_eq!(run(&s, "x.length").ok(), "2\n");
    end(&s);
}

/// The newest job that ran code of this kind, and not a program.
fn newest<'a>(jobs: &'a Value, kind: &str) -> &'a Value {
    jobs.as_array().unwrap().iter().find(|job| job["kind"] == kind).unwrap_or(&Value::Null)
}

#[test]
fn code_is_interrupted_and_killed_and_the_state_stays() {
    for (kind, busy, look) in [
        ("python3", "n = 1\nprint('on', flush=True)\nwhile True: pass", "n"),
        ("node", "var n = 1; console.log('on'); while (true) {}", "n"),
        ("node", "var n = 1; console.log('on'); cmd('sleep', ['600']).exec()", "n"),
        ("python3", "n = 1\nprint('on', flush=True)\ncmd('sleep', '600')", "n"),
    ] {
        let Some(s) = world(kind) else { continue };
        for signal in [&["--signal", "INT"][..], &[]] {
            let mut asker = begin(&s, &["shell", "exec", "api", busy], "");
            wait_until("it runs", || {
                let jobs = json(&s, &["job", "list", "api"]);
                let seq = newest(&jobs, kind)["seq"].as_u64().unwrap_or(0);
                let output = s.deck(&["job", "output", &format!("api/{seq}")]).stdout();
                if output.contains("on") { Ok(()) } else { Err(format!("{jobs} {output}")) }
            });
            let jobs = json(&s, &["job", "list", "api", "--status", "running"]);
            let job = newest(&jobs, kind)["job_id"].as_str().unwrap();
            s.deck(&[&["job", "kill", job], signal].concat()).ok();
            assert!(!asker.wait().unwrap().success());
            let ended = json(&s, &["job", "show", job]);
            assert_eq!(ended["status"], "killed", "{ended}");
            assert_eq!(run(&s, look).ok(), "1\n", "{kind}");
        }
        end(&s);
    }
}

#[test]
fn a_process_that_is_gone_is_said_to_be_and_its_commands_run_again() {
    let Some(s) = world("python3") else { return };
    run(&s, "n = 0").ok();
    run(&s, "n += 5\nn").ok();
    kill(interpreter(&s, "api"), nix::sys::signal::Signal::SIGKILL);
    wait_until("it is gone", || {
        let status = json(&s, &["shell", "list"])[0]["status"].clone();
        if status == "lost" { Ok(()) } else { Err(status.to_string()) }
    });
    let told = run(&s, "n").fails(6);
    assert!(
        told.contains("has ended, and its state is lost") && told.contains("deck shell replay api"),
        "{told}"
    );
    assert!(s.deck(&["shell", "list"]).ok().contains("lost"));
    assert!(s.deck(&["shell", "show", "api"]).ok().contains("lost"));
    assert_eq!(s.deck(&["shell", "replay", "api"]).ok(), "ran 2 commands again in api\n");
    assert_eq!(run(&s, "n").ok(), "5\n");
    assert!(s.deck(&["shell", "replay", "api"]).fails(6).contains("is not lost"));
    // What ends its own process says so, too.
    let ended = run(&s, "import os; os._exit(4)");
    assert!(ended.stderr().contains("its state is lost"), "{}", ended.stderr());
    assert_ne!(ended.code(), 0);
    end(&s);
}

#[test]
fn what_a_live_process_can_not_do_is_refused() {
    let Some(s) = world("python3") else { return };
    run(&s, "1").ok();
    for args in [
        &["shell", "checkpoint", "api"][..],
        &["shell", "restore", "api"],
        &["shell", "update", "api", "--env", "A=1"],
        &["shell", "open", "api"],
        &["shell", "exec", "api", "1", "--background"],
    ] {
        s.deck(args).fails(6);
    }
    end(&s);
}

#[test]
fn who_asks_takes_a_turn_and_stdin_and_child_jobs_work() {
    let Some(s) = world("python3") else { return };
    run(&s, "n = 0").ok();
    let all: Vec<_> = (0..8)
        .map(|_| begin(&s, &["shell", "exec", "api", "m = n; import time; time.sleep(0.01); n = m + 1"], ""))
        .collect();
    for mut asker in all {
        assert!(asker.wait().unwrap().success());
    }
    assert_eq!(run(&s, "n").ok(), "8\n");
    std::fs::write(s.path("home/in"), "a line\nanother\n").unwrap();
    let file = s.path("home/in").display().to_string();
    assert_eq!(s.deck(&["shell", "exec", "api", "input()", "--stdin", &file]).ok(), "'a line'\n");
    assert!(run(&s, "input()").stderr().contains("EOFError"));
    assert_eq!(run(&s, "cmd('echo', 'hi').stdout").ok(), "'hi\\n'\n");
    let jobs = json(&s, &["job", "list", "api"]);
    assert!(jobs.as_array().unwrap().iter().any(|j| !j["parent_job"].is_null()), "{jobs}");
    end(&s);
}

#[test]
fn a_supervisor_that_is_killed_takes_no_state_with_it() {
    let Some(s) = world("python3") else { return };
    run(&s, "n = 7").ok();
    let began = s.path("home/began");
    let code =
        format!("import time\nn = 8\nopen({:?}, 'w').close()\ntime.sleep(600)", began.display().to_string());
    let mut asker = begin(&s, &["shell", "exec", "api", &code], "");
    let mut supervisor = 0;
    wait_until("it runs", || {
        let jobs = json(&s, &["job", "list", "api", "--status", "running"]);
        let command = |pid: &i32| std::fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        supervisor =
            processes(&s).into_iter().find(|pid| command(pid).contains("supervise-job")).unwrap_or(0);
        if supervisor != 0 && began.exists() { Ok(()) } else { Err(jobs.to_string()) }
    });
    kill(supervisor, nix::sys::signal::Signal::SIGKILL);
    asker.wait().unwrap();
    // The kernel may take the lock from a killed process a moment after it has closed its socket.
    wait_until("it is orphaned", || {
        let jobs = json(&s, &["job", "list", "api"]);
        if jobs[0]["status"] == "orphaned" { Ok(()) } else { Err(jobs.to_string()) }
    });
    s.deck(&["job", "kill", "api/2"]).ok();
    // What the killed one asked for is interrupted, and the next has its turn.
    kill(interpreter(&s, "api"), nix::sys::signal::Signal::SIGINT);
    assert_eq!(run(&s, "n").ok(), "8\n");
    wait_until("the interpreter alone is left", || {
        let left = processes(&s);
        if left.len() == 1 { Ok(()) } else { Err(format!("{left:?}")) }
    });
    end(&s);
}

/// Ends the process that holds the state, and sees that it is lost.
fn lose(s: &Sandbox) {
    kill(interpreter(s, "api"), nix::sys::signal::Signal::SIGKILL);
    wait_until("it is lost", || {
        let status = json(s, &["shell", "show", "api"])["status"].clone();
        if status == "lost" { Ok(()) } else { Err(status.to_string()) }
    });
}

#[test]
fn what_made_the_state_is_run_again_each_time_and_nothing_twice() {
    let Some(s) = world("python3") else { return };
    let log = s.path("home/log").display().to_string();
    run(&s, &format!("log = open({log:?}, 'a', buffering=1)\nprint('one', file=log)")).ok();
    run(&s, "print('two', file=log)").ok();
    // One that was killed would have to be killed again.
    s.deck(&["shell", "exec", "api", "while True: pass", "--timeout", "1ms", "--kill-on-timeout"]);
    for _ in 0..2 {
        std::fs::write(&log, "").unwrap();
        lose(&s);
        let answer = s.deck(&["shell", "replay", "api"]);
        assert!(answer.stdout().contains("ran 2 commands again"), "{}", answer.stdout());
        assert_eq!(std::fs::read_to_string(&log).unwrap(), "one\ntwo\n");
    }
    end(&s);
}

#[test]
fn a_replay_that_is_killed_leaves_the_shell_lost_and_is_done_again() {
    let Some(s) = world("python3") else { return };
    run(&s, "import os, time\nn = 1").ok();
    let gate = s.path("home/gate");
    run(&s, &format!("while os.path.exists({:?}): time.sleep(0.01)\nn += 1", gate.display().to_string()))
        .ok();
    lose(&s);
    std::fs::write(&gate, "").unwrap();
    let mut replay = begin(&s, &["shell", "replay", "api"], "");
    wait_until("its second command runs", || {
        let jobs = json(&s, &["job", "list", "api"]);
        if jobs[0]["seq"] == 4 && jobs[0]["status"] == "running" { Ok(()) } else { Err(jobs.to_string()) }
    });
    assert!(s.deck(&["shell", "replay", "api"]).code() != 0, "two at a time");
    replay.kill().unwrap();
    replay.wait().unwrap();
    assert_eq!(json(&s, &["shell", "show", "api"])["status"], "lost");
    run(&s, "n").fails(6);
    std::fs::remove_file(&gate).unwrap();
    assert_eq!(s.deck(&["shell", "replay", "api"]).ok(), "ran 2 commands again in api\n");
    assert_eq!(run(&s, "n").ok(), "2\n");
    end(&s);
}

#[test]
fn a_kill_of_a_job_that_waits_in_the_process_leaves_the_other_alone() {
    let Some(s) = world("python3") else { return };
    let gate = s.path("home/gate").display().to_string();
    let code = format!("import os, time\nwhile not os.path.exists({gate:?}): time.sleep(0.01)\nn = 1");
    s.deck(&["shell", "exec", "api", &code, "--timeout", "1ms"]).fails(124);
    for signal in [&["--signal", "KILL"][..], &["--signal", "INT"], &[]] {
        let mut asker = begin(&s, &["shell", "exec", "api", "n = 2"], "");
        let mut waiting = String::new();
        wait_until("it waits", || {
            let jobs = json(&s, &["job", "list", "api", "--status", "running"]);
            waiting = jobs[0]["job_id"].as_str().unwrap_or_default().to_owned();
            if jobs.as_array().unwrap().len() == 2 && jobs[0]["pid"].is_i64() {
                Ok(())
            } else {
                Err(jobs.to_string())
            }
        });
        s.deck(&[&["job", "kill", &waiting], signal].concat()).ok();
        assert!(!asker.wait().unwrap().success());
        assert_eq!(json(&s, &["job", "show", &waiting])["status"], "killed");
        assert_eq!(json(&s, &["job", "show", "api/1"])["status"], "running");
    }
    std::fs::write(&gate, "").unwrap();
    s.deck(&["job", "wait", "api/1"]).ok();
    assert_eq!(run(&s, "n").ok(), "1\n");
    end(&s);
}

#[test]
fn code_that_closes_all_that_is_open_is_waited_for_no_longer() {
    let Some(s) = world("python3") else { return };
    let answer = run(&s, "import os; os.closerange(3, 256)");
    assert_ne!(answer.code(), 0);
    assert!(answer.stderr().contains("deck: its "), "{}", answer.stderr());
    end(&s);
}
