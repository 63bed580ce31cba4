//! A session's agent is the one that talks in a conversation.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{conv, json as talk, refused};
use crate::support::{Sandbox, Screen, wait_until};

/// A tool whose agent writes what it is told into a transcript of Claude Code's format.
pub(super) const TOOLS: &str = r#"
[tools.talker]
command = "talker"
resume = "minted"
new_id_flag = "--id"
resume_flag = "--resume"
start_prompt = "argv"
conversation_files = ["~/talk/{id}.jsonl"]
sources = ["claude-transcript"]
fallback = "activity"
[tools.mute]
command = "mute"
[roles.small]
type = "feature"
token_limit = 1000
keep_tokens = 100
summarizer = "none"
[roles.rolling]
type = "feature"
token_limit = 1000
keep_tokens = 100
summarizer = "none"
on_full = "rollover"
"#;

/// Its answers repeat what it was told; `/compact` replaces its context by a summary, as Claude Code records that.
pub(super) const TALKER: &str = r#"exec python3 -u -c '
import json, os, sys
id, prompt = sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else None
path = os.path.expanduser("~/talk/%s.jsonl" % id)
os.makedirs(os.path.dirname(path), exist_ok=True)
count = sum(1 for _ in open(path)) if os.path.exists(path) else 0
tokens = 10
def write(kind, record):
    global count
    count += 1
    record = {"type": kind, "uuid": "%s-%d" % (id[:8], count), "timestamp": "2026-01-01T00:00:%02d.000Z" % (count % 60), **record}
    with open(path, "a") as file:
        file.write(json.dumps(record) + "\n")
def hear(text):
    global tokens
    if text == "/compact":
        write("system", {"subtype": "compact_boundary"})
        write("user", {"isCompactSummary": True, "message": {"content": "This session is being continued: SUMMARY"}})
        tokens = 10
        print("compacted", flush=True)
        return
    tokens += 500 if text.startswith("grow") else 10
    write("user", {"message": {"content": text}})
    usage = {"input_tokens": tokens, "output_tokens": 5}
    word = text.split(" ")[1].rstrip(":") if text.startswith("Handoff ") else ""
    reply = "heard " + text + (" received " + word if word else "")
    answer = {"id": "m%d" % count, "model": "m", "content": [{"type": "text", "text": reply}], "usage": usage}
    write("assistant", {"message": answer})
    print("heard", text, flush=True)
if prompt:
    hear(prompt)
for line in sys.stdin:
    if line.strip():
        hear(line.strip())
' "$@""#;

pub(super) const DEV: &str = "dev-task-auth-login-in_dev";

/// A conversation of `dev` about a task, and a session that was asked something.
pub(super) fn sandbox() -> (Sandbox, String) {
    let s = Sandbox::new();
    s.file("config.toml", TOOLS);
    s.program("talker", TALKER);
    s.program("mute", "exec cat");
    let dir = s.project("p");
    s.deck(&["add", &dir, "-t", "api", "-c", "talker", "--prompt", "Add the login"]).ok();
    talk(&s, &["open", "--role", "dev", "--feature", "auth", "--task", "login"]);
    wait_until("it has answered", || said(&s, "api", 2));
    (s, dir)
}

/// Whether a session's transcript has at least so many records.
pub(super) fn said(s: &Sandbox, title: &str, least: usize) -> Result<(), String> {
    let text = std::fs::read_to_string(transcript(s, title)).unwrap_or_default();
    if text.lines().count() >= least && text.ends_with('\n') { Ok(()) } else { Err(text) }
}

fn transcript(s: &Sandbox, title: &str) -> PathBuf {
    let id = s.session(title)["resume_id"].as_str().unwrap().to_owned();
    s.path(&format!("home/talk/{id}.jsonl"))
}

/// Tells the agent something as its user does, and waits until it is in its transcript.
fn tell(s: &Sandbox, title: &str, text: &str, records: usize) {
    let before = std::fs::read_to_string(transcript(s, title)).unwrap_or_default().lines().count();
    let name = s.session(title)["tmux"]["name"].as_str().unwrap().to_owned();
    let target = format!("={name}:");
    s.tmux(&s.socket(), &["send-keys", "-t", &target, "-l", text]);
    s.tmux(&s.socket(), &["send-keys", "-t", &target, "Enter"]);
    wait_until("it is in the transcript", || said(s, title, before + records));
}

