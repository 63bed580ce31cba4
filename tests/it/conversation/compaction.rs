//! Putting older messages into a checkpoint, by a program or without one.

use serde_json::{Value, json};

use super::{add, conv, ids, json, opened, refused};
use crate::support::Sandbox;

/// A tool whose program reads what it is to say from a file, and notes what it was asked.
const TOOL: &str = r#"
[tools.writer]
command = "writer"
[tools.writer.headless]
args = ["{system}"]
result = "."
[roles.pm]
summarizer = "writer"
token_limit = 10000
keep_tokens = 1000
"#;

const GOOD: &str = r#"{"completed":["Chose GitHub"],"inProgress":["Designing the login"],"pending":["Implement OAuth"],"blockers":["The client id from ops"],"decisions":["GitHub only at first"],"failedApproaches":["Cookies"],"facts":["port 8123"]}"#;

/// A conversation of many words, and a program that writes checkpoints as `script` says.
fn talked(script: &str) -> Sandbox {
    let s = opened();
    s.file("config.toml", TOOL);
    let notes = s.path("tmp");
    s.program("writer", &format!("cat >> {0}/asked; echo >> {0}/runs\n{script}", notes.display()));
    for n in 0..8 {
        add(&s, "user", &format!("request {n} {}", "word ".repeat(600)));
        add(&s, "assistant", &format!("answer {n} {}", "reply ".repeat(600)));
    }
    add(&s, "user", "And what is next?");
    s
}

fn says(answer: &str) -> String {
    format!("echo '{answer}'")
}

fn compact(s: &Sandbox, args: &[&str]) -> Value {
    json(s, &[&["compact", "pm-feature-auth"], args].concat())
}

fn runs(s: &Sandbox) -> usize {
    std::fs::read_to_string(s.path("tmp/runs")).unwrap_or_default().lines().count()
}

#[test]
fn a_program_writes_the_checkpoint_and_deck_keeps_what_is_open() {
    let s = talked(&says(GOOD));
    conv(&s, &["pin", "pm-feature-auth", "Never touch billing"]);
    let all = ids(&s, &[]);
    let before = json(&s, &["show", "pm-feature-auth"]);
    assert!(
        before["tokens"]["size"].as_u64() > Some(9000) && before["compaction"]["due"] == true,
        "{before}"
    );
    let done = compact(&s, &[]);
    let result = &done["result"];
    assert_eq!(
        (&result["version"], &result["method"], &result["model"]),
        (&json!(2), &json!("model"), &json!("writer"))
    );
    let checkpoint = json(&s, &["checkpoint", "pm-feature-auth"]);
    assert_eq!(checkpoint["summary"]["blockers"], json!(["The client id from ops"]));
    assert_eq!(checkpoint["kept"]["facts"], json!(["port 8123"]));
    assert!(checkpoint["kept"]["userMessages"][0]["content"].as_str().unwrap().starts_with("request 7"));
    // The last request stays, and what fits before it; nothing is lost.
    let left = ids(&s, &[]);
    assert!(left.len() < all.len() && left.last() == all.last(), "{left:?}");
    assert_eq!(ids(&s, &["--archive"]), all);
    let asked = std::fs::read_to_string(s.path("tmp/asked")).unwrap();
    assert!(
        asked.contains("request 0") && !asked.contains("what is next"),
        "the last request is not summarized"
    );
    assert_eq!(conv(&s, &["request", "pm-feature-auth"]).matches("Never touch billing").count(), 1);
    // An answer that drops what is open.
    s.program(
        "writer",
        &format!(
            "cat > /dev/null\n{}",
            says(&GOOD.replace("\"Implement OAuth\"", "").replace("\"The client id from ops\"", ""))
        ),
    );
    for n in 6..17 {
        add(&s, "assistant", &format!("answer {n} {}", "reply ".repeat(900)));
        add(&s, "user", &format!("request {n}"));
    }
    let done = compact(&s, &[]);
    assert_eq!(done["result"]["putBack"], 2);
    let summary = json(&s, &["checkpoint", "pm-feature-auth"])["summary"].clone();
    assert_eq!(
        (&summary["pending"], &summary["blockers"]),
        (&json!(["Implement OAuth"]), &json!(["The client id from ops"]))
    );
    assert_eq!(json(&s, &["checkpoint", "pm-feature-auth", "--version", "2"])["version"], 2);
    // And back.
    let undone = compact(&s, &["--undo"]);
    assert_eq!((&undone["result"], &undone["conversation"]["checkpoint"]), (&Value::Null, &json!(4)));
    let events = conv(&s, &["events", "pm-feature-auth", "--json"]);
    let words: Vec<String> = events
        .lines()
        .map(|l| serde_json::from_str::<Value>(l).unwrap()["event"].as_str().unwrap().to_owned())
        .filter(|event| event.starts_with("compaction"))
        .collect();
    let want = ["start", "complete", "start", "complete", "undone"].map(|w| format!("compaction_{w}"));
    assert_eq!(words, want);
    let whole: Vec<String> = ids(&s, &["--archive"]);
    assert_eq!(whole[..all.len()], all);
}

