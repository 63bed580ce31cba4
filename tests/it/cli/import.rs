//! Adopting what runs in the user's own tmux, and conversations that are there already.

use serde_json::Value;

use crate::support::{Sandbox, wait_until};

/// The user's own server, in the sandbox.
const SERVER: &str = "default";

/// A stand-in whose command line keeps its name, as an agent's does.
fn agent(s: &Sandbox) -> String {
    s.program("claude", "echo \"agent $*\"\nwhile read -r line; do echo \"got $line\"; done");
    s.project("p")
}

/// A session of the user's whose pane is the agent itself.
fn users_session(s: &Sandbox, name: &str, dir: &str, program: &str) {
    let run = format!("exec {program}");
    s.tmux(SERVER, &["-f", "/dev/null", "new-session", "-d", "-s", name, "-c", dir, &run]);
}

fn offered(s: &Sandbox) -> Vec<Value> {
    serde_json::from_str::<Vec<Value>>(&s.deck(&["import", "--json"]).ok()).unwrap()
}

fn until_offered(s: &Sandbox, name: &str) -> Value {
    let mut found = None;
    wait_until(&format!("{name} is offered"), || {
        let all = offered(s);
        found = all.iter().find(|c| c["name"] == name).cloned();
        found.as_ref().map(|_| ()).ok_or(format!("{all:?}"))
    });
    found.unwrap()
}

fn screen(s: &Sandbox, title: &str, what: &str) {
    wait_until(&format!("{title} shows {what}"), || {
        let text = s.deck(&["output", title]).ok();
        if text.contains(what) { Ok(()) } else { Err(text) }
    });
}

#[test]
fn an_agent_is_adopted_where_it_is() {
    let s = Sandbox::new();
    // Without rules for its screen it is ready when it rests.
    s.program("vibe", "echo \"agent $*\"\nwhile read -r line; do echo \"got $line\"; done");
    s.file("tools/vibe.toml", "command = \"vibe\"\n");
    let dir = s.project("p");
    users_session(&s, "my work", &dir, "vibe");
    let found = until_offered(&s, "my work");
    assert_eq!((&found["tool"], &found["known_by"]), (&"vibe".into(), &"process".into()), "{found}");
    assert_eq!(found["project_path"], dir.as_str());
    let before = s.tmux(SERVER, &["list-panes", "-a", "-F", "#{session_name} #{pane_id} #{pane_pid}"]);
    s.deck(&["import", "my work", "-t", "api", "-g", "mine"]).ok();
    let v = s.session("api");
    assert_eq!((&v["tmux"]["socket"], &v["group_path"]), (&SERVER.into(), &"mine".into()), "{v}");
    assert_eq!(v["tmux"]["pid"].as_i64(), found["pid"].as_i64());
    assert!(offered(&s).is_empty(), "nobody is adopted twice");
    assert!(s.deck(&["import", "my work"]).fails(3).contains("hint: "));
    // It is driven like any other, and its server has nothing that it didn't have.
    screen(&s, "api", "agent");
    s.deck(&["send", "api", "hello there"]).ok();
    screen(&s, "api", "got hello there");
    s.deck(&["keys", "api", "h", "i", "enter"]).ok();
    screen(&s, "api", "got hi");
    assert!(s.deck(&["keys", "api", "entr"]).fails(2).contains("hint: "));
    let after = s.tmux(SERVER, &["list-panes", "-a", "-F", "#{session_name} #{pane_id} #{pane_pid}"]);
    assert_eq!(after, before);
    assert_eq!(s.tmux(SERVER, &["list-clients"]), "");
    // What deck did not start it does not end: deleting lets go.
    s.deck(&["rm", "api"]).ok();
    assert_eq!(s.tmux(SERVER, &["list-panes", "-a", "-F", "#{session_name} #{pane_id} #{pane_pid}"]), before);
    assert_eq!(until_offered(&s, "my work")["pid"], found["pid"]);
    s.deck(&["undo"]).ok();
    assert_eq!(s.session("api")["tmux"]["pid"], found["pid"]);
}

#[test]
fn an_agent_that_was_typed_into_a_shell_leaves_the_shell() {
    let s = Sandbox::new();
    let dir = agent(&s);
    s.tmux(SERVER, &["-f", "/dev/null", "new-session", "-d", "-s", "typed", "-c", &dir, "sh"]);
    s.tmux(SERVER, &["send-keys", "-t", "typed", "claude --model x", "Enter"]);
    let found = until_offered(&s, "typed");
    let shell = s.tmux(SERVER, &["display-message", "-p", "-t", "typed", "#{pane_pid}"]);
    assert_ne!(found["pid"].to_string(), shell.trim(), "the agent, not its shell");
    s.deck(&["import", "default:typed"]).ok();
    let refused = s.deck(&["restart", "typed"]).fails(6);
    assert!(refused.contains("--fresh"), "nobody knows its conversation: {refused}");
    s.deck(&["stop", "typed"]).ok();
    assert_eq!(s.session("typed")["status"], "stopped");
    assert_eq!(s.tmux(SERVER, &["display-message", "-p", "-t", "typed", "#{pane_pid}"]), shell);
    assert_eq!(s.tmux(SERVER, &["show-environment", "-t", "typed", "DECK_SESSION_ID"]), "");
    // The user continues by hand, and deck sees it.
    s.tmux(SERVER, &["send-keys", "-t", "typed", "claude --again", "Enter"]);
    wait_until("it runs again", || {
        let v = s.session("typed");
        if v["tmux"]["pid"].is_i64() && v["status"] != "stopped" { Ok(()) } else { Err(v.to_string()) }
    });
    // It ends by itself.
    s.tmux(SERVER, &["send-keys", "-t", "typed", "C-d"]);
    wait_until("it has ended", || {
        let v = s.session("typed");
        if v["status"] == "stopped" { Ok(()) } else { Err(v.to_string()) }
    });
}

