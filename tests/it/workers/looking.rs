//! What a terminal means for the status of the agent beside it: nothing.

use super::shows;
use crate::support::{Sandbox, Screen, wait_until};

/// A session whose agent has finished a turn that nobody has seen, with a terminal.
fn world() -> Sandbox {
    let s = Sandbox::new();
    s.asker();
    s.ask_session("api");
    s.deck(&["send", "api", "work"]).ok();
    s.deck(&["wait", "api", "--for", "running", "--timeout", "60"]).ok();
    s.deck(&["send", "api", "x"]).ok();
    s.deck(&["wait", "api", "--for", "waiting", "--timeout", "60"]).ok();
    s
}

#[test]
fn who_looks_at_a_terminal_has_not_seen_its_agent() {
    let s = world();
    s.deck(&["worker", "add", "api", "-n", "sh", "-c", "cat"]).ok();
    let clients = |expected: usize, screen: &Screen| {
        wait_until("the terminal is attached, or left", || {
            let all = s.tmux(&s.socket(), &["list-clients", "-F", "#{client_name} #{window_index}"]);
            let terminals = all.lines().filter(|l| l.starts_with('/')).count();
            if terminals == expected { Ok(()) } else { Err(format!("{all}{}", screen.text())) }
        });
    };
    let look = |name: &str, of: &str| {
        let screen = Screen::open(&s, name, (80, 24), &["attach", of]);
        clients(1, &screen);
        screen
    };
    let screen = look("one", "api:sh");
    s.deck(&["send", "api:sh", "seen"]).ok();
    screen.shows("seen");
    assert_eq!(s.session("api")["status"], "waiting");
    screen.keys(&["C-q"]);
    screen.after_end("#{pane_dead}");
    clients(0, &screen);
    let session = s.session("api");
    assert_eq!((session["status"].as_str(), session["reason"].as_str()), (Some("waiting"), Some("finished")));
    // Nor has who attached to the agent and left from its terminal: what it did last may be unseen.
    let screen = look("away", "api");
    let pane = super::worker(&s, "api", "sh")["pane_id"].as_str().unwrap().to_owned();
    s.tmux(&s.socket(), &["select-window", "-t", &pane]);
    s.deck(&["send", "api:sh", "elsewhere"]).ok();
    screen.shows("elsewhere");
    screen.keys(&["C-q"]);
    screen.after_end("#{pane_dead}");
    clients(0, &screen);
    let screen = look("two", "api");
    screen.keys(&["C-q"]);
    screen.after_end("#{pane_dead}");
    assert_eq!(
        s.session("api")["status"],
        "idle",
        "who attaches to the agent sees it, whichever window was shown last"
    );
}

#[test]
fn a_terminal_that_floods_changes_nothing() {
    let s = world();
    let before = s.session("api");
    s.deck(&["worker", "add", "api", "-n", "flood", "-c", "yes flood"]).ok();
    shows(&s, "api:flood", "flood\nflood");
    let flags = "#{window_activity_flag}#{monitor-activity}";
    let pane = super::worker(&s, "api", "flood")["pane_id"].as_str().unwrap().to_owned();
    assert_eq!(
        s.tmux(&s.socket(), &["display-message", "-p", "-t", &pane, flags]).trim(),
        "00",
        "it wakes no deck"
    );
    let after = s.session("api");
    assert_eq!((&after["status"], &after["since"]), (&before["status"], &before["since"]));
    s.deck(&["worker", "rm", "--stop", "api:flood"]).ok();
}
