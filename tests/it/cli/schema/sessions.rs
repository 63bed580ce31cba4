//! The verbs for profiles, groups and sessions.

use deck::reference::WATCH;
use serde_json::Value;

use super::checked::Checked;
use crate::support::wait_until;

/// A conversation that no session has.
const CONVERSATION: &str = "5b1e2c90-0000-4000-8000-000000000000";

pub(super) fn profiles_and_groups(c: &mut Checked<'_>, dir: &str) {
    for (name, args) in [
        ("profile add", &["empty"][..]),
        ("profile add", &["other"]),
        ("profile rename", &["other", "third"]),
        ("profile list", &[]),
        ("profile default", &[]),
        ("profile rm", &["third"]),
        ("group add", &["work/backend", "--path", dir]),
        ("group add", &["tools"]),
        ("group rename", &["tools", "kit"]),
        ("group move", &["kit", "--to", "work"]),
        ("group set", &["work", "--path", dir]),
        ("group list", &[]),
        ("group list", &["-p", "empty"]),
        ("group rm", &["work/kit"]),
    ] {
        c.ok(name, args);
    }
    c.exits(6, "group rm", &["work"]);
}

pub(super) fn records(c: &mut Checked<'_>, dir: &str) {
    for (name, args) in [
        ("set", &["docs", "args=--verbose"][..]),
        ("rename", &["docs", "docs"]),
        ("move", &["docs", "--to", "work"]),
        ("move", &["docs", "review", "--to", "work/backend"]),
        ("archive", &["old"]),
        ("unarchive", &[]),
        ("unarchive", &["old"]),
        ("archive", &["old", "review"]),
        ("unarchive", &["old", "review"]),
        ("rm", &["old"]),
        ("undo", &[]),
        ("rm", &["old", "review"]),
        ("undo", &["old"]),
    ] {
        c.ok(name, args);
    }
    c.exits(2, "set", &["docs", "colour=red"]);
    c.exits(1, "add", &[dir, "-c", "no-such-program"]);
}

pub(super) fn messages(c: &mut Checked<'_>) {
    c.ok("start", &["docs"]);
    c.ok("wait", &["docs", "--for", "idle", "--timeout", "60"]);
    c.ok("send", &["docs", "hello", "--no-enter"]);
    c.ok("keys", &["docs", "ctrl-u"]);
    c.ok("send", &["api", "docs", "ask everything"]);
    c.ok("wait", &["api", "docs", "--for", "waiting", "--timeout", "60"]);
    let sessions = c.ok("list", &["--status", "waiting"]);
    assert!(sessions[0]["choices"][0]["label"].is_string(), "no choices were validated: {sessions}");
    assert!(!c.ok("next", &[]).is_null());
    c.ok("answer", &["api"]);
    c.exits(6, "send", &["api", "hello"]);
    c.ok("answer", &["api", "1"]);
    c.exits(2, "answer", &["docs", "no such choice"]);
    let folder = c.sandbox.session("api")["project_path"].as_str().unwrap().to_owned();
    c.sandbox.git(&folder, &["init", "-q"]);
    std::fs::write(format!("{folder}/new"), "1\n").unwrap();
    c.ok("diff", &["api"]);
    c.ok("diff", &["api", "--stat"]);
    c.exits(2, "diff", &["api", "--base", "nothing"]);
    c.ok("output", &["api"]);
    c.ok("output", &["api", "--lines", "20"]);
    c.ok("ack", &["api"]);
    c.ok("ack", &["api", "docs"]);
}

pub(super) fn running(c: &mut Checked<'_>) {
    c.ok("stop", &["docs"]);
    c.ok("stop", &["docs", "old"]);
    c.ok("start", &["docs", "old"]);
    c.ok("restart", &["docs"]);
    c.ok("restart", &["docs", "old"]);
    watch(c);
    let (s, socket) = (c.sandbox, c.sandbox.socket());
    s.tmux(&socket, &["kill-server"]);
    wait_until("they are lost", || match s.session("docs")["reason"].as_str() {
        Some("gone") => Ok(()),
        other => Err(format!("{other:?}")),
    });
    c.ok("revive", &[]);
    c.ok("revive", &["docs", "api"]);
}

/// The lines of `list --watch` until one session was deleted.
fn watch(c: &mut Checked<'_>) {
    let line = "deck list --watch --json > lines & pid=$!; \
                seen() { until grep -q \"$1\" lines; do kill -0 $pid || exit 1; done; }; \
                seen '\"docs\"'; deck rename old older; seen '\"older\"'; deck stop older; seen '\"event\":\"status\"'; \
                deck rm older; seen '\"deleted\":true'; kill $pid";
    c.sandbox.shell(line, None).ok();
    let text = std::fs::read_to_string(c.sandbox.path("proj").join("lines")).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| c.validate(WATCH, line)).collect();
    for event in ["added", "changed", "status", "deleted"] {
        assert!(lines.iter().any(|l| l["event"] == event), "no event {event:?} was validated: {text}");
    }
    assert!(lines.iter().any(|l| l["deleted"] == true) && lines.iter().any(|l| l["title"] == "docs"));
}

pub(super) fn conversations(c: &mut Checked<'_>, dir: &str) {
    let s = c.sandbox;
    let resumed = s.session("resumable")["resume_id"].as_str().unwrap().to_owned();
    let folder = s.path("home").join(".claude/projects/-p");
    std::fs::create_dir_all(&folder).unwrap();
    for id in [&resumed, CONVERSATION] {
        let text = format!(
            "{{\"type\":\"user\",\"sessionId\":\"{id}\",\"cwd\":{dir:?},\"message\":{{\"content\":\"hello\"}}}}\n"
        );
        std::fs::write(folder.join(format!("{id}.jsonl")), text).unwrap();
    }
    c.ok("start", &["resumable"]);
    c.ok("fork", &["resumable", "-t", "fork"]);
    assert!(!c.ok("import", &["--conversations"]).as_array().unwrap().is_empty());
    c.ok("import", &["--conversations", CONVERSATION]);
    s.tmux("default", &["-f", "/dev/null", "new-session", "-d", "-s", "mine", "-c", dir, "exec gemini"]);
    s.program("gemini", "while read -r line; do echo \"got $line\"; done");
    s.tmux("default", &["-f", "/dev/null", "new-session", "-d", "-s", "mine2", "-c", dir, "exec gemini"]);
    wait_until("it is offered", || match c.ok("import", &[]).as_array() {
        Some(all) if !all.is_empty() => Ok(()),
        other => Err(format!("{other:?}")),
    });
    c.ok("import", &["mine2"]);
    let file = s.path("home").join("sessions.json");
    std::fs::write(&file, format!("[{{\"id\":\"one\",\"worktreePath\":{dir:?}}}]")).unwrap();
    c.ok("import", &["--agent-console", file.to_str().unwrap()]);
}