#[test]
fn a_restart_takes_it_home_and_leaves_the_rest() {
    let s = Sandbox::new();
    let dir = agent(&s);
    s.tmux(SERVER, &["-f", "/dev/null", "new-session", "-d", "-s", "typed", "-c", &dir, "sh"]);
    s.tmux(SERVER, &["split-window", "-d", "-t", "typed", "cat"]);
    s.tmux(SERVER, &["send-keys", "-t", "typed", "claude", "Enter"]);
    let pid = until_offered(&s, "typed")["pid"].as_i64().unwrap();
    s.deck(&["import", "typed"]).ok();
    let panes = s.tmux(SERVER, &["list-panes", "-a", "-F", "#{pane_id} #{pane_pid}"]);
    s.deck(&["restart", "typed", "--fresh"]).ok();
    screen(&s, "typed", "--session-id");
    assert_eq!(s.session("typed")["tmux"]["socket"].as_str().unwrap(), s.socket());
    assert_eq!(s.tmux(SERVER, &["list-panes", "-a", "-F", "#{pane_id} #{pane_pid}"]), panes);
    wait_until("the old agent has ended", || {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        if stat.is_empty() || stat.contains(") Z ") { Ok(()) } else { Err(stat) }
    });
    assert_eq!(s.list().len(), 1);
    s.deck(&["stop", "typed"]).ok();
    s.deck(&["start", "typed"]).ok();
    assert_eq!(s.tmux(SERVER, &["list-panes", "-a", "-F", "#{pane_id} #{pane_pid}"]), panes);
}

#[test]
fn one_that_is_gone_is_started_on_decks_own_server() {
    let s = Sandbox::new();
    let dir = agent(&s);
    users_session(&s, "w", &dir, "claude");
    until_offered(&s, "w");
    s.deck(&["import", "w"]).ok();
    s.tmux(SERVER, &["kill-server"]);
    wait_until("it is gone", || {
        let v = s.session("w");
        if v["reason"] == "gone" { Ok(()) } else { Err(v.to_string()) }
    });
    // Nobody knows its conversation: no way to start it begins a new one without a word.
    for way in [&["start", "w"][..], &["restart", "w"]] {
        assert!(s.deck(way).fails(6).contains("--fresh"), "{way:?}");
    }
    s.deck(&["revive", "--all"]).fails(1);
    assert_eq!(s.session("w")["reason"], "gone");
    s.deck(&["start", "w", "--fresh"]).ok();
    screen(&s, "w", "--session-id");
    assert_eq!(s.session("w")["tmux"]["socket"].as_str().unwrap(), s.socket());
    assert_eq!(s.tmux(SERVER, &["list-sessions"]), "", "the user's server is not started");
}

#[test]
fn conversations_become_sessions_once() {
    let s = Sandbox::new();
    s.agent("claude");
    let dir = s.project("p");
    s.deck(&["add", &dir, "-t", "own", "-c", "claude"]).ok();
    let own = s.session("own")["resume_id"].as_str().unwrap().to_owned();
    let files = s.path("home").join(".claude/projects/-p");
    std::fs::create_dir_all(&files).unwrap();
    for (id, prompt) in
        [(own.as_str(), "mine"), ("aaaa1111-0000", "fix \u{1b}[31mit"), ("bbbb2222-0000", "other")]
    {
        let text = format!(
            "{{\"type\":\"user\",\"sessionId\":\"{id}\",\"cwd\":\"{dir}\",\"message\":{{\"content\":\"{prompt}\"}}}}\n"
        );
        std::fs::write(files.join(format!("{id}.jsonl")), text.replace('\u{1b}', "\\u001b")).unwrap();
    }
    std::fs::write(files.join("cccc-empty.jsonl"), "{\"sessionId\":\"cccc-empty\"}\n").unwrap();
    let listed = s.deck(&["import", "--conversations"]).ok();
    assert!(listed.contains("aaaa1111-0000") && listed.contains("fix it"), "{listed}");
    assert!(!listed.contains(&own) && !listed.contains("cccc"), "{listed}");
    assert_eq!(s.deck(&["import", "--conversations", "/nowhere", "-q"]).ok(), "");
    assert_eq!(
        s.deck(&["import", "--conversations", &dir, "-q", "--tool", "claude"]).ok().lines().count(),
        2
    );
    s.deck(&["import", "--conversations", "--tool", "nobody"]).fails(2);
    s.deck(&["import", "--conversations", "aaaa", "-t", "old"]).ok();
    let v = s.session("old");
    assert_eq!((&v["resume_id"], &v["status"]), (&"aaaa1111-0000".into(), &"stopped".into()));
    assert_eq!(v["project_path"], dir.as_str());
    s.deck(&["import", "--conversations", "aaaa"]).fails(3);
    // Nor is it anybody's in another profile.
    let elsewhere = s.deck(&["-p", "other", "import", "--conversations"]).ok();
    assert!(elsewhere.contains("bbbb2222-0000") && !elsewhere.contains("aaaa1111"), "{elsewhere}");
    s.deck(&["start", "old"]).ok();
    screen(&s, "old", "--resume aaaa1111-0000");
}

