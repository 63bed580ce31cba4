//! Stopping, starting, losing and deleting a session around its terminals.

use super::{shows, worker};
use crate::support::{Sandbox, wait_until};

fn world() -> Sandbox {
    let s = Sandbox::new();
    s.asker();
    s.ask_session("api");
    s.deck(&["worker", "add", "api", "-n", "sh", "-c", "cat"]).ok();
    s.deck(&["send", "api:sh", "kept"]).ok();
    shows(&s, "api:sh", "kept\nkept");
    s
}

/// The windows of a session: their names, and which is shown.
fn windows(s: &Sandbox) -> Vec<String> {
    let name = s.session("api")["tmux"]["name"].as_str().unwrap().to_owned();
    let format = "#{window_active} #{pane_id} #{@deck_pane}";
    let all = s.tmux(&s.socket(), &["list-panes", "-s", "-t", &format!("={name}:"), "-F", format]);
    all.lines().map(str::to_owned).collect()
}

#[test]
fn a_terminal_lives_while_its_agent_is_stopped_and_started() {
    let s = world();
    let pid = |s: &Sandbox| {
        let pane = worker(s, "api", "sh")["pane_id"].as_str().unwrap().to_owned();
        s.tmux(&s.socket(), &["display-message", "-p", "-t", &pane, "#{pane_pid}"])
    };
    let before = pid(&s);
    let said = s.deck(&["stop", "api"]).ok();
    assert_eq!(said, "stopped api; terminals keep running: sh (--with-workers ends them)\n");
    assert_eq!(s.session("api")["status"], "stopped");
    s.deck(&["send", "api:sh", "meanwhile"]).ok();
    shows(&s, "api:sh", "meanwhile\nmeanwhile");
    s.deck(&["start", "api"]).ok();
    s.deck(&["wait", "api", "--for", "idle", "--timeout", "60"]).ok();
    assert_eq!(pid(&s), before, "it is the same process");
    shows(&s, "api:sh", "kept\nkept");
    let agent = s.session("api")["tmux"]["pane_id"].as_str().unwrap().to_owned();
    assert_eq!(windows(&s)[0], format!("1 {agent} {agent}"), "the agent's window is the first, and shown");
    s.deck(&["send", "api", "ask all"]).ok();
    s.deck(&["wait", "api", "--for", "waiting", "--timeout", "60"]).ok();
    assert_eq!(s.session("api")["reason"], "permission", "what it asks is read as before");
    s.deck(&["restart", "api"]).ok();
    assert_eq!(pid(&s), before, "a restart touches no terminal");
    assert_eq!(s.deck(&["stop", "--with-workers", "api"]).ok(), "stopped api\n");
    assert_eq!(worker(&s, "api", "sh")["alive"], false);
    s.deck(&["start", "api"]).ok();
    assert_eq!(worker(&s, "api", "sh")["alive"], false, "its user ended it");
    // A terminal needs no agent.
    s.deck(&["stop", "api"]).ok();
    s.deck(&["worker", "restart", "api:sh"]).ok();
    assert_eq!(
        (s.session("api")["status"].as_str(), worker(&s, "api", "sh")["alive"].as_bool()),
        (Some("stopped"), Some(true))
    );
    assert!(s.deck(&["revive"]).ok().is_empty(), "it is no lost session");
    s.deck(&["start", "api"]).ok();
    s.deck(&["wait", "api", "--for", "idle", "--timeout", "60"]).ok();
    assert_eq!(windows(&s).len(), 2);
}

/// Ends the server of a session that runs. It may still answer for a moment after it was told to end.
#[track_caller]
fn lose_server(s: &Sandbox) {
    s.tmux(&s.socket(), &["kill-server"]);
    wait_until("its agent is gone", || match s.session("api") {
        api if api["reason"] == "gone" => Ok(()),
        api => Err(api.to_string()),
    });
}