/// Who said what in a conversation.
fn words(s: &Sandbox, id: &str) -> Vec<String> {
    let all = talk(s, &["messages", id, "--archive", "--limit", "1000"]);
    let messages = all["messages"].as_array().unwrap().clone();
    let words = |m: Value| format!("{}: {}", m["role"].as_str().unwrap(), m["content"].as_str().unwrap());
    messages.into_iter().map(words).collect()
}

fn events(s: &Sandbox, id: &str, event: &str) -> Vec<Value> {
    let all = s.deck(&["conversation", "events", id, "--json"]).ok();
    let all = all.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    all.filter(|record| record["event"] == event).collect()
}

#[test]
fn what_is_said_in_the_session_is_in_the_conversation_once() {
    let (s, dir) = sandbox();
    let carried = conv(&s, &["carry", "login", "api"]);
    assert_eq!(carried, format!("api carries {DEV}: 2 messages read from its transcript\n"));
    let session = s.session("api");
    let root = talk(&s, &["show", DEV])["root"].clone();
    let carries = json!({"conversation": DEV, "root": root, "role": "dev", "compacted": false});
    assert_eq!(session["carries"], carries);
    let sent = conv(&s, &["add", "login", "--role", "user", "Only GitHub"]);
    assert!(sent.starts_with("sent to api: "), "{sent}");
    wait_until("it is in the transcript", || said(&s, "api", 4));
    let all = [
        "user: Add the login",
        "assistant: heard Add the login",
        "user: Only GitHub",
        "assistant: heard Only GitHub",
    ];
    assert_eq!(words(&s, DEV), all);
    assert_eq!(words(&s, DEV), all, "however often it is read");
    let shown = talk(&s, &["show", DEV]);
    assert_eq!(
        (&shown["carrier"]["session"], &shown["carrier"]["context_tokens"]),
        (&session["id"], &json!(35))
    );
    let message = &talk(&s, &["messages", DEV])["messages"][1];
    assert_eq!(message["metadata"]["tokens"], json!({"input": 20, "output": 5}));
    assert_eq!(message["metadata"]["source"]["transcript"], session["resume_id"]);
    // Inside the session it is `.`, wherever its agent is.
    let id = session["id"].as_str().unwrap().to_owned();
    let here = s
        .shell("cd / && deck conversation show . -q; deck conversation messages . -q | wc -l", Some(&id))
        .ok();
    assert!(here.contains('4'), "{here}");
    // Its agent speaks for itself, and one conversation has one agent.
    let refusal = refused(&s, &["add", DEV, "--role", "assistant", "x"], 6);
    assert!(refusal.contains("what is said in it is read from the session's transcript"), "{refusal}");
    let used = refused(&s, &["add", DEV, "--role", "user", "x", "--id", "a"], 2);
    assert!(used.contains("--id, --tokens and --meta can't be given"), "{used}");
    s.deck(&["add", &dir, "-t", "other", "-c", "talker"]).ok();
    let other = refused(&s, &["carry", DEV, "other"], 6);
    assert!(other.contains("session \"api\" carries dev-task-auth-login-in_dev already"), "{other}");
    s.deck(&["add", &dir, "-t", "quiet", "-c", "mute"]).ok();
    let mute = refused(&s, &["carry", DEV, "quiet"], 6);
    assert!(mute.contains("can't read transcripts of \"mute\""), "{mute}");
    let ended = conv(&s, &["detach", DEV]);
    assert_eq!(ended, format!("api no longer carries {DEV}\n"));
    tell(&s, "api", "not for the record", 2);
    assert_eq!((words(&s, DEV).len(), &s.session("api")["carries"]), (4, &Value::Null));
    assert!(refused(&s, &["detach", DEV], 3).contains("no session carries"));
    // Carried again, what was said meanwhile is part of it, and nothing is in it twice.
    conv(&s, &["carry", DEV, "api"]);
    assert_eq!(words(&s, DEV).len(), 6);
}

