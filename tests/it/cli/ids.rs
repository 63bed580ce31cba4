//! Ids of conversations: minted, captured, kept.

use crate::support::{Sandbox, wait_until};

const VIBE: &str = r#"
[tools.vibe]
command = "vibe"
icon = "V"
busy_patterns = ["executing", "running tool"]
prompt_patterns = ["approve?", "[y/n]"]
detect_patterns = ["mistral vibe"]
resume_flag = "--resume"
session_id_env = "VIBE_SESSION_ID"
session_id_json_path = ".session_id"
output_format_flag = "--output-format json"
dangerous_flag = "--auto-approve"
dangerous_mode = true
"#;

/// A stand-in that prints an id when it runs headless, and else shows how it was called.
const PROGRAM: &str = r#"case "$*" in
  "--output-format json .") echo 'warning: {x}'; echo '{"session_id":"vibe-42"}' ;;
  *) echo "called with $*"; exec cat ;;
esac"#;

#[test]
fn a_custom_tool_is_captured_and_resumed() {
    let s = Sandbox::new();
    s.file("config.toml", VIBE);
    s.program("vibe", PROGRAM);
    assert!(s.deck(&["tool", "check"]).ok().contains("no problems"));
    s.deck(&["add", &s.project("p"), "-t", "v", "-c", "vibe"]).ok();
    wait_until("the id is learnt", || {
        let v = s.session("v");
        if v["resume_id"] == "vibe-42" { Ok(()) } else { Err(v.to_string()) }
    });
    let text = s.deck(&["output", "v"]).ok();
    assert!(text.contains("called with --resume vibe-42 --auto-approve"), "{text}");
    let name = s.session("v")["tmux"]["name"].as_str().unwrap().to_owned();
    let environment =
        s.tmux(&s.socket(), &["show-environment", "-t", &format!("={name}"), "VIBE_SESSION_ID"]);
    assert_eq!(environment, "VIBE_SESSION_ID=vibe-42\n");
    let ledger = &s.profile("default")["sessions"][0]["resume"];
    assert_eq!((&ledger["id"], &ledger["history"][0]["source"]), (&"vibe-42".into(), &"captured".into()));

    s.deck(&["restart", "v"]).ok();
    wait_until("it resumes", || {
        let text = s.deck(&["output", "v"]).ok();
        if text.contains("--resume vibe-42") { Ok(()) } else { Err(text) }
    });
}

#[test]
fn without_an_id_the_agent_starts_all_the_same() {
    let s = Sandbox::new();
    s.file("config.toml", VIBE);
    s.program("vibe", "case \"$*\" in *json*) exit 1;; *) echo \"called with $*\"; exec cat;; esac");
    s.deck(&["add", &s.project("p"), "-t", "v", "-c", "vibe"]).ok();
    wait_until("it runs", || {
        let text = s.deck(&["output", "v"]).ok();
        if text.contains("called with --auto-approve") { Ok(()) } else { Err(text) }
    });
    assert!(s.session("v")["note"].as_str().unwrap().contains("without a session id"));
}

#[test]
fn capture_id_reads_stdin_and_ends_what_hangs() {
    let s = Sandbox::new();
    let error = s.deck(&["capture-id", ".id", "--timeout", "1", "--", "sh", "-c", "sleep 1000"]).fails(5);
    assert!(error.contains("didn't finish within 1 s"), "{error}");
    s.deck(&["capture-id", "."]).fails(2);
    let id = s.deck(&["capture-id", ".a[0].id", "--", "echo", r#"{"a":[{"id":"x"}]}"#]).ok();
    assert_eq!(id, "x\n");
}

#[test]
fn hostile_values_pass_through_a_real_shell() {
    let s = Sandbox::new();
    s.program("claude", "printf '<%s>\\n' \"$@\"; exec cat");
    let nasty = "a b'c\"d$HOME`id`;&|\\\n#{x} ~é%";
    s.deck(&["add", &s.project("p"), "-t", "n", "-c", "claude", "--prompt", nasty, "--", "--flag=$(id)"])
        .ok();
    wait_until("every byte arrived", || {
        let text = s.deck(&["output", "n"]).ok();
        if text.contains(&format!("<{nasty}>")) && text.contains("<--flag=$(id)>") {
            Ok(())
        } else {
            Err(text)
        }
    });
}
