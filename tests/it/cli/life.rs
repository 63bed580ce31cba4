//! A session's life: added, listed, sent to, restarted, stopped, deleted, brought back.

use crate::support::{Sandbox, wait_until};

#[test]
fn from_add_to_undo() {
    let s = Sandbox::new();
    s.agent("claude");
    let dir = s.project("api");
    s.deck(&["group", "add", "work/backend"]).ok();
    let made: serde_json::Value = serde_json::from_str(
        &s.deck(&["add", &dir, "-t", "api", "-g", "work/backend", "-c", "claude", "--json"]).ok(),
    )
    .unwrap();
    let id = made["resume_id"].as_str().unwrap().to_owned();
    assert_eq!((&made["tool"], &made["group_path"]), (&"claude".into(), &"work/backend".into()));
    assert_eq!(s.session("api")["status"], "starting");
    wait_until("the agent runs under its id", || {
        let text = s.deck(&["output", "api"]).ok();
        if text.contains(&format!("--session-id {id}")) { Ok(()) } else { Err(text) }
    });

    s.deck(&["restart", "api"]).ok();
    assert_eq!(s.session("api")["resume_id"], id.as_str(), "the conversation is the same");
    let pid = s.session("api")["tmux"]["pid"].as_i64().unwrap();
    s.deck(&["rename", "api", "api 2"]).ok();
    s.deck(&["stop", "api 2"]).ok();
    assert_eq!(s.session("api 2")["status"], "stopped");
    assert!(
        !std::path::Path::new(&format!("/proc/{pid}/cmdline")).exists() || is_zombie(pid),
        "no process is left"
    );

    s.deck(&["start", "api 2"]).ok();
    let refused = s.deck(&["rm", "api 2"]).fails(6);
    assert!(refused.contains("still running") && refused.contains("hint: "), "{refused}");
    s.deck(&["rm", "--stop", "api 2"]).ok();
    assert!(s.list().is_empty());
    s.deck(&["undo"]).ok();
    let back = s.session("api 2");
    assert_eq!((&back["status"], &back["resume_id"]), (&"stopped".into(), &id.as_str().into()));
}

fn is_zombie(pid: i64) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.contains(") Z ") || stat.is_empty()
}

#[test]
fn an_agent_that_survives_its_terminal_is_ended() {
    let s = Sandbox::new();
    s.program(
        "stubborn",
        "trap '' HUP\n(trap '' HUP; sleep 1000) &\necho $! > child\necho ready\nwhile :; do wait; done",
    );
    let dir = s.project("p");
    s.deck(&["add", &dir, "-t", "x", "-c", "stubborn"]).ok();
    wait_until("it is up", || {
        let text = s.deck(&["output", "x"]).ok();
        if text.contains("ready") { Ok(()) } else { Err(text) }
    });
    let child: i64 = std::fs::read_to_string(format!("{dir}/child")).unwrap().trim().parse().unwrap();
    s.deck(&["stop", "x"]).ok();
    assert!(!std::path::Path::new(&format!("/proc/{child}")).exists() || is_zombie(child));
}

#[test]
fn several_sessions_answer_in_one_array() {
    let s = Sandbox::new();
    s.agent("claude");
    for title in ["a", "b"] {
        s.deck(&["add", &s.project("p"), "-t", title, "-c", "claude", "--no-start"]).ok();
    }
    let all: Vec<serde_json::Value> =
        serde_json::from_str(&s.deck(&["start", "a", "b", "--json"]).ok()).unwrap();
    assert_eq!((all.len(), &all[1]["title"]), (2, &"b".into()));
    // Each failure is reported, and what went well is still answered.
    let some = s.deck(&["stop", "a", "none", "b", "--json"]);
    assert!(some.stderr().contains("none"));
    let all: Vec<serde_json::Value> = serde_json::from_str(&some.stdout()).unwrap();
    assert_eq!((some.code(), all.len()), (1, 2));
    let one: serde_json::Value = serde_json::from_str(&s.deck(&["rm", "a", "--json"]).ok()).unwrap();
    assert_eq!(one["deleted"], true);
}

#[test]
fn what_can_not_start_is_not_recorded() {
    let s = Sandbox::new();
    let dir = s.project("p");
    let error = s.deck(&["add", &dir, "-c", "claude"]).fails(1);
    assert!(error.contains("program \"claude\" not found") && error.contains("--no-start"), "{error}");
    let error = s.deck(&["add", &format!("{dir}/none"), "-c", "shell"]).fails(1);
    assert!(error.contains("doesn't exist"), "{error}");
    assert!(s.list().is_empty());
    s.deck(&["add", &dir, "-t", "later", "-c", "claude", "--no-start"]).ok();
    assert_eq!(s.session("later")["status"], "stopped");
}

