//! Conversations: resumed once, copied, brought back, and never silently started over.

use crate::support::{Sandbox, may_miss_exits, wait_until};

/// A stand-in for Claude Code that shows its arguments, and the file that a first prompt leaves.
fn claude(s: &Sandbox) -> String {
    s.agent("claude");
    s.project("p")
}

fn add(s: &Sandbox, dir: &str, title: &str) -> String {
    s.deck(&["add", dir, "-t", title, "-c", "claude"]).ok();
    s.session(title)["resume_id"].as_str().unwrap().to_owned()
}

fn had_a_prompt(s: &Sandbox, id: &str) -> std::path::PathBuf {
    let dir = s.path("home").join(".claude/projects/-p");
    std::fs::create_dir_all(&dir).unwrap();
    let file = dir.join(format!("{id}.jsonl"));
    std::fs::write(&file, "{}\n").unwrap();
    file
}

fn shows(s: &Sandbox, title: &str, what: &str) {
    wait_until(&format!("{title} shows {what}"), || {
        let text = s.deck(&["output", title]).ok();
        // A long line is wrapped.
        if text.replace('\n', "").contains(what) { Ok(()) } else { Err(text) }
    });
}

#[test]
fn a_fork_continues_under_its_own_id() {
    let s = Sandbox::new();
    let dir = claude(&s);
    let id = add(&s, &dir, "api");
    let refused = s.deck(&["fork", "api"]).fails(1);
    assert!(refused.contains("nothing was said in it yet"), "{refused}");
    assert_eq!(s.list().len(), 1, "what was refused leaves nothing behind");
    had_a_prompt(&s, &id);
    s.deck(&["fork", "api"]).ok();
    let child = s.session("api fork");
    let new = child["resume_id"].as_str().unwrap().to_owned();
    assert_ne!(new, id);
    assert_eq!(child["parent_id"], s.session("api")["id"]);
    shows(&s, "api fork", &format!("--resume {id} --fork-session --session-id {new}"));
    had_a_prompt(&s, &new);
    s.deck(&["restart", "api fork"]).ok();
    shows(&s, "api fork", &format!("--resume {new}"));
    assert_eq!(s.session("api")["resume_id"], id.as_str());
}

#[test]
fn a_file_is_copied_where_the_tool_can_not_fork() {
    let s = Sandbox::new();
    s.agent("gemini");
    let dir = s.project("p");
    s.deck(&["add", &dir, "-t", "g", "-c", "gemini"]).ok();
    let id = s.session("g")["resume_id"].as_str().unwrap().to_owned();
    let chats = s.path("home").join(".gemini/tmp/p/chats");
    std::fs::create_dir_all(&chats).unwrap();
    let file = chats.join(format!("session-2026-01-01T00-00-{}.jsonl", &id[..8]));
    let text = format!("{{\"sessionId\":\"{id}\"}}\n{{\"type\":\"user\"}}\n");
    std::fs::write(&file, &text).unwrap();
    s.deck(&["fork", "g", "-t", "copy"]).ok();
    let new = s.session("copy")["resume_id"].as_str().unwrap().to_owned();
    let copied = chats.join(format!("session-2026-01-01T00-00-{}.jsonl", &new[..8]));
    assert_eq!(std::fs::read_to_string(copied).unwrap(), text.replace(&id, &new));
    assert_eq!(std::fs::read_to_string(file).unwrap(), text);
    shows(&s, "copy", &format!("--resume {new}"));
}

#[test]
fn one_conversation_is_open_once() {
    let s = Sandbox::new();
    let dir = claude(&s);
    let id = add(&s, &dir, "first");
    had_a_prompt(&s, &id);
    add(&s, &dir, "second");
    s.deck(&["stop", "second"]).ok();
    let path = s.path("deck").join("profiles/default/sessions.json");
    let other = s.session("second")["resume_id"].as_str().unwrap().to_owned();
    std::fs::write(&path, std::fs::read_to_string(&path).unwrap().replace(&other, &id)).unwrap();
    let refused = s.deck(&["start", "second"]).fails(6);
    assert!(refused.contains("first") && refused.contains("hint: "), "{refused}");
    s.deck(&["stop", "first"]).ok();
    s.deck(&["start", "second"]).ok();
}

#[test]
fn one_conversation_is_open_once_in_all_profiles() {
    let s = Sandbox::new();
    let dir = claude(&s);
    let id = add(&s, &dir, "first");
    had_a_prompt(&s, &id);
    s.deck(&["-p", "other", "add", &dir, "-t", "second", "-c", "claude", "--no-start"]).ok();
    let path = s.path("deck").join("profiles/other/sessions.json");
    let mut profile: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    profile["sessions"][0]["resume"] = serde_json::json!({ "id": id, "used": true });
    std::fs::write(&path, profile.to_string()).unwrap();
    let refused = s.deck(&["-p", "other", "start", "second"]).fails(6);
    assert!(refused.contains("first (profile default)"), "{refused}");
    s.deck(&["stop", "first"]).ok();
    s.deck(&["-p", "other", "start", "second"]).ok();
}

