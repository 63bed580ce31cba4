//! Shells of the kind `sh`: what a POSIX shell keeps between commands.

use super::nothing_runs;
use crate::support::Sandbox;

fn world() -> Sandbox {
    let s = Sandbox::new();
    let told = s.deck(&["shell", "start", "--name", "p", "sh"]);
    assert_eq!(told.code(), 0, "{}", told.stderr());
    s
}

fn run(s: &Sandbox, code: &str) -> crate::support::Answer {
    s.deck(&["shell", "exec", "p", code])
}

#[test]
fn what_the_code_changes_is_there_for_the_next() {
    let s = world();
    let code = "mkdir ~/dir && ln -s dir ~/link && cd ~/link; x=\"a  b'c\"; export y='d e'; readonly ro=1; umask 027; \
                set -- one 'two three'; trap 'echo usr1' USR1; alias l='echo alias'; unset HOME; set -u";
    run(&s, code).ok();
    let home = s.path("home").display().to_string();
    let want = format!("a  b'c:d e:2:two three\n{home}/link\n0027\nunset\n1\nusr1\n");
    let look = "echo \"$x:$(printenv y):$#:$2\"; pwd; umask; echo ${HOME-unset}; echo $ro; kill -USR1 $$";
    assert_eq!(run(&s, look).ok(), want);
    assert_eq!(run(&s, "l still\necho ok").ok(), "alias still\nok\n");
    nothing_runs(&s);
}

#[test]
fn a_command_that_ends_its_shell_keeps_the_state() {
    let s = world();
    for (code, x) in [
        ("x=1; exit 3", "1"),
        ("set -e; x=2; false; x=no", "2"),
        ("set +e; x=3; ${nope?}", "3"),
        ("set +u; x=4; kill -9 $$", "3"),
    ] {
        assert_ne!(run(&s, code).code(), 0, "{code}");
        assert_eq!(run(&s, "echo $x").ok().trim(), x, "{code}");
    }
}

#[test]
fn a_variable_and_a_folder_for_one_command_are_gone_after_it() {
    let s = world();
    run(&s, "export y=before; cd /").ok();
    let out = s.deck(&[
        "shell",
        "exec",
        "p",
        "echo $y $z; pwd",
        "--env",
        "y=o w",
        "--env",
        "z=new",
        "--cwd",
        "/tmp",
    ]);
    assert_eq!(out.ok(), "o w new\n/tmp\n");
    assert_eq!(run(&s, "echo $(printenv y) ${z-unset}; pwd").ok(), "before unset\n/\n");
}

#[test]
fn whether_functions_are_kept_is_said_at_the_start() {
    let s = Sandbox::new();
    let answer = s.deck(&["--json", "shell", "start", "--name", "p", "sh"]);
    let shell: serde_json::Value = serde_json::from_str(&answer.ok()).unwrap();
    let told = s.deck(&["shell", "start", "sh"]).stderr();
    assert_eq!(shell["kind"], "sh");
    run(&s, "f() { echo in f; }").ok();
    let kept = run(&s, "f").code() == 0;
    assert_eq!(shell["keeps_functions"], kept);
    assert_eq!(told.contains("none is kept"), !kept, "{told}");
    assert!(s.deck(&["shell", "open", "p"]).fails(6).contains("only a bash"));
}