#[test]
fn a_dry_run_prints_what_runs_and_does_nothing() {
    let s = Sandbox::new();
    s.agent("claude");
    let text = s.deck(&["add", &s.project("p"), "-c", "claude", "--dry-run", "--prompt", "it's on"]).ok();
    assert!(text.starts_with("id=") && text.ends_with("'it'\\''s on'\n"), "{text}");
    assert!(s.list().is_empty());
}

#[test]
fn how_a_process_ended_is_its_status() {
    let s = Sandbox::new();
    s.program("fails", "exit 3");
    s.program("leaves", "exit 0");
    let dir = s.project("p");
    s.deck(&["add", &dir, "-t", "bad", "-c", "fails"]).ok();
    s.deck(&["add", &dir, "-t", "good", "-c", "leaves"]).ok();
    // tmux 3.3a sometimes never learns how a child ended: then deck reports that it ended, and no more.
    let status = |title: &str, want: &str| {
        wait_until(&format!("{title} is {want}"), || {
            let v = s.session(title);
            let got = format!("{} {}", v["status"].as_str().unwrap(), v["reason"].as_str().unwrap_or(""));
            if got == want || got == "error ended" { Ok(()) } else { Err(got) }
        });
    };
    status("bad", "error exited 3");
    status("good", "stopped exited 0");
}

#[test]
fn a_shell_is_running_while_a_job_has_the_terminal() {
    let s = Sandbox::new();
    s.deck(&["add", &s.project("p"), "-t", "sh", "-c", "shell"]).ok();
    let is = |want: &str| {
        wait_until(want, || {
            let got = s.session("sh")["status"].as_str().unwrap().to_owned();
            if got == want { Ok(()) } else { Err(got) }
        });
    };
    is("idle");
    let pane = s.session("sh")["tmux"]["pane_id"].as_str().unwrap().to_owned();
    let socket = s.socket();
    s.tmux(&socket, &["send-keys", "-t", &pane, "sleep 1000", "Enter"]);
    is("running");
    s.tmux(&socket, &["send-keys", "-t", &pane, "C-c"]);
    wait_until("not running", || {
        let got = s.session("sh")["status"].as_str().unwrap().to_owned();
        if got == "running" { Err(got) } else { Ok(()) }
    });
}

#[test]
fn an_agent_typed_into_a_shell_shows_what_it_does() {
    for command in ["shell", "bash"] {
        let s = Sandbox::new();
        s.asker();
        s.deck(&["add", &s.project("p"), "-t", "sh", "-c", command]).ok();
        let is = |want: &str| {
            wait_until(&format!("{command}: {want}"), || {
                let v = s.session("sh");
                let reason = v["reason"].as_str().unwrap_or_default();
                let got = format!("{} {reason}", v["status"].as_str().unwrap());
                if got.trim() == want { Ok(()) } else { Err(v.to_string()) }
            });
        };
        is("idle");
        let tool = s.session("sh")["tool"].clone();
        let pane = s.session("sh")["tmux"]["pane_id"].as_str().unwrap().to_owned();
        let socket = s.socket();
        let type_in = |text: &str| {
            s.tmux(&socket, &["send-keys", "-t", &pane, text, "Enter"]);
        };
        type_in("asker");
        wait_until("it is up", || {
            let text = s.deck(&["output", "sh"]).ok();
            if text.trim_end() == ">" { Ok(()) } else { Err(text) }
        });
        type_in("ask alpha");
        is("waiting permission");
        let v = s.session("sh");
        assert_eq!((&v["asks"], &v["resume_id"]), (&"Delete alpha?".into(), &serde_json::Value::Null), "{v}");
        s.deck(&["answer", "sh", "1"]).ok();
        type_in("work");
        is("running thinking");
        type_in("rest");
        wait_until("the end of its turn is seen", || {
            let v = s.session("sh");
            if v["status"] == "running" { Err(v.to_string()) } else { Ok(()) }
        });
        // With the agent its rules are gone, and it is a shell that is started again.
        type_in("bye 0");
        wait_until(&format!("{command}: idle at its prompt"), || {
            s.deck(&["ack", "sh"]).ok();
            let v = s.session("sh");
            if v["status"] == "idle" { Ok(()) } else { Err(v.to_string()) }
        });
        s.deck(&["restart", "sh"]).ok();
        assert_eq!(s.session("sh")["tool"], tool, "{command}");
    }
}

#[test]
fn a_session_added_inside_another_belongs_under_it() {
    let s = Sandbox::new();
    s.agent("claude");
    let dir = s.project("p");
    s.deck(&["add", &dir, "-t", "parent", "-c", "shell"]).ok();
    let parent = s.session("parent");
    let inside = s
        .command(env!("CARGO_BIN_EXE_deck"))
        .env("DECK_SESSION_ID", parent["id"].as_str().unwrap())
        .args(["add", &dir, "-t", "child", "-c", "claude"])
        .output()
        .unwrap();
    assert!(inside.status.success());
    assert_eq!(s.session("child")["parent_id"], parent["id"]);
    let tree = s.deck(&["list", "--tree"]).ok();
    assert!(tree.contains("└ child"), "{tree}");
}
