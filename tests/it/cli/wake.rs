//! Windows that report their changes: who watches is woken, who is attached hears nothing of it.

use std::fs;
use std::process::Child;

use crate::support::{Sandbox, Screen, wait_until};

/// An agent that never stops counting.
fn counting(s: &Sandbox) -> String {
    s.program("counter", "n=0\nwhile :; do n=$((n+1)); echo \"line $n\"; sleep 0.02; done");
    s.deck(&["add", &s.project("counter"), "-t", "counter", "-c", "counter"]).ok();
    s.socket()
}

fn watch(s: &Sandbox) -> Child {
    s.spawn_deck(&["list", "--watch", "--json"])
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

/// How often the bell rings in these bytes: those that end an operating system command ring none.
fn bells(bytes: &[u8]) -> usize {
    let text = String::from_utf8_lossy(bytes);
    let parts = text.split("\x1b]").enumerate();
    let rung = |(i, part): (usize, &str)| {
        let ends = part.find(['\x07', '\x1b']).filter(|_| i > 0);
        part[ends.map_or(0, |at| at + 1)..].matches('\x07').count()
    };
    parts.map(rung).sum()
}

#[test]
fn bells_are_counted_as_they_ring() {
    assert_eq!(bells(b"\x07a\x1b]0;title\x07b\x1b]112\x1b\\c\x07\x07"), 3);
    assert_eq!(bells(b"\x1b]0;title\x07"), 0);
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
    let is_woken = || {
        for _ in 0..3 {
            // Each waits for a report of its own.
            s.tmux(&socket, &["wait-for", "deck-wake"]);
        }
        assert_eq!(waiting(&s).len(), 1, "{:?}", waiting(&s));
    };
    let is_left = || {
        wait_until("nobody waits for a deck that has ended", || match waiting(&s) {
            none if none.is_empty() => Ok(()),
            some => Err(format!("{some:?}")),
        });
    };
    for verb in [&["list", "--watch", "--json"][..], &["wait", "counter", "--for", "exit"]] {
        let watch = s.spawn_deck(verb);
        is_woken();
        end(watch);
        is_left();
    }
    // Whoever is attached has a line that says what others need.
    s.agent("other");
    s.deck(&["add", &s.project("other"), "-t", "other", "-c", "other"]).ok();
    let screen = Screen::open(&s, "t", (80, 24), &["attach", "other"]);
    screen.shows("agent ");
    is_woken();
    screen.keys(&["C-q"]);
    screen.after_end("");
    is_left();
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
    // All that is written to the terminal from here on.
    let written = s.path("tmp/written");
    s.tmux("outer", &["pipe-pane", "-t", "t", &format!("cat >> {}", written.display())]);
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
    screen.after_end("");
    assert_eq!(screen.ask("#{window_bell_flag}"), "0", "{}", screen.text());
    wait_until("what was written is there", || match fs::read(&written) {
        Ok(bytes) if bytes.len() > 1000 => Ok(()),
        other => Err(format!("{other:?}")),
    });
    assert_eq!(bells(&fs::read(&written).unwrap()), 0);
    end(watch);
}
