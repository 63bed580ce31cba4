//! Every verb's JSON is what its schema describes.

use std::collections::BTreeSet;

use clap::CommandFactory;
use deck::reference::{ERROR, OUTPUTS, SCHEMA_VERSION, WATCH};
use serde_json::{Value, json};

use super::help::walk;
use crate::support::{Sandbox, wait_until};

/// Verbs that print no JSON, and why.
const NO_JSON: &[(&str, &str)] = &[
    ("attach", "hands the terminal to a session"),
    ("demo", "opens the TUI"),
    #[cfg(feature = "web")]
    ("serve token", "prints what a script sends"),
    #[cfg(feature = "web")]
    ("serve unit", "prints what another program reads"),
    ("schema", "prints a schema"),
    ("config schema", "prints a schema"),
    ("config edit", "opens an editor"),
    ("completions", "prints a script for a shell"),
    ("mcp logs", "prints what another program wrote"),
    ("mcp config", "prints what another program reads"),
    ("mcp tools", "prints what the protocol describes"),
];

/// A conversation that no session has.
const CONVERSATION: &str = "5b1e2c90-0000-4000-8000-000000000000";

/// No object has another field than those that the schema names.
fn strict(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            if map.contains_key("properties") && !map.contains_key("additionalProperties") {
                map.insert("additionalProperties".to_owned(), false.into());
            }
            map.values_mut().for_each(strict);
        }
        Value::Array(all) => all.iter_mut().for_each(strict),
        _ => {}
    }
}

/// What is wrong with a value, if anything.
fn mistakes(schema: &Value, value: &Value) -> Option<String> {
    let mut schema = schema.clone();
    strict(&mut schema);
    let (mut schemas, mut compiler) = (boon::Schemas::new(), boon::Compiler::new());
    compiler.enable_format_assertions();
    compiler.add_resource("schema.json", schema).unwrap();
    let index = compiler.compile("schema.json", &mut schemas).unwrap_or_else(|e| panic!("{e:#}"));
    schemas.validate(value, index).err().map(|e| format!("{e:#}"))
}

/// Runs verbs and validates what they print.
struct Checked<'a> {
    sandbox: &'a Sandbox,
    all: Value,
    seen: BTreeSet<String>,
}

impl<'a> Checked<'a> {
    fn new(sandbox: &'a Sandbox) -> Self {
        let all = serde_json::from_str(&sandbox.deck(&["schema"]).ok()).unwrap();
        Self { sandbox, all, seen: BTreeSet::new() }
    }

    /// Validates a text against the schema of `name`: the one of its own, and its part of the one for all verbs.
    #[track_caller]
    fn validate(&mut self, name: &str, text: &str) -> Value {
        let value: Value = serde_json::from_str(text).unwrap_or_else(|e| panic!("deck {name}: {e}: {text}"));
        let own = self.sandbox.deck(&[&["schema"], &name.split(' ').collect::<Vec<_>>()[..]].concat()).ok();
        let own: Value = serde_json::from_str(&own).unwrap();
        for (schema, value) in [(&own, value.clone()), (&self.all, json!({ name: value }))] {
            if let Some(wrong) = mistakes(schema, &value) {
                panic!("deck {name} prints what its schema doesn't describe: {wrong}\n{text}");
            }
        }
        self.seen.insert(name.to_owned());
        value
    }

    /// Runs a verb that exits with `code`, and validates what it prints.
    #[track_caller]
    fn exits(&mut self, code: i32, name: &str, args: &[&str]) -> Value {
        // First, since a key may begin with a dash.
        let words: Vec<&str> =
            ["--json"].into_iter().chain(name.split(' ')).chain(args.iter().copied()).collect();
        let answer = self.sandbox.deck(&words);
        assert_eq!(answer.code(), code, "deck {words:?}: {}{}", answer.stdout(), answer.stderr());
        if code != 0 && answer.stdout().is_empty() {
            // Warnings may come before it.
            return self.validate(ERROR, answer.stderr().lines().last().unwrap_or_default());
        }
        self.validate(name, &answer.stdout())
    }