#[test]
fn a_missing_conversation_is_reported() {
    let s = Sandbox::new();
    let dir = claude(&s);
    let id = add(&s, &dir, "api");
    // Never prompted: it starts again under its id.
    s.deck(&["restart", "api"]).ok();
    shows(&s, "api", &format!("--session-id {id}"));
    let file = had_a_prompt(&s, &id);
    let path = s.path("deck").join("profiles/default/sessions.json");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("\"used\": false", "\"used\": true")).unwrap();
    std::fs::remove_file(file).unwrap();
    let pid = s.session("api")["tmux"]["pid"].clone();
    let refused = s.deck(&["restart", "api"]).fails(6);
    assert!(refused.contains(&id) && refused.contains("deck start --fresh api"), "{refused}");
    assert_eq!(s.session("api")["tmux"]["pid"], pid, "nothing was ended");
    s.deck(&["restart", "--fresh", "api"]).ok();
    let history = &s.profile("default")["sessions"][0]["resume"]["history"];
    assert_eq!(history.as_array().unwrap().len(), 2, "{history}");
}

#[test]
fn what_was_lost_with_its_server_is_revived_once() {
    let s = Sandbox::new();
    let dir = claude(&s);
    let ids: Vec<String> = ["a", "b", "c", "d"].iter().map(|t| add(&s, &dir, t)).collect();
    for id in &ids {
        had_a_prompt(&s, id);
    }
    s.deck(&["stop", "d"]).ok();
    assert_eq!(s.deck(&["revive", "-q"]).ok(), "", "nothing is lost");
    let socket = s.socket();
    s.tmux(&socket, &["kill-server"]);
    wait_until("they are gone", || {
        let lost = s.deck(&["revive"]).ok();
        if lost == "a\nb\nc\n" { Ok(()) } else { Err(lost) }
    });
    let mut others = [s.spawn_deck(&["revive", "--all"]), s.spawn_deck(&["revive", "--all"])];
    for other in &mut others {
        assert!(other.wait().unwrap().success());
    }
    for (title, id) in ["a", "b", "c"].iter().zip(&ids) {
        shows(&s, title, &format!("--resume {id}"));
    }
    assert_eq!(s.session("d")["status"], "stopped");
    let panes = s.tmux(&socket, &["list-panes", "-a", "-F", "#{@deck_title}"]);
    assert_eq!(panes.lines().filter(|l| !l.is_empty()).count(), 3, "{panes}");
    s.deck(&["revive", "nobody"]).fails(3);
}

#[test]
fn what_is_set_holds_from_the_next_start_on() {
    let s = Sandbox::new();
    let dir = claude(&s);
    add(&s, &dir, "api");
    let moved = s.project("moved");
    s.deck(&["set", "api", &format!("path={moved}"), "args=--model 'opus 5'", "env.A=1"]).ok();
    s.deck(&["restart", "api"]).ok();
    shows(&s, "api", "--model opus 5");
    assert_eq!(s.session("api")["project_path"], moved.as_str());
    assert!(s.deck(&["set", "api", "colour=red"]).fails(2).contains("title, path, command"));
    assert!(s.deck(&["set", "api", "path=/nowhere/at/all"]).fails(1).contains("hint: "));
    s.deck(&["set", "api", "title"]).fails(2);
}

#[test]
fn waiting_for_what_an_agent_started() {
    let s = Sandbox::new();
    let dir = claude(&s);
    add(&s, &dir, "top");
    s.deck(&["wait", "top", "--children"]).fails(3);
    s.deck(&["add", &dir, "-t", "below", "-c", "claude", "--parent", "top"]).ok();
    s.deck(&["stop", "below"]).ok();
    assert_eq!(s.deck(&["wait", "top", "--children", "--for", "exit"]).ok(), "below: stopped\n");
}

#[test]
fn an_agent_that_outlived_its_server_is_ended_before_it_is_revived() {
    let s = Sandbox::new();
    s.program("claude", "trap '' HUP\necho \"agent $*\"\nwhile :; do sleep 0.1; done");
    let dir = s.project("p");
    let id = add(&s, &dir, "api");
    had_a_prompt(&s, &id);
    shows(&s, "api", &id);
    let pid = s.session("api")["tmux"]["pid"].as_i64().unwrap();
    s.tmux(&s.socket(), &["kill-server"]);
    let lives = || std::fs::read_to_string(format!("/proc/{pid}/cmdline")).is_ok_and(|c| !c.is_empty());
    assert!(lives(), "it survives its terminal");
    wait_until("it is lost", || match s.deck(&["revive"]).ok() {
        lost if lost == "api\n" => Ok(()),
        lost => Err(lost),
    });
    s.deck(&["revive", "--all"]).ok();
    shows(&s, "api", &format!("--resume {id}"));
    assert!(!lives(), "two programs would write one conversation");
}

