//! Starting again what was lost or cut off, and nothing else being touched.

use crate::support::{Sandbox, wait_until};

fn lives(pid: i64) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/cmdline")).is_ok_and(|c| !c.is_empty())
}

fn pid_in(s: &Sandbox, file: &str) -> i64 {
    let mut pid = 0;
    wait_until("the job runs", || {
        let text = std::fs::read_to_string(s.path(file)).unwrap_or_default();
        pid = text.trim().parse().unwrap_or(0);
        if pid > 0 { Ok(()) } else { Err(text) }
    });
    pid
}

fn lost(s: &Sandbox, title: &str) {
    s.tmux(&s.socket(), &["kill-server"]);
    wait_until("it is lost", || {
        let v = s.session(title);
        if v["reason"] == "gone" { Ok(()) } else { Err(v.to_string()) }
    });
}

#[test]
fn the_jobs_of_a_lost_shell_are_its_users_own() {
    let s = Sandbox::new();
    s.deck(&["add", &s.project("p"), "-t", "sh", "-c", "sh"]).ok();
    let file = s.path("tmp/job");
    // One on the shell's own terminal, which ignores its loss, and runs the same program.
    let job =
        format!("(trap '' HUP; exec sh -c 'echo $$ > {}; while :; do sleep 1; done') &", file.display());
    s.deck(&["send", "sh", &job]).ok();
    let pid = pid_in(&s, "tmp/job");
    lost(&s, "sh");
    s.deck(&["start", "sh"]).ok();
    assert!(lives(pid), "the user's job was ended");
}

#[test]
fn a_job_that_left_the_agents_terminal_is_its_users_own() {
    let s = Sandbox::new();
    let file = s.path("tmp/job");
    // It names the agent's program, too.
    let job =
        format!("setsid -f sh -c 'echo $$ > {0}.new; mv {0}.new {0}; exec tail -f ./claude'", file.display());
    s.program("claude", &format!("touch claude\n{job}\nexec cat"));
    s.deck(&["add", &s.project("p"), "-t", "api", "-c", "claude"]).ok();
    let pid = pid_in(&s, "tmp/job");
    lost(&s, "api");
    s.deck(&["start", "api", "--fresh"]).ok();
    assert!(lives(pid), "the user's job was ended");
}

#[test]
fn an_agent_whose_pane_was_closed_beside_a_split_starts_again() {
    let s = Sandbox::new();
    s.agent("claude");
    s.deck(&["add", &s.project("p"), "-t", "api", "-c", "claude"]).ok();
    let socket = s.socket();
    let name = s.session("api")["tmux"]["name"].as_str().unwrap().to_owned();
    let target = format!("={name}:");
    let pane = s.tmux(&socket, &["display-message", "-p", "-t", &target, "#{pane_id}"]).trim().to_owned();
    s.tmux(&socket, &["split-window", "-d", "-t", &pane, "exec cat"]);
    s.tmux(&socket, &["kill-pane", "-t", &pane]);
    wait_until("its pane is gone", || {
        let v = s.session("api");
        if v["reason"] == "gone" { Ok(()) } else { Err(v.to_string()) }
    });
    s.deck(&["restart", "api"]).ok();
    wait_until("it runs", || {
        let text = s.deck(&["output", "api"]).ok();
        if text.contains("agent") { Ok(()) } else { Err(text) }
    });
    let panes = s.tmux(&socket, &["list-panes", "-s", "-t", &target, "-F", "#{pane_id}"]);
    assert_eq!(panes.lines().count(), 2, "the user's own pane stays: {panes}");
    assert_eq!(s.session("api")["status"], "starting");
}
