//! What ctrl-c ends, and several sessions at the same time.

use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::shells::has_thread;
use crate::support::{Sandbox, wait_until};

/// A program that shows what is typed, and answers no line that `hang` is in.
const LINES: &str = "while IFS= read -r line; do case $line in *hang*) while :; do sleep 0.05; done;; esac; echo \"got $line\"; done";
const TOOL: &str = "[tools.vibe]\ncommand = \"vibe\"\nsend = { delay_ms = 0, wait_ms = 600000 }\n";

fn sandbox(titles: &[&str]) -> Sandbox {
    let s = Sandbox::new();
    s.file("config.toml", TOOL);
    s.program("vibe", LINES);
    for title in titles {
        s.deck(&["add", &s.project(title), "-t", title, "-c", "vibe"]).ok();
    }
    s
}

/// Starts a verb, interrupts it once `ready`, and returns its exit code, stdout and stderr.
fn interrupted(s: &Sandbox, args: &[&str], ready: impl Fn() -> Result<(), String>) -> (Option<i32>, String) {
    let mut command = s.command(env!("CARGO_BIN_EXE_deck"));
    let mut child = command.args(args).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    wait_until("the verb waits", ready);
    kill(Pid::from_raw(child.id().try_into().unwrap()), Signal::SIGINT).unwrap();
    let status = child.wait().unwrap();
    let mut report = String::new();
    child.stderr.take().unwrap().read_to_string(&mut report).unwrap();
    assert_eq!(status.signal(), None, "{report}");
    (status.code(), report)
}

#[test]
fn ctrl_c_ends_a_wait() {
    let s = sandbox(&["api"]);
    let (code, report) = interrupted(&s, &["wait", "api", "--for", "exit"], || has_thread(&s, "interrupt"));
    assert_eq!((code, report.as_str()), (Some(130), "error: interrupted\n"));
}

#[test]
fn ctrl_c_ends_a_wait_for_a_lock() {
    let s = sandbox(&["api"]);
    let of_profile = s.path("deck/profiles/default/sessions.json.lock");
    let of_server = s.path("deck/run").join(format!("{}.turn", s.socket()));
    let ended = |path: &std::path::Path, verb: &str| {
        let lock = std::fs::File::open(path).unwrap();
        lock.lock().unwrap();
        let (code, report) = interrupted(&s, &[verb, "api"], || has_thread(&s, "lock"));
        assert_eq!((code, report.as_str()), (Some(130), "error: interrupted\n"), "{}", path.display());
    };
    ended(&of_profile, "stop");
    assert_ne!(s.session("api")["status"], "stopped");
    s.deck(&["stop", "api"]).ok();
    ended(&of_server, "start");
    assert_eq!(s.session("api")["status"], "stopped", "the record says that nothing runs");
}

#[test]
fn ctrl_c_ends_a_send_and_says_what_became_of_the_message() {
    let s = sandbox(&["api"]);
    let (code, report) = interrupted(&s, &["send", "api", "please hang"], || {
        let text = s.deck(&["output", "api"]).ok();
        if text.contains("please hang\n") { Ok(()) } else { Err(text) }
    });
    assert_eq!(code, Some(130));
    let sent =
        report == "error: interrupted: the message was sent to \"api\", but its delivery isn't confirmed\n";
    // The Enter may still have been on its way when the line was seen.
    let typed = report == "error: interrupted: the message is typed in \"api\", but not sent\n";
    assert!(sent || typed, "{report}");
    let again = s.session("api");
    assert_ne!(again["status"], "error", "{again}");
}

#[test]
fn agents_that_hang_delay_no_other_receipt() {
    let s = sandbox(&["one", "two", "three"]);
    for hangs in ["one", "two"] {
        let child = s.spawn_deck(&["send", hangs, "hang"]);
        wait_until("it hangs", || {
            let text = s.deck(&["output", hangs]).ok();
            if text.contains("hang\n") { Ok(()) } else { Err(text) }
        });
        kill(Pid::from_raw(child.id().try_into().unwrap()), Signal::SIGKILL).unwrap();
        let _ = { child }.wait();
    }
    let mut command = s.command(env!("CARGO_BIN_EXE_deck"));
    let mut child = command
        .args(["send", "one", "two", "three", "hello"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut line = [0; "three: delivered\n".len()];
    child.stdout.take().unwrap().read_exact(&mut line).unwrap();
    assert_eq!(String::from_utf8_lossy(&line), "three: delivered\n");
    assert_eq!(child.try_wait().unwrap(), None, "the others are still waited for");
    kill(Pid::from_raw(child.id().try_into().unwrap()), Signal::SIGINT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

#[test]
fn ctrl_c_ends_an_add_that_waits_for_its_prompt() {
    let s = sandbox(&[]);
    let dir = s.project("api");
    let args = ["add", &dir, "-t", "api", "-c", "vibe", "--prompt", "please hang"];
    let (code, report) = interrupted(&s, &args, || {
        let shown = s.deck(&["output", "api"]);
        let text = shown.stdout();
        if text.contains("please hang\n") { Ok(()) } else { Err(text) }
    });
    assert_eq!(code, Some(130), "{report}");
    assert!(report.contains("error: interrupted"), "{report}");
}

#[test]
fn a_signal_that_a_verb_was_started_to_ignore_does_not_end_it() {
    let s = sandbox(&["api"]);
    let mut command = s.command("sh");
    let script = format!("trap '' HUP; exec '{}' wait api --for exit", env!("CARGO_BIN_EXE_deck"));
    let mut child =
        command.args(["-c", &script]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let pid = Pid::from_raw(child.id().try_into().unwrap());
    wait_until("the verb waits", || has_thread(&s, "interrupt"));
    kill(pid, Signal::SIGHUP).unwrap();
    kill(pid, Signal::SIGTERM).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(128 + 15));
}