    #[track_caller]
    fn ok(&mut self, name: &str, args: &[&str]) -> Value {
        self.exits(0, name, args)
    }
}

#[test]
fn every_verb_prints_what_its_schema_describes() {
    let s = Sandbox::new();
    s.agent("claude");
    s.agent("gemini");
    s.asker();
    s.program("failing", "exit 3");
    let mut c = Checked::new(&s);
    let dir = s.project("p");
    let screen = s.path("proj").join("screen.txt");
    std::fs::write(&screen, "Delete everything?\n❯ 1. Yes\n  2. No\n").unwrap();
    let screen = screen.to_str().unwrap();

    profiles_and_groups(&mut c, &dir);
    c.ok("add", &[&dir, "-t", "api", "-c", "asker", "-g", "work"]);
    for title in ["docs", "review", "old"] {
        c.ok("add", &[&dir, "-t", title, "-c", "asker", "--no-start", "--parent", "api"]);
    }
    c.ok("add", &[&dir, "-t", "resumable", "-c", "claude"]);
    c.ok("add", &[&dir, "-t", "ended", "-c", "failing"]);
    c.ok("wait", &["api", "--for", "idle", "--timeout", "60"]);
    c.ok("wait", &["ended", "--for", "exit", "--timeout", "60"]);
    c.exits(5, "wait", &["api", "--for", "running", "--timeout", "0"]);
    c.exits(1, "next", &["-p", "empty"]);

    records(&mut c, &dir);
    messages(&mut c);
    running(&mut c);
    conversations(&mut c, &dir);

    let shown = c.ok("show", &["resumable", "--totals"]);
    assert!(shown["conversation"]["last_prompt"].is_string(), "no conversation was validated: {shown}");
    assert!(shown["totals"]["prompts"].is_u64(), "no totals were validated: {shown}");
    let explained = c.ok("explain", &["api", "--history"]);
    assert!(!explained["history"].as_array().unwrap().is_empty(), "no change was validated");
    assert!(!explained["evidence"].as_array().unwrap().is_empty(), "no evidence was validated");
    for args in [&[][..], &["--all-profiles"], &["-p", "empty"]] {
        c.ok("list", args);
    }
    c.ok("status", &[]);
    places(&mut c);
    workers(&mut c, &dir);
    mcp_servers(&mut c, &dir);
    talks(&mut c);
    shells(&mut c);
    setup(&mut c, screen);

    c.exits(3, "show", &["nonesuch"]);
    c.exits(2, "list", &["--status", "sleeping"]);
    c.exits(2, "list", &["--no-such-flag"]);

    let all: BTreeSet<String> = OUTPUTS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(c.seen, all, "each schema was compared with what is printed");
}