#[test]
fn a_server_that_does_not_answer_hides_no_other() {
    let s = Sandbox::new();
    let dir = agent(&s);
    users_session(&s, "w", &dir, "claude");
    until_offered(&s, "w");
    let folder = s.tmux(SERVER, &["display-message", "-p", "#{socket_path}"]);
    let folder = std::path::Path::new(folder.trim()).parent().unwrap();
    let _listens = std::os::unix::net::UnixListener::bind(folder.join("silent")).unwrap();
    // The other server has no longer than that, too: a busy machine may need another try.
    wait_until("the other server's agent is listed, and the silent one named", || {
        let answer = s.deck(&["import"]);
        let (out, err) = (answer.stdout(), answer.stderr());
        let is_named = err.contains("warning: the tmux server silent doesn't answer and was skipped");
        if out.contains("default:w") && is_named { Ok(()) } else { Err(format!("{out}{err}")) }
    });
}

#[test]
fn the_sessions_of_agent_console_are_imported_once() {
    let s = Sandbox::new();
    s.agent("claude");
    s.agent("gemini");
    let path = crate::places::repository(&s, "api");
    let worktree = s.path("home").join("src/wt");
    s.git(&path, &["worktree", "add", "-q", "-b", "feat", worktree.to_str().unwrap()]);
    let quick = s.project("quick");
    let file = s.path("home").join("sessions.json");
    let text = serde_json::json!([
        { "id": "new-wt", "type": "worktree", "locationPath": worktree, "repositoryId": "r", "worktreeId": "w",
          "createdAt": "2025-01-01T00:00:00.000Z", "workers": [
            { "id": "w1", "type": "agent", "name": "Claude", "agentId": "claude-code-builtin" },
            { "id": "w2", "type": "terminal", "name": "Terminal: 1" },
            { "id": "w3", "type": "agent", "name": "Gemini", "agentId": "gemini" } ] },
        { "id": "old-quick", "worktreePath": quick, "repositoryId": "default", "pid": 12 },
        { "id": "old-gone", "worktreePath": "/nowhere/feat", "repositoryId": "r", "pid": 13 },
        { "id": "bad" }
    ]);
    std::fs::write(&file, text.to_string()).unwrap();
    let before = std::fs::read(&file).unwrap();
    let args = ["import", "--agent-console", file.to_str().unwrap()];
    let dry = s.deck(&[&args[..], &["--dry-run"]].concat()).ok();
    assert_eq!(dry.lines().count(), 4, "{dry}");
    assert!(s.list().is_empty(), "a dry run makes nothing");
    let answer = s.deck(&args);
    assert!(answer.stderr().contains("not imported: entry 4: it has no folder"), "{}", answer.stderr());
    answer.ok();
    let again = s.deck(&args);
    assert!(again.stderr().contains("nothing new in it"), "{}", again.stderr());
    again.ok();
    let all = s.list();
    let seen: Vec<_> = all.iter().map(|v| format!("{} {} {}", v["title"], v["tool"], v["status"])).collect();
    assert_eq!(all.len(), 4, "{seen:?}");
    assert!(all.iter().all(|v| v["status"] == "stopped"), "nothing is started: {seen:?}");
    let (main, further) = (s.session("wt"), s.session("Gemini"));
    assert_eq!((&main["place"]["branch"], &further["worker_of"]), (&"feat".into(), &main["id"]));
    let tabs: Vec<_> =
        main["workers"].as_array().unwrap().iter().map(|w| w["name"].as_str().unwrap()).collect();
    assert_eq!(tabs, ["claude", "Terminal  1", "Gemini"]);
    assert_eq!(s.session("feat")["reason"], "folder gone");
    assert_eq!(s.session("quick")["place"], serde_json::Value::Null);
    assert_eq!(std::fs::read(&file).unwrap(), before, "the file is only read");
    s.deck(&["import", "--agent-console", "/nowhere.json"]).fails(3);
    std::fs::write(&file, "{}").unwrap();
    let words = s.deck(&args).fails(2);
    assert!(words.contains("is not a list of sessions"), "{words}");
}
