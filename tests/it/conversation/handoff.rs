//! Another agent continues a session's work, with proof that it was told of it.

use serde_json::{Value, json};

use crate::support::{Sandbox, wait_until};

/// A tool whose agents write what they are told into a transcript of Claude Code's format, and two that don't.
const TOOLS: &str = r#"
[tools.scribe]
command = "scribe"
resume = "minted"
new_id_flag = "--id"
resume_flag = "--resume"
start_prompt = "argv"
conversation_files = ["~/talk/{id}.jsonl"]
sources = ["claude-transcript"]
fallback = "activity"
[tools.dies]
command = "dies"
resume = "minted"
new_id_flag = "--id"
resume_flag = "--resume"
start_prompt = "argv"
conversation_files = ["~/none/{id}.jsonl"]
sources = ["claude-transcript"]
[tools.mute]
command = "mute"
start_prompt = "argv"
"#;

/// Writes its last argument as its user's prompt, and an answer.
const SCRIBE: &str = r#"id=$2; for prompt; do :; done
mkdir -p "$HOME/talk"
if [ "$1" = --id ]; then
  python3 -c 'import json, sys
print(json.dumps({"type": "user", "message": {"content": sys.argv[1]}}))
print(json.dumps({"type": "assistant", "message": {"model": "m", "content": [{"type": "text", "text": "Done with " + sys.argv[1][:20]}]}}))' "$prompt" >> "$HOME/talk/$id.jsonl"
fi
exec cat"#;

fn sandbox() -> Sandbox {
    let s = Sandbox::new();
    s.file("config.toml", TOOLS);
    s.program("scribe", SCRIBE);
    s.program("dies", "exit 3");
    s.program("mute", "exec cat");
    let dir = s.project("p");
    s.deck(&[
        "add",
        &dir,
        "-t",
        "api",
        "-c",
        "scribe",
        "--prompt",
        "Add sign-in\twith `code`, \"quotes\" and <tags> 漢字",
    ])
    .ok();
    written(&s, "api");
    s
}

/// Waits until a session's agent has written its transcript and does nothing any more.
fn written(s: &Sandbox, title: &str) {
    wait_until("its transcript is there", || {
        let shown: Value = serde_json::from_str(&s.deck(&["checkpoint", title, "--json"]).ok()).unwrap();
        if shown["last_answer"].is_string() { Ok(()) } else { Err(shown.to_string()) }
    });
    s.deck(&["wait", title, "--for", "idle", "--timeout", "60"]);
}

fn status(s: &Sandbox, title: &str) -> String {
    s.session(title)["status"].as_str().unwrap().to_owned()
}

/// The transcripts that have a packet.
fn packets(s: &Sandbox) -> usize {
    let files = std::fs::read_dir(s.path("home/talk"))
        .unwrap()
        .map(|e| std::fs::read_to_string(e.unwrap().path()).unwrap());
    files.filter(|text| text.contains("End of handoff ho-")).count()
}

