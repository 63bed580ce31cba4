//! What an exec answers.

use serde_json::Value;

use super::{folder, json, nothing_runs, run, workspace_is_untouched, world};
use crate::support::Sandbox;

#[test]
fn every_exit_code_and_signal_is_passed_on() {
    let s = world();
    for code in [0, 1, 2, 3, 77, 124, 125, 126, 127, 128, 137, 200, 254, 255] {
        assert_eq!(run(&s, &format!("exit {code}")).code(), code);
    }
    for (signal, number) in [("KILL", 9), ("TERM", 15), ("HUP", 1), ("USR1", 10), ("SEGV", 11), ("PIPE", 13)]
    {
        let answer = json(&s, &format!("kill -{signal} $$"));
        assert_eq!((&answer["exit_code"], &answer["signal"]), (&(128 + number).into(), &signal.into()));
        assert_eq!((&answer["status"], &answer["state"]), (&"failed".into(), &"unchanged".into()));
        assert_eq!(run(&s, &format!("kill -{signal} $$")).code(), 128 + number);
    }
    let answer = json(&s, "(exit 5)");
    assert_eq!((&answer["exit_code"], &answer["success"]), (&5.into(), &false.into()));
    nothing_runs(&s);
}

#[test]
fn streams_stay_apart_and_bytes_are_exact() {
    let s = world();
    let answer = run(&s, "printf 'out\\377'; printf err >&2; echo x > /dev/stderr");
    assert_eq!((answer.stdout().as_str(), answer.stderr().as_str()), ("out\u{fffd}", "errx\n"));
    let answer = json(&s, "printf 'a\\377b'; printf 'ü'");
    assert_eq!((&answer["stdout"], &answer["lossy"]), (&"a\u{fffd}bü".into(), &true.into()));
    assert_eq!(answer["offset"]["stdout"], 5);
    let merged = s.deck(&["shell", "exec", "api", "echo 1; echo 2 >&2; echo 3", "--merge"]).ok();
    assert_eq!(merged, "1\n2\n3\n");
    assert_eq!(s.deck(&["job", "output", "api/3"]).ok(), "1\n2\n3\n");
    workspace_is_untouched(&s);
}

#[test]
fn code_comes_from_an_argument_stdin_or_a_here_document() {
    let s = world();
    assert_eq!(s.shell("echo 'echo piped' | deck shell exec api", None).ok(), "piped\n");
    assert_eq!(
        s.shell("deck shell exec api - <<'EOF'\nfor i in 1 2; do\n  echo $i\ndone\nEOF", None).ok(),
        "1\n2\n"
    );
    let large = format!("x='{}'\necho ${{#x}}", "y".repeat(300_000));
    std::fs::write(s.path("home/large"), large).unwrap();
    assert_eq!(s.shell("deck shell exec api < ~/large", None).ok(), "300000\n");
    assert_eq!(s.shell("echo data | deck shell exec api cat --stdin -", None).ok(), "data\n");
    std::fs::write(s.path("home/input"), "from a file\n").unwrap();
    let file = s.path("home/input");
    assert_eq!(
        s.deck(&["shell", "exec", "api", "cat", "--stdin", file.to_str().unwrap()]).ok(),
        "from a file\n"
    );
    // Nobody is asked: its input is at its end.
    assert_eq!(run(&s, "read -r x; echo \"got $x\"").ok(), "got \n");
    let line = json(&s, "echo $LINENO\nnosuchcommand");
    assert_eq!(line["stdout"], "1\n");
    assert!(line["stderr"].as_str().unwrap().starts_with("bash: line 2: nosuchcommand"), "{line}");
}