#[test]
fn a_compaction_by_the_agent_leaves_a_checkpoint_and_no_words_of_the_user() {
    let (s, _) = sandbox();
    conv(&s, &["carry", DEV, "api"]);
    conv(&s, &["pin", DEV, "Never touch the billing tables."]);
    tell(&s, "api", "/compact", 2);
    tell(&s, "api", "go on", 2);
    let all = words(&s, DEV);
    assert_eq!(all.len(), 4, "{all:?}");
    assert!(all.iter().all(|words| !words.contains("SUMMARY")), "{all:?}");
    let compactions = events(&s, DEV, "agent_compacted");
    assert_eq!(compactions.len(), 1);
    let file = PathBuf::from(compactions[0]["checkpoint"].as_str().unwrap());
    let kept = std::fs::read_to_string(&file).unwrap();
    assert!(kept.contains("> Never touch the billing tables.") && kept.contains("> Add the login"), "{kept}");
    assert!(!kept.contains("SUMMARY"), "{kept}");
    assert_eq!(s.session("api")["carries"]["compacted"], true);
    assert!(conv(&s, &["show", DEV]).contains("which it compacted once"));
    let mark = |screen: &Screen| {
        screen.text().lines().find(|line| line.contains("api ")).unwrap_or_default().to_owned()
    };
    let screen = Screen::open(&s, "t", (120, 30), &[]);
    screen.shows("api dev compacted");
    // It is given back what the summary may lack.
    s.deck(&["checkpoint", "api", "--send"]);
    let now = || std::fs::read_to_string(transcript(&s, "api")).unwrap();
    wait_until("the agent has the pin", || if now().contains("Never touch") { Ok(()) } else { Err(now()) });
    assert_eq!(s.session("api")["carries"]["compacted"], false);
    wait_until("its row says so no more", || {
        if mark(&screen).contains("compacted") { Err(mark(&screen)) } else { Ok(()) }
    });
}

#[test]
fn an_open_deck_reads_on_by_itself() {
    let (s, _) = sandbox();
    conv(&s, &["carry", DEV, "api"]);
    let screen = Screen::open(&s, "t", (120, 30), &[]);
    screen.shows("api dev");
    tell(&s, "api", "said while deck is open", 2);
    let log = Path::new(talk(&s, &["show", DEV])["root"].as_str().unwrap())
        .join(format!(".deck/conversations/chat_{DEV}.jsonl"));
    let read = || std::fs::read_to_string(&log).unwrap();
    wait_until("it is in the log", || {
        if read().matches("heard said while deck is open").count() == 1 { Ok(()) } else { Err(read()) }
    });
}

#[test]
fn it_continues_in_a_new_conversation_of_the_agent_and_where_history_is_written_again() {
    let (s, _) = sandbox();
    conv(&s, &["carry", DEV, "api"]);
    let first = transcript(&s, "api");
    // Said, and not read before the agent begins anew.
    tell(&s, "api", "the last of the first", 2);
    s.deck(&["restart", "api", "--fresh"]).ok();
    wait_until("it has another transcript", || {
        if transcript(&s, "api") == first { Err(first.display().to_string()) } else { Ok(()) }
    });
    tell(&s, "api", "the first of the second", 2);
    let all = words(&s, DEV);
    let users: Vec<&String> = all.iter().filter(|words| words.starts_with("user")).collect();
    assert_eq!(
        users,
        ["user: Add the login", "user: the last of the first", "user: the first of the second"]
    );
    assert_eq!(talk(&s, &["show", DEV])["carrier"]["resume_ids"].as_array().unwrap().len(), 2);
    // Another file of the same name, with the same history and more: as when an agent copies it.
    let path = transcript(&s, "api");
    let text = std::fs::read_to_string(&path).unwrap();
    let copy = path.with_extension("copy");
    std::fs::write(&copy, text.clone() + &text).unwrap();
    std::fs::rename(&copy, &path).unwrap();
    tell(&s, "api", "after the copy", 2);
    let again = words(&s, DEV);
    assert_eq!((again.len(), &again[..all.len()]), (all.len() + 2, &all[..]));
}