fn profiles_and_groups(c: &mut Checked<'_>, dir: &str) {
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

fn records(c: &mut Checked<'_>, dir: &str) {
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

fn messages(c: &mut Checked<'_>) {
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

fn running(c: &mut Checked<'_>) {
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

fn conversations(c: &mut Checked<'_>, dir: &str) {
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

fn places(c: &mut Checked<'_>) {
    let path = crate::places::repository(c.sandbox, "api");
    let worktree = c.sandbox.path("home").join("src/wt");
    c.sandbox.git(&path, &["worktree", "add", "-q", "-b", "feat", worktree.to_str().unwrap()]);
    for (name, args) in [
        ("repo add", &[path.as_str()][..]),
        ("repo list", &[]),
        ("repo show", &["api"]),
        ("repo set", &["api", "base=main"]),
        ("worktree list", &["api"]),
        ("worktree list", &["--all"]),
        ("worktree show", &["feat"]),
        ("worktree lock", &["feat", "--reason", "why"]),
        ("worktree unlock", &["feat"]),
        ("repo trust", &["api"]),
        ("worktree add", &["new", "-r", "api"]),
    ] {
        c.ok(name, args);
    }
    c.ok("add", &[&path, "-w", "placed", "-c", "asker", "--no-start"]);
    let placed = c.sandbox.session("placed")["project_path"].as_str().unwrap().to_owned();
    std::fs::remove_dir_all(placed).unwrap();
    c.ok("worktree restore", &["placed"]);
    std::fs::write(format!("{path}/.deck.toml"), "setup = ['true']\n").unwrap();
    crate::places::commit(c.sandbox, &path, "setup");
    c.ok("repo trust", &["api"]);
    c.ok("repo trust", &["api", "--show"]);
    c.ok("add", &[&path, "-w", "set-up", "-c", "asker"]);
    c.ok("worktree setup", &["set-up"]);
    c.ok("worktree finish", &["set-up", "--dry-run", "--stop"]);
    c.ok("worktree finish", &["set-up", "--stop"]);
    c.ok("worktree rm", &["new"]);
    c.ok("worktree prune", &["--yes"]);
    c.ok("repo rm", &["api", "--keep-sessions"]);
    c.exits(3, "repo show", &["api"]);
    c.exits(2, "repo add", &["/"]);
}

fn workers(c: &mut Checked<'_>, dir: &str) {
    std::fs::write(format!("{dir}/PLAN.md"), "# Plan\n").unwrap();
    c.ok("add", &[dir, "-t", "worked", "-c", "asker"]);
    for (name, args) in [
        ("worker add", &["worked", "-n", "sh", "-c", "cat"][..]),
        ("worker add", &["worked", "-n", "ended", "-c", "true"]),
        ("worker add", &["worked", "--type", "markdown", "--file", "PLAN.md"]),
        ("worker add", &["worked", "--type", "diff", "--against", "base"]),
        ("worker add", &["worked", "--type", "link", "--url", "http://localhost:{port}"]),
        ("worker add", &["worked", "--type", "agent", "-n", "further", "-c", "asker"]),
        ("worker list", &["worked"]),
        ("worker rename", &["worked:diff", "changes"]),
        ("worker restart", &["worked:sh"]),
        ("show", &["worked:sh"]),
        ("show", &["worked"]),
        ("send", &["worked:sh", "hello"]),
        ("keys", &["worked:sh", "enter"]),
        ("output", &["worked:sh"]),
        ("output", &["worked:PLAN.md"]),
        ("wait", &["worked:ended", "--for", "exit"]),
        ("worker rm", &["worked:sh", "--stop"]),
        ("worker rm", &["worked:further", "--stop"]),
        ("rm", &["worked", "--stop"]),
    ] {
        c.ok(name, args);
    }
}

fn shells(c: &mut Checked<'_>) {
    for (name, args) in [
        ("shell start", &["--name", "sh"][..]),
        ("shell exec", &["sh", "sleep 600 & echo hi; echo err >&2"]),
        ("shell exec", &["sh", "printf '\\377'; head -c 3000000 /dev/zero"]),
        ("shell exec", &["sh", "cat", "--background", "--stdin", "open"]),
        ("shell list", &[]),
        ("shell show", &["sh"]),
        ("job write", &["sh/3", "text", "--eof"]),
        ("job wait", &["sh/3", "--all"]),
        ("job wait", &["sh/1", "sh/2"]),
        ("job output", &["sh/2"]),
        ("job list", &["sh"]),
        ("job show", &["sh/1"]),
        ("job kill", &["sh/1"]),
        ("job kill", &["sh/1", "sh/2"]),
        ("shell update", &["sh", "--env", "A=1"]),
        ("shell checkpoint", &["sh", "one"]),
        ("shell restore", &["sh", "one"]),
        ("shell open", &["sh"]),
        ("shell history", &["sh"]),
        ("job prune", &["sh"]),
        ("shell end", &["sh"]),
    ] {
        c.ok(name, args);
    }
    crate::shells::lost(c.sandbox, "py");
    c.ok("shell replay", &["py"]);
    c.ok("shell start", &["--name", "again"]);
    let code = format!("{} --json job run -- true", env!("CARGO_BIN_EXE_deck"));
    let ran = c.ok("shell exec", &["again", &code]);
    c.validate("job run", ran["stdout"].as_str().unwrap());
    c.exits(3, "shell exec", &["sh", "true"]);
    c.exits(2, "shell start", &["vim"]);
    c.exits(6, "job write", &["again/1", "late"]);
}

fn mcp_servers(c: &mut Checked<'_>, dir: &str) {
    c.ok("add", &[dir, "-t", "served", "-c", "claude", "--no-start"]);
    for (name, args) in [
        ("mcp add", &["memory", "--env", "A=$B", "--", "true", "x"][..]),
        ("mcp add", &["linear", "--url", "https://example.com/mcp", "--header", "X=$Y"]),
        ("mcp list", &[]),
        ("mcp show", &["memory"]),
        ("mcp show", &["linear"]),
        ("mcp attach", &["served", "memory"]),
        ("mcp attach", &["served", "resumable", "linear"]),
        ("mcp detach", &["served", "memory"]),
        ("mcp status", &["served"]),
        ("mcp status", &[]),
        ("mcp rm", &["memory"]),
        ("rm", &["served"]),
    ] {
        c.ok(name, args);
    }
    c.exits(3, "mcp show", &["memory"]);
    std::fs::write(
        std::path::Path::new(dir).join("servers.json"),
        r#"{"servers": {"fetch": {"command": "x"}}}"#,
    )
    .unwrap();
    let file = format!("{dir}/servers.json");
    c.ok("mcp import", &["--from", &file]);
    c.ok("mcp import", &["--from", &file, "fetch"]);
    c.exits(3, "mcp import", &["--from", &file, "none"]);
    c.sandbox.mcp_server("greets");
    c.ok("mcp add", &["greets", "--", "greets"]);
    assert_eq!(c.ok("mcp check", &["greets"])["against_sharing"], serde_json::json!([]));
    c.sandbox.share_server("shared");
    assert_eq!(c.ok("mcp pool", &[])[0]["name"], "shared");
    c.ok("mcp restart", &["shared"]);
    c.exits(3, "mcp restart", &["memory"]);
    c.exits(2, "mcp add", &["Bad Name", "--", "true"]);
    c.exits(6, "mcp add", &["linear", "--", "true"]);
}

fn talks(c: &mut Checked<'_>) {
    let shown = c.ok("checkpoint", &["resumable"]);
    assert!(shown["user_messages"].is_array(), "{shown}");
    let handed = c.ok("handoff", &["resumable", "--to", "asker", "--keep", "--force"]);
    assert_eq!(handed["receipt"], "not_verified");
    let id = "pm-feature-auth";
    for (name, args) in [
        ("conversation open", &["--role", "pm", "--feature", "auth"][..]),
        ("conversation open", &["--role", "dev", "--feature", "auth", "--task", "login"]),
        ("conversation add", &[id, "--role", "user", "--id", "m1", "Hello."]),
        ("conversation add", &[id, "--role", "assistant", "--tokens", "12,3", "--meta", "model=x", "Yes."]),
        ("conversation add", &[id, "--role", "user", "Go on."]),
        ("conversation pin", &[id, "m1"]),
        ("conversation pin", &[id, "Never."]),
        ("conversation unpin", &[id, "2"]),
        ("conversation messages", &[id]),
        ("conversation context", &[id, "dependencies=a,b"]),
        ("conversation preview", &[id]),
        ("conversation request", &[id, "Next?", "--add"]),
        ("conversation compact", &[id, "--force", "--model", "none"]),
        ("conversation checkpoint", &[id]),
        ("conversation show", &[id]),
        ("conversation compact", &[id, "--undo"]),
        ("conversation list", &[]),
        ("conversation describe", &[id]),
        ("conversation carry", &["dev-task", "resumable"]),
        ("conversation detach", &["dev-task"]),
        ("conversation export", &[id, "exported"]),
        ("conversation clear", &[id, "--yes"]),
        ("conversation archive", &[id]),
        ("conversation unarchive", &[id, "dev-task"]),
        ("conversation rm", &[id]),
        ("conversation undo", &[id]),
        ("conversation rm", &[id, "dev-task"]),
        ("conversation import", &["exported"]),
    ] {
        c.ok(name, args);
    }
    let events = c.sandbox.deck(&["conversation", "events", "--json"]).ok();
    let validate = |line: &str| c.validate("conversation events", line);
    assert!(events.lines().map(validate).count() > 3, "{events}");
    c.exits(6, "conversation compact", &[id]);
    c.exits(3, "conversation show", &["none"]);
}

fn setup(c: &mut Checked<'_>, screen: &str) {
    for (name, args) in [
        ("tool list", &[][..]),
        ("tool show", &["claude"]),
        ("tool show", &["asker"]),
        ("tool test", &["asker", screen]),
        ("tool test", &["asker", screen, "--dead", "3"]),
        ("tool check", &[]),
        ("config path", &[]),
        ("config check", &[]),
        ("config init", &[]),
        ("config get", &[]),
        ("config get", &["keys.stop"]),
        ("config set", &["ui.theme", "light"]),
        ("doctor", &[]),
    ] {
        c.ok(name, args);
    }
    #[cfg(feature = "web")]
    serve(c);
    c.exits(3, "tool show", &["nonesuch"]);
    c.sandbox.file("tools/bad.toml", "command = 3\n");
    c.sandbox.file("config.toml", "[ui]\nsplt = 3\n");
    c.exits(1, "tool check", &[]);
    c.exits(1, "config check", &[]);
    c.exits(1, "doctor", &[]);
}

#[cfg(feature = "web")]
fn serve(c: &mut Checked<'_>) {
    let server = crate::web::Server::start(c.sandbox, &[]);
    server.paired(&server.pair);
    for (name, args) in [
        ("serve status", &[][..]),
        ("serve pair", &[]),
        ("serve devices", &[]),
        ("serve revoke", &["--all"]),
        ("serve stop", &[]),
    ] {
        c.ok(name, args);
    }
    c.exits(1, "serve status", &[]);
}

#[test]
fn every_verb_has_a_schema_or_a_reason() {
    let mut commands = Vec::new();
    walk(&deck::cli::Cli::command(), "", &mut commands);
    let leaves = commands.iter().filter(|(path, c)| !path.is_empty() && c.get_subcommands().next().is_none());
    let mut verbs: BTreeSet<&str> = leaves.map(|(path, _)| path.as_str()).collect();
    for (verb, why) in NO_JSON {
        assert!(verbs.remove(verb), "there is no verb {verb}, which {why}");
    }
    let described: BTreeSet<&str> =
        OUTPUTS.iter().map(|(name, _)| *name).filter(|n| ![WATCH, ERROR].contains(n)).collect();
    assert_eq!(verbs, described);
}

#[test]
fn a_schema_describes_one_verb_and_no_other() {
    let s = Sandbox::new();
    let schema: Value = serde_json::from_str(&s.deck(&["schema", "status"]).ok()).unwrap();
    let text = s.deck(&["status", "--json"]).ok();
    let value: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(mistakes(&schema, &value), None);
    assert_eq!(value["schema_version"], SCHEMA_VERSION);
    for key in value.as_object().unwrap().keys() {
        let mut less = value.clone();
        less.as_object_mut().unwrap().remove(key);
        assert!(mistakes(&schema, &less).is_some(), "{key} may be missing");
    }
    let mut more = value.clone();
    more["another"] = true.into();
    assert!(mistakes(&schema, &more).is_some(), "an unknown field was not found");
    let mut wrong = value;
    wrong["total"] = "3".into();
    assert!(mistakes(&schema, &wrong).is_some(), "a wrong type was not found");

    assert_eq!(s.deck(&["schema", "ls"]).ok(), s.deck(&["schema", "list"]).ok());
    assert!(s.deck(&["schema", "attach"]).fails(2).contains("deck attach prints no JSON"));
    assert!(s.deck(&["schema", "group"]).fails(2).contains("one of group add, group list"));
    assert!(s.deck(&["schema", "lst"]).fails(2).contains("did you mean list?"));
    s.file("config.toml", "[ui\n");
    assert!(s.deck(&["schema", "list"]).ok().contains("$defs"), "it needs no settings");
}
