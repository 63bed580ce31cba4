//! Going back to states, and changing them from outside.

use serde_json::Value;

use super::{nothing_runs, run, world};
use crate::support::wait_until;

#[test]
fn a_shell_goes_back_to_a_checkpoint() {
    let s = world();
    run(&s, "x=1; cd /tmp; f() { echo in f; }").ok();
    assert_eq!(s.deck(&["shell", "checkpoint", "api", "one"]).ok(), "kept the state of api as one\n");
    run(&s, "x=2; cd /usr; unset -f f").ok();
    assert!(s.deck(&["shell", "checkpoint", "api", "one"]).fails(6).contains("already exists"));
    assert_eq!(s.deck(&["shell", "checkpoint", "api", "-q"]).ok(), "state-2\n");
    assert_eq!(s.deck(&["shell", "restore", "api", "one"]).ok(), "restored api, in /tmp\n");
    assert_eq!(run(&s, "echo $x $PWD; f").ok(), "1 /tmp\nin f\n");
    // Without a name the last one; and what it was before that can be had as well.
    s.deck(&["shell", "restore", "api"]).ok();
    assert_eq!(run(&s, "echo $x $PWD").ok(), "2 /usr\n");
    s.deck(&["shell", "restore", "api", "--before", "api/2"]).ok();
    assert_eq!(run(&s, "echo $x $PWD").ok(), "1 /tmp\n");
    assert!(s.deck(&["shell", "restore", "api", "none"]).fails(3).contains("no checkpoint \"none\""));
    for bad in ["../x", "a.json", ".", ""] {
        s.deck(&["shell", "checkpoint", "api", bad]).fails(2);
    }
    // In a new shell the old one stays as it is.
    s.deck(&["shell", "restore", "api", "state-2", "--as", "other"]).ok();
    assert_eq!(s.deck(&["shell", "exec", "other", "echo $x $PWD"]).ok(), "2 /usr\n");
    assert_eq!(run(&s, "echo $x $PWD").ok(), "1 /tmp\n");
    assert!(s.deck(&["shell", "restore", "api", "one", "--as", "other"]).fails(2).contains("already exists"));
    assert!(s.deck(&["shell", "show", "api"]).ok().contains("checkpoints  one state-2"));
    assert!(s.deck(&["shell", "restore", "other"]).fails(3).contains("has no checkpoint"));
    nothing_runs(&s);
}

#[test]
fn nothing_is_restored_while_a_command_has_the_turn() {
    let s = world();
    s.deck(&["shell", "checkpoint", "api", "one"]).ok();
    let code = ": > ~/began; until [ -e ~/go ]; do sleep 0.02; done; x=9";
    let mut asker = super::begin(&s, &["shell", "exec", "api", code], "");
    wait_until("it runs", || if s.path("home/began").exists() { Ok(()) } else { Err(String::new()) });
    assert!(s.deck(&["shell", "restore", "api", "one"]).fails(6).contains("still runs"));
    std::fs::write(s.path("home/go"), "").unwrap();
    assert!(asker.wait().unwrap().success());
    assert_eq!(run(&s, "echo $x").ok(), "9\n");
}

#[test]
fn states_that_are_no_longer_kept_are_named_as_such() {
    let s = world();
    for n in 0..13 {
        run(&s, &format!("x={n}")).ok();
    }
    s.deck(&["shell", "restore", "api", "--before", "api/13"]).ok();
    assert_eq!(run(&s, "echo $x").ok(), "11\n");
    let text = s.deck(&["shell", "restore", "api", "--before", "api/1"]).fails(3);
    assert!(text.contains("only the last 10 are"), "{text}");
}

#[test]
fn a_shell_is_changed_from_outside() {
    let s = world();
    run(&s, "declare -i n=1; export OLD=1; readonly fixed=1").ok();
    let told = s
        .deck(&[
            "shell",
            "update",
            "api",
            "--cwd",
            "/tmp",
            "--env",
            "A=it's $x",
            "--unset",
            "OLD",
            "--var",
            "n=\"text\"",
            "--var",
            "list=[\"a b\",\"$(false)\"]",
            "--var",
            "map={\"k k\":true}",
            "--name",
            "backend",
        ])
        .ok();
    assert_eq!(told, "updated backend\n");
    let code = "echo \"$PWD|$A|${OLD-unset}|$n|${list[0]}|${list[1]}|${map['k k']}\"; printenv A n";
    let answer = s.deck(&["--json", "shell", "exec", "backend", code]).ok();
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(answer["stdout"], "/tmp|it's $x|unset|text|a b|$(false)|true\nit's $x\n");
    let refused = s.deck(&["shell", "update", "backend", "--cwd", "/nonesuch"]).fails(1);
    assert!(refused.contains("/nonesuch: No such file or directory"), "{refused}");
    let refused = s.deck(&["shell", "update", "backend", "--env", "fixed=2"]).fails(1);
    assert!(refused.contains("fixed: readonly variable"), "{refused}");
    s.deck(&["shell", "update", "backend", "--unset", "a b"]).fails(1);
    s.deck(&["shell", "update", "backend", "--var", "x=["]).fails(2);
    s.deck(&["shell", "update", "backend"]).fails(2);
    s.deck(&["shell", "start", "--name", "api"]).ok();
    s.deck(&["shell", "update", "backend", "--name", "api"]).fails(2);
    let env = s.deck(&["shell", "show", "backend", "--env"]).ok();
    assert!(env.split('\0').any(|line| line.starts_with("HOME=")), "{env}");
}