#[test]
fn killed_at_each_step_the_record_and_the_log_agree_again() {
    for step in ["talk-carries", "talk-heard", "talk-added"] {
        let (s, _) = sandbox();
        s.killed_at(step, &["conversation", "carry", DEV, "api"]);
        assert_eq!(words(&s, DEV).len(), 2, "{step}");
        assert_eq!(talk(&s, &["show", DEV])["carrier"]["session"], s.session("api")["id"], "{step}");
        assert_eq!(events(&s, DEV, "carried").len(), 1, "{step}");
        s.killed_at("talk-carries-no-more", &["conversation", "detach", DEV]);
        assert_eq!((words(&s, DEV).len(), &talk(&s, &["show", DEV])["carrier"]), (2, &Value::Null), "{step}");
        tell(&s, "api", "not for the record", 2);
        assert_eq!(words(&s, DEV).len(), 2, "{step}");
    }
}

#[test]
fn a_started_session_is_told_its_role_which_is_nobodys_words() {
    let (s, _) = sandbox();
    let open = ["open", "--role", "qa", "--feature", "auth", "--task", "login", "--start", "-c", "talker"];
    let id = talk(&s, &open)["id"].as_str().unwrap().to_owned();
    assert_eq!(id, "qa-task-auth-login-in_qa");
    wait_until("it has answered", || said(&s, &id, 2));
    let all = words(&s, &id);
    assert!(all[0].starts_with(&format!("system: Conversation {id}: this session carries it.")), "{all:?}");
    assert!(all[0].contains("wait.") && all[1].starts_with("assistant: heard Conversation"), "{all:?}");
    assert_eq!(s.session(&id)["carries"]["role"], "qa");
    let twice = refused(&s, &open, 6);
    assert!(twice.contains("carries qa-task-auth-login-in_qa already"), "{twice}");
}

#[test]
fn a_full_context_leaves_a_checkpoint_once() {
    let (s, _) = sandbox();
    let id = "small-feature-auth";
    talk(&s, &["open", "--role", "small", "--feature", "auth"]);
    conv(&s, &["carry", id, "api"]);
    let kept = || s.deck(&["checkpoint", "api", "-q"]).ok();
    let folder = PathBuf::from(kept().trim()).parent().unwrap().to_owned();
    let count = || std::fs::read_dir(&folder).unwrap().count();
    assert_eq!(count(), 1);
    tell(&s, "api", "grow once", 2);
    words(&s, id);
    assert_eq!(count(), 1, "525 of 900 tokens");
    tell(&s, "api", "grow twice", 2);
    words(&s, id);
    assert_eq!(count(), 2);
    tell(&s, "api", "and more", 2);
    words(&s, id);
    assert_eq!(count(), 2, "it was full before");
}

#[test]
fn a_handoff_takes_the_conversation_along() {
    let (s, _) = sandbox();
    conv(&s, &["carry", DEV, "api"]);
    s.deck(&["wait", "api", "--for", "idle", "--timeout", "60"]);
    tell(&s, "api", "the last of the first", 2);
    s.deck(&["wait", "api", "--for", "idle", "--timeout", "60"]);
    let args = ["handoff", "api", "--to", "talker", "-t", "next", "--when-idle", "--wait-answer", "--json"];
    let done: Value = serde_json::from_str(&s.deck(&args).ok()).unwrap();
    assert_eq!(done["receipt"], "answered");
    assert_eq!(
        (&s.session("api")["carries"], &s.session("next")["carries"]["conversation"]),
        (&Value::Null, &json!(DEV))
    );
    wait_until("it has answered", || said(&s, "next", 2));
    let all = words(&s, DEV);
    assert_eq!(&all[2..4], ["user: the last of the first", "assistant: heard the last of the first"]);
    assert!(all[4].starts_with("system: Handoff ho-"), "{all:?}");
    s.deck(&["undo"]).ok();
    assert_eq!(
        (&s.session("next")["carries"], &s.session("api")["carries"]["conversation"]),
        (&Value::Null, &json!(DEV))
    );
}

