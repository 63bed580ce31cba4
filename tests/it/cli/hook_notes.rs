//! What `deck hook` gives away.

use std::io::Write;
use std::process::Stdio;

use crate::support::{Sandbox, wait_until};

#[test]
fn what_an_agent_asks_is_in_no_arguments() {
    let s = Sandbox::new();
    let (args, stdin) = (s.path("tmp/args"), s.path("tmp/stdin"));
    let script = format!(
        "cat > {1}.new; mv {1}.new {1}; printf '%s\\n' \"$@\" > {0}.new; mv {0}.new {0}",
        args.display(),
        stdin.display()
    );
    s.program("tmux", &script);
    let mut command = s.command(env!("CARGO_BIN_EXE_deck"));
    command.args(["hook", "PermissionRequest"]).stdin(Stdio::piped());
    command.env("DECK_SESSION_ID", "01a2").env("TMUX", "/nonexistent,1,2").env("TMUX_PANE", "%1");
    let mut child = command.spawn().unwrap();
    let payload = br#"{"tool_name":"Bash","tool_input":{"command":"mysql -pSECRET"}}"#;
    child.stdin.take().unwrap().write_all(payload).unwrap();
    assert!(child.wait().unwrap().success());
    wait_until("the note is passed on", || if args.exists() { Ok(()) } else { Err("not yet".to_owned()) });
    let read = |path| std::fs::read_to_string(path).unwrap();
    assert!(read(&stdin).contains("SECRET"));
    assert!(!read(&args).contains("SECRET"), "{}", read(&args));
}