#[test]
fn a_lost_server_brings_each_tab_back() {
    let s = world();
    let file = s.session("api")["project_path"].as_str().unwrap().to_owned() + "/PLAN.md";
    std::fs::write(file, "# Plan\n").unwrap();
    s.deck(&["worker", "add", "api", "--type", "diff"]).ok();
    s.deck(&["worker", "add", "api", "--type", "markdown", "--file", "PLAN.md"]).ok();
    s.deck(&["worker", "add", "api", "--type", "link", "--url", "http://localhost:{port}/"]).ok();
    let tabs = |s: &Sandbox| {
        let all = s.session("api")["workers"].as_array().unwrap().clone();
        all.iter().map(|w| format!("{} {} {}", w["tab"], w["type"], w["name"])).collect::<Vec<_>>()
    };
    let before = tabs(&s);
    assert_eq!(before.len(), 5);
    lose_server(&s);
    let said = s.deck(&["revive", "--all"]).ok();
    assert!(said.contains("new terminals in place of the lost ones: sh"), "{said}");
    assert_eq!(tabs(&s), before);
    assert_eq!(worker(&s, "api", "sh")["alive"], true);
    shows(&s, "api:sh", "the output of the one before was lost");
    let text = s.deck(&["output", "api:sh", "--lines", "100"]).ok();
    assert!(!text.contains("kept"), "its command is not run again: {text}");
    lose_server(&s);
    s.deck(&["revive", "--all", "--rerun"]).ok();
    s.deck(&["send", "api:sh", "again"]).ok();
    shows(&s, "api:sh", "again\nagain");
}

#[test]
fn deleting_names_what_would_end() {
    let s = world();
    s.deck(&["stop", "api"]).ok();
    let words = s.deck(&["rm", "api"]).fails(6);
    assert!(words.contains("still has terminals that run: sh"), "{words}");
    s.deck(&["rm", "--stop", "api"]).ok();
    let panes = s.tmux(&s.socket(), &["list-panes", "-a", "-F", "#{@deck_worker}"]);
    assert!(panes.trim().is_empty(), "{panes}");
    s.deck(&["undo"]).ok();
    assert_eq!(worker(&s, "api", "sh")["alive"], false);
}

#[test]
fn what_its_user_made_stays_and_is_in_nobodys_way() {
    let s = world();
    s.deck(&["worker", "rm", "--stop", "api:sh"]).ok();
    let pane = s.session("api")["tmux"]["pane_id"].as_str().unwrap().to_owned();
    let split = s.tmux(&s.socket(), &["split-window", "-d", "-t", &pane, "-P", "-F", "#{pane_id}", "cat"]);
    let is_there = |s: &Sandbox| {
        s.tmux(&s.socket(), &["list-panes", "-a", "-F", "#{pane_id}"]).lines().any(|p| p == split.trim())
    };
    s.deck(&["stop", "api"]).ok();
    assert!(is_there(&s), "deck doesn't end what it did not make");
    s.deck(&["worker", "add", "api", "-n", "sh", "-c", "cat"]).ok();
    assert_eq!(worker(&s, "api", "sh")["alive"], true);
    s.deck(&["start", "api"]).ok();
    s.deck(&["wait", "api", "--for", "idle", "--timeout", "60"]).ok();
    // A pane may say anything of itself, and an agent of its session: that makes no terminal of it.
    let name = s.session("api")["tmux"]["name"].as_str().unwrap().to_owned();
    s.tmux(&s.socket(), &["set-option", "-t", &format!("={name}:"), "@deck_worker", "made-up"]);
    assert_eq!(s.session("api")["workers"].as_array().unwrap().len(), 2);
    s.deck(&["stop", "--with-workers", "api"]).ok();
    assert!(is_there(&s) && worker(&s, "api", "sh")["alive"] == false);
    assert_eq!(s.session("api")["status"], "stopped");
}

#[test]
fn terminals_that_a_killed_deck_did_not_bring_back_are_there_after_the_next_revival() {
    let s = world();
    s.deck(&["stop", "api"]).ok();
    s.tmux(&s.socket(), &["kill-server"]);
    wait_until("its terminal is gone", || match worker(&s, "api", "sh") {
        sh if sh["alive"] == false => Ok(()),
        sh => Err(sh.to_string()),
    });
    let said = s.deck(&["revive", "--all"]).ok();
    assert!(said.contains("new terminals in place of the lost ones: sh"), "{said}");
    assert_eq!(s.session("api")["status"], "stopped", "its agent was stopped by its user");
    assert_eq!(worker(&s, "api", "sh")["alive"], true);
}