#[test]
fn a_full_context_is_left_for_a_new_conversation_that_has_the_packet() {
    let (s, _) = sandbox();
    let id = "rolling-feature-auth";
    talk(&s, &["open", "--role", "rolling", "--feature", "auth"]);
    conv(&s, &["carry", id, "api"]);
    conv(&s, &["pin", id, "Never touch the billing tables."]);
    let (old, file) = (s.session("api")["resume_id"].clone(), transcript(&s, "api"));
    let screen = Screen::open(&s, "t", (120, 30), &[]);
    screen.shows("api rolling");
    tell(&s, "api", "grow once", 2);
    tell(&s, "api", "grow twice", 2);
    wait_until("it has another conversation", || {
        if transcript(&s, "api") == file { Err(file.display().to_string()) } else { Ok(()) }
    });
    wait_until("it is told of the old one", || said(&s, "api", 2));
    wait_until("that is settled", || {
        let state = s.profile("default")["handoffs"][0]["state"].clone();
        if state == "done" { Ok(()) } else { Err(state.to_string()) }
    });
    let new = std::fs::read_to_string(transcript(&s, "api")).unwrap();
    assert!(new.contains("Never touch the billing tables.") && new.contains("End of handoff ho-"), "{new}");
    let all = words(&s, id);
    assert!(all[4].starts_with("user: grow twice") && all[6].starts_with("system: Handoff ho-"), "{all:?}");
    let shown: Value = serde_json::from_str(&s.deck(&["show", "api", "--json"]).ok()).unwrap();
    let history: Vec<&Value> = shown["resume_history"].as_array().unwrap().iter().map(|e| &e["id"]).collect();
    assert!(history.contains(&&old), "{shown}");
    assert_eq!((s.list().len(), &s.session("api")["handed_to"]), (1, &Value::Null));
}

#[test]
fn nothing_is_lost_where_a_carrier_goes_and_nothing_is_added_to_an_archived_conversation() {
    let (s, _) = sandbox();
    conv(&s, &["carry", DEV, "api"]);
    tell(&s, "api", "said before it was put away", 2);
    s.deck(&["rm", "--stop", "api"]).ok();
    let all = words(&s, DEV);
    assert_eq!(all.last().unwrap(), "assistant: heard said before it was put away");
    assert_eq!(talk(&s, &["show", DEV])["carrier"], Value::Null);
    // It comes back with what it carries.
    s.deck(&["undo"]).ok();
    s.deck(&["start", "api"]).ok();
    conv(&s, &["archive", DEV]);
    tell(&s, "api", "said to an archived one", 2);
    assert_eq!(words(&s, DEV).len(), 4);
    conv(&s, &["unarchive", DEV]);
    assert_eq!(words(&s, DEV).len(), 6);
    let kept = refused(&s, &["rm", DEV], 6);
    assert!(
        kept.contains("session \"api\" carries dev-task-auth-login-in_dev: it can't be removed"),
        "{kept}"
    );
}

#[test]
fn what_the_other_agent_said_stays_when_a_handoff_is_undone() {
    let (s, _) = sandbox();
    conv(&s, &["carry", DEV, "api"]);
    s.deck(&["handoff", "api", "--to", "talker", "-t", "next", "--when-idle"]).ok();
    wait_until("it has answered", || said(&s, "next", 2));
    tell(&s, "next", "said to the other one", 2);
    s.deck(&["undo"]).ok();
    let all = words(&s, DEV);
    assert!(all.contains(&"user: said to the other one".to_owned()), "{all:?}");
    assert_eq!(s.session("api")["carries"]["conversation"], DEV);
}

#[test]
fn all_that_was_said_since_it_carries_it_is_read_also_behind_a_new_beginning() {
    let (s, _) = sandbox();
    let id = talk(
        &s,
        &["open", "--role", "qa", "--feature", "auth", "--task", "login", "--start", "-c", "talker"],
    );
    let id = id["id"].as_str().unwrap().to_owned();
    wait_until("it has answered", || said(&s, &id, 2));
    // Nobody reads before the agent begins anew.
    let first = transcript(&s, &id);
    s.deck(&["restart", &id, "--fresh"]).ok();
    wait_until("it has another transcript", || {
        if transcript(&s, &id) == first { Err(first.display().to_string()) } else { Ok(()) }
    });
    tell(&s, &id, "in the second", 2);
    let all = words(&s, &id);
    assert!(all[0].starts_with("system: Conversation") && all[2] == "user: in the second", "{all:?}");
    let seq = talk(&s, &["show", &id])["seq"].clone();
    words(&s, &id);
    assert_eq!(talk(&s, &["show", &id])["seq"], seq, "what is read already is not read again");
}