#[test]
fn whatever_a_program_does_the_conversation_can_be_used() {
    let cases: [(&str, String, &str, usize); 7] = [
        ("prose", "cat > /dev/null; echo 'I think it went well.'".into(), "no JSON object", 2),
        (
            "another shape",
            "cat > /dev/null; echo '{\"summary\":\"x\"}'".into(),
            "isn't such a JSON object",
            2,
        ),
        ("nothing", "cat > /dev/null".into(), "no JSON object", 2),
        (
            "an error",
            format!(
                "cat > /dev/null; echo '529 overloaded, key sk-{}' >&2; exit 1",
                "ant-abcdefghijklmnopqrstuvwxyz"
            ),
            "529 overloaded, key [redacted:anthropic:",
            2,
        ),
        (
            "a flood",
            "while :; do echo flood flood flood flood flood; done".into(),
            "more than 262144 bytes",
            2,
        ),
        (
            "too much",
            format!(
                "cat > /dev/null; echo '{}'",
                GOOD.replace("\"Cookies\"", &format!("\"{}\"", "word ".repeat(5000)))
            ),
            "at most 500 are allowed",
            2,
        ),
        ("no program", String::new(), "writer is not installed", 0),
    ];
    for (what, script, why, times) in cases {
        let s = talked(&script);
        if script.is_empty() {
            std::fs::remove_file(s.path("bin/writer")).unwrap();
        }
        let all = ids(&s, &[]);
        let done = compact(&s, &[]);
        let result = &done["result"];
        let said = result["withoutModel"].as_str().unwrap_or_default();
        assert!(said.contains(why), "{what}: {said}");
        assert_eq!((&result["method"], runs(&s)), (&json!("deterministic"), times), "{what}");
        assert_eq!(ids(&s, &["--archive"]), all, "{what}");
        let checkpoint = json(&s, &["checkpoint", "pm-feature-auth"]);
        let fact = checkpoint["kept"]["facts"][0].as_str().unwrap();
        assert!(fact.starts_with("Last answer before this checkpoint: answer"), "{fact}");
        let left = std::fs::read_dir(s.path("deck/run/headless")).map(|all| all.count()).unwrap_or_default();
        assert!(left <= 1, "nothing but the empty folder is left: {left}");
    }
}

#[test]
fn it_never_loops_and_says_why_nothing_was_compacted() {
    let s = opened();
    s.file("config.toml", TOOL);
    s.program("writer", "cat > /dev/null; exit 1");
    add(&s, "user", "hello");
    let small = refused(&s, &["compact", "pm-feature-auth"], 6);
    assert!(
        small.contains("is not large enough") && small.contains("`--force` compacts it anyway"),
        "{small}"
    );
    let nothing = refused(&s, &["compact", "pm-feature-auth", "--force"], 6);
    assert!(nothing.contains("belong to the last request, which is never compacted"), "{nothing}");
    // One message that is too large by itself.
    add(&s, "user", &"word ".repeat(12_000));
    let alone = refused(&s, &["compact", "pm-feature-auth"], 6);
    assert!(alone.contains("alone has ~") || alone.contains("would not become shorter"), "{alone}");
    let id = ids(&s, &[]);
    let made = json(&s, &["request", "pm-feature-auth", "--compact", "auto"]);
    assert_eq!(made["messages"].as_array().unwrap().len(), 2);
    assert_eq!(ids(&s, &[]), id);
    // After three checkpoints that no model could write none is tried by itself.
    let s = talked("cat > /dev/null; exit 1");
    for round in 1..=4 {
        let made = s.deck(&["conversation", "request", "pm-feature-auth", "--json"]);
        let made: Value = serde_json::from_str(&made.stdout()).unwrap();
        assert_eq!(made["compaction"], Value::Null, "it was compacted");
        assert_eq!(runs(&s), 2 * round.min(3), "{round}");
        for n in 0..11 {
            add(&s, "assistant", &format!("answer {n} {}", "reply ".repeat(900)));
            add(&s, "user", &format!("request {round} {n}"));
        }
    }
    let shown = json(&s, &["show", "pm-feature-auth"]);
    assert_eq!(shown["compaction"]["withoutModel"], 4);
    compact(&s, &[]);
    assert_eq!(runs(&s), 8, "by hand it is tried again");
}

#[test]
fn two_at_once_and_secrets() {
    let s = talked(&format!("while [ ! -e \"$HOME/go\" ]; do sleep 0.05; done\n{}", says(GOOD)));
    let secret = ["sk-", "ant-abcdefghijklmnopqrstuvwxyz0123456789"].concat();
    let first = ids(&s, &[])[0].clone();
    let mut command = s.command(env!("CARGO_BIN_EXE_deck"));
    command
        .args(["conversation", "add", "pm-feature-auth", "--role", "user", "--id", "s"])
        .arg(format!("the key is {secret}"));
    assert!(command.output().unwrap().status.success());
    add(&s, "assistant", &"reply ".repeat(1200));
    add(&s, "user", "and now?");
    let mut child = s.spawn_deck(&["conversation", "compact", "pm-feature-auth", "--force"]);
    crate::support::wait_until("it has begun", || {
        if runs(&s) == 1 { Ok(()) } else { Err("no program was asked".to_owned()) }
    });
    let busy = refused(&s, &["compact", "pm-feature-auth", "--force"], 6);
    assert!(json(&s, &["request", "pm-feature-auth"])["messages"].is_array(), "a request waits for nobody");
    assert!(busy.contains("is being compacted by process"), "{busy}");
    // Messages may come meanwhile.
    let late = add(&s, "user", "one more");
    std::fs::write(s.path("home/go"), "").unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(ids(&s, &[]).last(), Some(&late));
    assert_eq!(ids(&s, &["--archive"])[0], first);
    let asked = std::fs::read_to_string(s.path("tmp/asked")).unwrap();
    assert!(asked.contains("the key is [redacted:anthropic:") && !asked.contains(&secret));
    // The record is its user's own.
    assert!(conv(&s, &["messages", "pm-feature-auth", "--archive", "--limit", "100"]).contains(&secret));
}
