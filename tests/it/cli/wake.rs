//! Windows that report their changes: who watches is woken, who is attached hears nothing of it.

use std::fs;
use std::process::{Child, Stdio};

use crate::support::{Sandbox, Screen, wait_until};

/// An agent that never stops counting.
fn counting(s: &Sandbox) -> String {
    s.program("counter", "n=0\nwhile :; do n=$((n+1)); echo \"line $n\"; sleep 0.02; done");
    s.deck(&["add", &s.project("counter"), "-t", "counter", "-c", "counter"]).ok();
    s.socket()
}

fn watch(s: &Sandbox) -> Child {
    let mut command = s.command(env!("CARGO_BIN_EXE_deck"));
    command.args(["list", "--watch", "--json"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

fn end(mut watch: Child) {
    watch.kill().unwrap();
    watch.wait().unwrap();
}

/// The processes of this sandbox that wait for changes.
fn waiting(s: &Sandbox) -> Vec<String> {
    let mark = s.path("tmux").to_str().unwrap().as_bytes().to_vec();
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let read = |file: &str| fs::read(entry.path().join(file)).unwrap_or_default();
        let words = String::from_utf8_lossy(&read("cmdline")).replace('\0', " ");
        if words.contains("source-file -") && read("environ").windows(mark.len()).any(|w| w == mark) {
            found.push(words);
        }
    }
    found
}

/// The last line that the counter has drawn on a screen.
fn count(text: &str) -> u32 {
    let numbers = text.lines().filter_map(|l| l.trim().strip_prefix("line ")?.parse().ok());
    numbers.max().unwrap_or(0)
}

#[test]
fn a_window_reports_again_and_again_while_somebody_watches() {
    let s = Sandbox::new();
    let socket = counting(&s);
    let flag = || s.tmux(&socket, &["list-windows", "-a", "-F", "#{session_name} #{window_activity_flag}"]);
    let reported = || flag().lines().any(|l| l.starts_with("counter") && l.ends_with(" 1"));
    wait_until("it has reported, and nobody has it report again", || {
        if reported() { Ok(()) } else { Err(flag()) }
    });
    let watch = watch(&s);
    for _ in 0..3 {
        // Each waits for a report of its own.
        s.tmux(&socket, &["wait-for", "deck-wake"]);
    }
    assert_eq!(waiting(&s).len(), 1, "{:?}", waiting(&s));
    end(watch);
    wait_until("nobody waits for a deck that was killed", || match waiting(&s) {
        none if none.is_empty() => Ok(()),
        some => Err(format!("{some:?}")),
    });
}

#[test]
fn no_bell_rings_on_the_terminal_of_who_is_attached() {
    let s = Sandbox::new();
    let socket = counting(&s);
    s.agent("other");
    s.deck(&["add", &s.project("other"), "-t", "other", "-c", "other"]).ok();
    let watch = watch(&s);
    let action = |title: &str| {
        let all = s.tmux(&socket, &["list-sessions", "-F", "#{@deck_title} #{activity-action}"]);
        all.lines().find_map(|l| l.strip_prefix(&format!("{title} "))).unwrap_or_default().to_owned()
    };
    let acts = |title: &str, what: &str| {
        wait_until(&format!("{title} reports: {what}"), || match action(title) {
            now if now == what => Ok(()),
            now => Err(now),
        });
    };
    // It has reported, so that others would be told.
    s.tmux(&socket, &["wait-for", "deck-wake"]);
    let screen = Screen::open(&s, "t", (80, 24), &["attach", "counter"]);
    screen.shows("line ");
    let from = count(&screen.text());
    wait_until("a hundred changes are drawn", || match count(&screen.text()) {
        now if now > from + 100 => Ok(()),
        now => Err(now.to_string()),
    });
    acts("counter", "none");
    acts("other", "any");
    assert_eq!(s.tmux(&socket, &["show-options", "-gwv", "monitor-activity"]).trim(), "on");
    assert_eq!(screen.ask("#{window_bell_flag}"), "0", "{}", screen.text());
    // The user goes to another session, and leaves.
    let client = s.tmux(&socket, &["list-clients", "-F", "#{client_control_mode} #{client_name}"]);
    let client = client.lines().find_map(|l| l.strip_prefix("0 ")).unwrap().to_owned();
    let names = s.tmux(&socket, &["list-sessions", "-F", "#{@deck_title} #{session_id}"]);
    let other = names.lines().find_map(|l| l.strip_prefix("other ")).unwrap().to_owned();
    s.tmux(&socket, &["switch-client", "-c", &client, "-t", &other]);
    acts("counter", "any");
    acts("other", "none");
    screen.keys(&["C-q"]);
    acts("other", "any");
    assert_eq!(screen.ask("#{window_bell_flag}"), "0", "{}", screen.text());
    end(watch);
}