#[test]
fn a_revive_that_was_killed_is_finished_by_the_next() {
    let s = Sandbox::new();
    let dir = claude(&s);
    let titles = ["a", "b", "c", "d", "e", "f"];
    for title in titles {
        had_a_prompt(&s, &add(&s, &dir, title));
    }
    let socket = s.socket();
    s.tmux(&socket, &["kill-server"]);
    for ms in [4u64, 9, 15, 25] {
        let mut cut = s.spawn_deck(&["revive", "--all"]);
        std::thread::sleep(std::time::Duration::from_millis(ms));
        // It may be done by then.
        let _ = cut.kill();
        cut.wait().unwrap();
    }
    s.deck(&["revive", "--all"]).ok();
    let panes = s.tmux(&socket, &["list-panes", "-a", "-F", "#{session_name}"]);
    let agents = panes.lines().filter(|l| !l.starts_with('_')).count();
    assert_eq!(agents, titles.len(), "{panes}");
    for session in s.list() {
        assert!(matches!(session["status"].as_str(), Some("starting" | "idle")), "{session}");
    }
}

#[test]
fn an_agent_that_does_not_find_its_conversation_is_reported_with_its_last_words() {
    let s = Sandbox::new();
    s.program(
        "claude",
        "case \"$*\" in *--resume*) echo \"No conversation found with session ID\"; exit 1;; esac\nexec cat",
    );
    let dir = s.project("p");
    let id = add(&s, &dir, "api");
    had_a_prompt(&s, &id);
    let report = s.deck(&["restart", "api"]).fails(1);
    assert!(report.contains("with status 1") || may_miss_exits(), "{report}");
    assert!(report.contains("No conversation found"), "{report}");
    assert!(report.contains("hint: ") && !report.contains("restarted"), "{report}");
    assert_eq!(s.session("api")["resume_id"], id.as_str(), "its id is kept");
    s.tmux(&s.socket(), &["kill-server"]);
    wait_until("it is lost", || match s.deck(&["revive"]).ok() {
        lost if lost == "api\n" => Ok(()),
        lost => Err(lost),
    });
    let report = s.deck(&["revive", "--all"]).fails(1);
    assert!(report.contains("No conversation found"), "{report}");
    assert_eq!(s.session("api")["resume_id"], id.as_str());
}

#[test]
fn a_long_conversation_is_counted_by_and_by() {
    let s = Sandbox::new();
    let dir = claude(&s);
    let id = add(&s, &dir, "api");
    let file = had_a_prompt(&s, &id);
    let prompt = r#"{"type":"user","message":{"role":"user","content":"do it"}}"#;
    let answer = |n: u32| {
        let pad = "x".repeat(40_000);
        format!(
            r#"{{"type":"assistant","message":{{"id":"m{n}","model":"m-1","content":[{{"type":"text","text":"{pad}"}}],"usage":{{"input_tokens":1000,"cache_read_input_tokens":500,"output_tokens":20}}}}}}"#
        )
    };
    let text: String = (0..200).map(|n| format!("{prompt}\n{}\n{}\n", answer(n), answer(n))).collect();
    std::fs::write(&file, text).unwrap();
    let json = |args: &[&str]| -> serde_json::Value {
        serde_json::from_str(&s.deck(&[&["show", "api", "--json"], args].concat()).ok()).unwrap()
    };
    let first = json(&[]);
    assert_eq!(first["totals"], serde_json::Value::Null, "not reported by halves: {first}");
    assert_eq!(first["conversation"]["context_tokens"], 1520);
    let shown = s.deck(&["show", "api"]).ok();
    assert!(shown.contains("…") && shown.contains("--totals"), "{shown}");
    let all = json(&["--totals"])["totals"].clone();
    assert_eq!((&all["prompts"], &all["input_tokens"]), (&200.into(), &300_000.into()), "{all}");
    // From now on only what is new is read.
    use std::io::Write;
    let mut more = std::fs::OpenOptions::new().append(true).open(&file).unwrap();
    writeln!(more, "{prompt}\n{}", answer(200)).unwrap();
    assert_eq!(json(&[])["totals"]["prompts"], 201);
    assert!(s.deck(&["show", "api"]).ok().contains("201 prompts · 301 k tokens read · 4 k written"));
}