#[test]
fn the_first_one_is_stopped_once_the_other_ones_transcript_has_it() {
    let s = sandbox();
    let secret = ["ghp_", "abcdefghijklmnopqrstuvwxyz0123456789"].concat();
    s.deck(&["set", "api", &format!("env.MY_TOKEN=not-a-shape-{}", "x1y2z3")]);
    let dry = s.deck(&["handoff", "api", "--to", "scribe", "--dry-run"]).ok();
    assert!(
        dry.starts_with("Handoff ho-") && dry.contains("> Add sign-in") && !dry.contains(&secret),
        "{dry}"
    );
    assert_eq!(s.list().len(), 1, "nothing was started");
    let done: Value =
        serde_json::from_str(&s.deck(&["handoff", "api", "--to", "scribe", "-t", "next", "--json"]).ok())
            .unwrap();
    assert_eq!((&done["receipt"], &done["parked"]), (&json!("recorded"), &json!(true)));
    assert_eq!((status(&s, "api").as_str(), packets(&s)), ("stopped", 1));
    let (first, next) = (s.session("api"), s.session("next"));
    assert_eq!((&first["handed_to"], &next["handed_from"]), (&next["id"], &first["id"]));
    assert_eq!(next["parent_id"], first["id"]);
    assert!(s.deck(&["list"]).ok().contains("stopped · handed over"));
    assert!(
        s.deck(&["show", "api"]).ok().contains("continued by  next"),
        "{}",
        s.deck(&["show", "api"]).ok()
    );
    // What the first was asked is in the packet, as it was.
    let shown: Value = serde_json::from_str(&s.deck(&["checkpoint", "next", "--json"]).ok()).unwrap();
    let goal = shown["goal"].as_str().unwrap();
    assert!(goal.contains("> Add sign-in\twith `code`, \"quotes\" and <tags> 漢字"), "{goal}");
    let undone = s.deck(&["undo"]).ok();
    assert!(undone.contains("handed api over to next"), "{undone}");
    wait_until("the first one continues", || match status(&s, "api").as_str() {
        "stopped" => Err(status(&s, "api")),
        _ => Ok(()),
    });
    assert_eq!(
        (status(&s, "next").as_str(), s.session("api")["resume_id"] == first["resume_id"]),
        ("stopped", true)
    );
    assert_eq!(s.session("api")["handed_to"], Value::Null);
}

#[test]
fn without_proof_the_first_one_is_left_as_it_is() {
    let s = sandbox();
    let running = |title: &str| status(&s, title) != "stopped";
    let ended = s.deck(&["handoff", "api", "--to", "dies"]).fails(1);
    assert!(
        ended.contains("did not confirm the handoff ho-") && ended.contains("its agent ended"),
        "{ended}"
    );
    let none = s.deck(&["handoff", "api", "--to", "no-such-agent"]);
    assert_ne!(none.code(), 0);
    let mute: Value =
        serde_json::from_str(&s.deck(&["handoff", "api", "--to", "mute", "--json"]).ok()).unwrap();
    assert_eq!((&mute["receipt"], &mute["parked"]), (&json!("not_verified"), &json!(false)));
    assert!(running("api"));
    let kept: Value =
        serde_json::from_str(&s.deck(&["handoff", "api", "--to", "scribe", "--keep", "--json"]).ok())
            .unwrap();
    assert_eq!((&kept["receipt"], &kept["parked"]), (&json!("recorded"), &json!(false)));
    assert!(running("api") && running("api-scribe"));
    let dir = s.project("q");
    s.deck(&["add", &dir, "-t", "new", "-c", "mute"]).ok();
    let nothing = s.deck(&["handoff", "new", "--to", "scribe", "--force"]).fails(6);
    assert!(nothing.contains("has no transcript that could be handed over"), "{nothing}");
}

#[test]
fn killed_at_each_step_there_is_one_new_session_and_one_packet() {
    for (step, parked, sessions) in [
        ("handoff-begun", false, 1),
        ("handoff-started", true, 2),
        ("handoff-sent", true, 2),
        ("handoff-recorded", true, 2),
        ("handoff-parked", true, 2),
    ] {
        let s = sandbox();
        s.killed_at(step, &["handoff", "api", "--to", "scribe", "-t", "next"]);
        if sessions == 2 {
            written(&s, "next");
        }
        // Whoever opens deck next finishes it.
        let screen = crate::support::Screen::open(&s, "t", (100, 30), &[]);
        screen.shows("api");
        wait_until(&format!("{step}: it is finished"), || {
            let state = s.profile("default")["handoffs"][0]["state"].clone();
            if state == "done" || state["failed"].is_string() { Ok(()) } else { Err(state.to_string()) }
        });
        assert_eq!(status(&s, "api") == "stopped", parked, "{step}");
        assert_eq!((s.list().len(), packets(&s)), (sessions, sessions - 1), "{step}");
    }
}
