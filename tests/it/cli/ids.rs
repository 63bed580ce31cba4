//! Ids of conversations: assigned, captured, kept.

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

/// Ids that a shell, an agent or a path would take for something else.
const BAD: [&str; 4] = ["--dangerously-skip-permissions", "../../../../etc/passwd", "*", ""];

#[test]
fn what_is_no_id_is_learnt_from_nobody() {
    let s = Sandbox::new();
    s.agent("claude");
    s.deck(&["add", &s.project("p"), "-t", "api", "-c", "claude"]).ok();
    let session = s.session("api");
    let own = session["resume_id"].clone();
    let (socket, pane) = (s.socket(), session["tmux"]["pane_id"].as_str().unwrap().to_owned());
    for bad in BAD {
        let payload = s.path("tmp").join("payload");
        std::fs::write(&payload, serde_json::json!({ "session_id": bad, "source": "startup" }).to_string())
            .unwrap();
        let mut hook = s.command(env!("CARGO_BIN_EXE_deck"));
        hook.args(["hook", "SessionStart"]).env("DECK_SESSION_ID", session["id"].as_str().unwrap());
        let output = hook.stdin(std::fs::File::open(&payload).unwrap()).output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
        assert_eq!(s.session("api")["resume_id"], own, "by a hook");
        s.tmux(&socket, &["set-option", "-t", &pane, "@deck_resume_id", bad]);
        assert_eq!(s.session("api")["resume_id"], own, "by tmux: {bad}");
        if !bad.is_empty() {
            let printed = format!(r#"{{"id":"{bad}"}}"#);
            assert!(
                s.deck(&["capture-id", ".id", "--", "echo", &printed])
                    .fails(1)
                    .contains("not a conversation id")
            );
        }
    }
}

#[test]
fn a_bad_id_on_record_is_never_passed_to_an_agent() {
    let s = Sandbox::new();
    s.agent("claude");
    s.deck(&["add", &s.project("p"), "-t", "api", "-c", "claude", "--no-start"]).ok();
    let path = s.path("deck").join("profiles/default/sessions.json");
    let mut profile = s.profile("default");
    profile["sessions"][0]["resume"] =
        serde_json::json!({ "id": "--dangerously-skip-permissions", "used": true });
    std::fs::write(&path, profile.to_string()).unwrap();
    let file = s.path("home").join(".claude/projects/-p/--dangerously-skip-permissions.jsonl");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, "{}\n").unwrap();
    let shown = s.deck(&["show", "api", "--command"]).stdout();
    assert!(!shown.contains("--dangerously"), "{shown}");
    let told = s.deck(&["start", "api"]).fails(6);
    assert!(told.contains("invalid conversation id") && told.contains("--fresh"), "{told}");
    s.deck(&["start", "--fresh", "api"]).ok();
    wait_until("it runs without it", || {
        let text = s.deck(&["output", "api"]).ok();
        if text.contains("--session-id") && !text.contains("--dangerously") { Ok(()) } else { Err(text) }
    });
}

#[test]
fn a_pane_that_names_a_path_as_its_session_is_not_taken_back() {
    let s = Sandbox::new();
    s.agent("claude");
    s.deck(&["add", &s.project("p"), "-t", "api", "-c", "claude"]).ok();
    let (socket, pane) = (s.socket(), s.session("api")["tmux"]["pane_id"].as_str().unwrap().to_owned());
    for bad in ["../../../x", "a/b", "-rf"] {
        s.tmux(&socket, &["set-option", "-t", &pane, "@deck_id", bad]);
        for _ in 0..2 {
            let ids: Vec<_> = s.list().iter().map(|v| v["id"].clone()).collect();
            assert!(!ids.contains(&bad.into()), "{ids:?}");
        }
    }
    assert!(!s.path("x.jsonl").exists() && !s.path("deck").join("x.jsonl").exists());
    assert_eq!(s.profile("default")["sessions"].as_array().unwrap().len(), 1);
}