#[test]
fn what_cannot_run_is_refused_with_a_way_out() {
    let s = world();
    let gone = s.path("home/gone");
    std::fs::create_dir(&gone).unwrap();
    run(&s, &format!("cd {}", gone.display())).ok();
    std::fs::remove_dir(&gone).unwrap();
    let text = run(&s, "echo hi").fails(6);
    assert!(text.contains("home/gone") && text.contains("--cwd DIR"), "{text}");
    assert_eq!(s.deck(&["shell", "exec", "api", "--cwd", "/tmp", "cd ."]).ok(), "");
    assert_eq!(run(&s, "pwd").ok(), "/tmp\n");
    assert!(s.deck(&["shell", "start", "vim"]).fails(2).contains("deck add . -c vim"));
    assert!(run(&s, " \n").fails(2).contains("no code"));
    assert!(s.shell("printf 'a\\0b' | deck shell exec api", None).fails(2).contains("NUL"));
    s.deck(&["shell", "exec", "nonesuch", "true"]).fails(3);
    s.deck(&["shell", "exec", "api", "true", "--env", "1X=y"]).fails(2);
    s.deck(&["shell", "start", "--name", "api"]).fails(2);
    s.deck(&["shell", "start", "--cwd", "/nonesuch"]).fails(1);
    let own = run(&s, "deck=1; '".replace('\'', "").as_str());
    own.ok();
    let inner = format!("{} shell exec . true", env!("CARGO_BIN_EXE_deck"));
    assert!(run(&s, &inner).fails(6).contains("wait for its own end"));
    s.deck(&["shell", "end", "api"]).ok();
    let text = run(&s, "true").fails(3);
    assert!(text.contains("was ended just now"), "{text}");
}

#[test]
fn a_time_limit_hands_back_or_ends() {
    let s = world();
    let waiting = "touch ~/began; until test -e ~/go; do sleep 0.02; done; echo done; x=5";
    let answer = s.deck(&["shell", "exec", "api", waiting, "--timeout", "0.3s"]);
    assert_eq!(answer.code(), 124, "{}", answer.stderr());
    assert!(answer.stderr().contains("api/1 still runs"), "{}", answer.stderr());
    // Its turn is over: the shell takes another command.
    assert_eq!(run(&s, "echo next").ok(), "next\n");
    s.shell("touch ~/go", None).ok();
    s.deck(&["job", "wait", "api/1"]).ok();
    assert_eq!(s.deck(&["job", "output", "api/1"]).ok(), "done\n");
    let record = super::job(&s, 1);
    assert_eq!((&record["state"], &record["state_reason"]), (&"unchanged".into(), &"background".into()));
    assert_eq!(run(&s, "echo ${x-unset}").ok(), "unset\n");
    let answer = s.deck(&[
        "--json",
        "shell",
        "exec",
        "api",
        "trap '' TERM; sleep 600",
        "--timeout",
        // The signal must not come before it is ignored.
        "3s",
        "--kill-on-timeout",
    ]);
    let answer: Value = serde_json::from_str(&answer.ok()).unwrap();
    // What it started is ended with it, and may be seen for a moment longer.
    assert_eq!(answer["signal"], "KILL");
    s.deck(&["job", "wait", answer["job_id"].as_str().unwrap(), "--all"]);
    let ended = s.deck(&["--json", "job", "show", answer["job_id"].as_str().unwrap()]).ok();
    assert_eq!(serde_json::from_str::<Value>(&ended).unwrap()["status"], "timed_out");
    nothing_runs(&s);
}

#[test]
fn an_exec_once_leaves_nothing() {
    let s = Sandbox::new();
    assert_eq!(s.deck(&["shell", "exec", "--once", "x=1; echo $x"]).ok(), "1\n");
    let answer = s.deck(&["--json", "shell", "exec", "--once", "exit 3"]).ok();
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(answer["exit_code"], 3);
    s.deck(&["shell", "exec", "--once", "exit 4"]).fails(4);
    assert_eq!(s.deck(&["--json", "shell", "list", "--all"]).ok().trim(), "[]");
    let entries = std::fs::read_dir(s.path("deck/state/shells/default")).unwrap().flatten();
    let left: Vec<_> = entries.map(|e| e.file_name()).filter(|name| name != "lock").collect();
    assert_eq!(left, [""; 0]);
    nothing_runs(&s);
}

#[test]
fn what_deck_keeps_is_private() {
    use std::os::unix::fs::PermissionsExt;
    let s = world();
    run(&s, "umask 000; export SECRET=1; echo hi; echo err >&2").ok();
    let mut at = vec![folder(&s)];
    let mut seen = 0;
    while let Some(path) = at.pop() {
        let meta = path.metadata().unwrap();
        assert_eq!(meta.permissions().mode() & 0o077, 0, "{}", path.display());
        seen += 1;
        if meta.is_dir() {
            at.extend(std::fs::read_dir(path).unwrap().map(|e| e.unwrap().path()));
        }
    }
    assert!(seen > 10, "{seen}");
    workspace_is_untouched(&s);
}
