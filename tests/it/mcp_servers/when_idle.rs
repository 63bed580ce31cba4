//! A session that works is started again with its servers as soon as it is idle, and not before.

use std::process::Stdio;

use serde_json::Value;

use crate::support::{Sandbox, wait_until};

fn status(s: &Sandbox) -> Value {
    serde_json::from_str(&s.deck(&["--json", "mcp", "status", "api"]).ok()).unwrap()
}

#[test]
fn a_session_that_works_is_left_alone_until_it_is_idle() {
    let s = Sandbox::new();
    s.asker();
    let tool = s.path("deck/tools/asker.toml");
    let told = r#"
[mcp.servers]
stdio = '"{name}":{"command":"{deck}","args":["mcp","run","{name}","--set","{set}"]}'
file = '{"mcpServers":{{entries}}}'
args = ["--mcp-config={file}"]
"#;
    std::fs::write(&tool, std::fs::read_to_string(&tool).unwrap() + told).unwrap();
    s.file("mcps/memory.toml", "command = \"true\"\n");
    s.ask_session("api");
    s.deck(&["send", "api", "work"]).ok();
    s.deck(&["wait", "api", "--for", "running", "--timeout", "60"]).ok();

    let mut command = s.command(env!("CARGO_BIN_EXE_deck"));
    command.args(["mcp", "attach", "api", "memory", "--when-idle"]).stdout(Stdio::piped());
    let waiting = command.spawn().unwrap();
    wait_until("it is attached", || {
        let status = status(&s);
        if status["changes"].as_array().is_some_and(|all| all.len() == 1) {
            Ok(())
        } else {
            Err(status.to_string())
        }
    });
    assert_eq!(s.session("api")["status"], "running", "it is still at work");
    // What it does ends by itself.
    s.deck(&["keys", "api", "enter"]).ok();
    let output = waiting.wait_with_output().unwrap();
    assert!(output.status.success());
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "api: attached memory; started again\n");
    assert_eq!(status(&s)["changes"], serde_json::json!([]));
    assert_eq!(s.session("api")["loaded_mcp_names"], serde_json::json!(["memory"]));
}
