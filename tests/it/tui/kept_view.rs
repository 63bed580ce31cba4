//! What is shown of a profile is shown again by the next deck, however the last one ended.

use crate::support::{Sandbox, Screen, wait_until};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

fn with_three() -> Sandbox {
    let s = Sandbox::new();
    s.agent("agent");
    for title in ["alpha", "beta", "gamma"] {
        s.deck(&["add", &s.project(title), "-t", title, "-c", "agent"]).ok();
    }
    s
}

/// Waits until what is kept of the profile says this.
#[track_caller]
fn keeps(s: &Sandbox, what: &str) {
    let file = s.path("deck/state/views/default.json");
    wait_until(&format!("{what} is kept"), || {
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        if text.contains(what) { Ok(()) } else { Err(text) }
    });
}

#[track_caller]
fn selects(screen: &Screen<'_>, title: &str) {
    wait_until(&format!("{title} is selected"), || {
        let text = screen.text();
        let is_selected = text.lines().any(|l| l.starts_with('▌') && l.contains(title));
        if is_selected { Ok(()) } else { Err(text) }
    });
}

#[test]
fn a_deck_that_was_killed_left_its_row_and_filter() {
    let s = with_three();
    let screen = Screen::open(&s, "first", (120, 40), &[]);
    screen.shows("s send");
    let gamma = s.session("gamma")["id"].as_str().unwrap().to_owned();
    screen.keys(&["G"]);
    keeps(&s, &gamma);
    screen.keys(&["/", "m", "m", "Enter"]);
    keeps(&s, "\"find\":\"mm\"");
    let pid = screen.ask("#{pane_pid}").parse().unwrap();
    kill(Pid::from_raw(pid), Signal::SIGKILL).unwrap();
    wait_until("it is dead", || match screen.ask("#{pane_dead}").as_str() {
        "1" => Ok(()),
        _ => Err(screen.text()),
    });
    let screen = Screen::open(&s, "second", (120, 40), &[]);
    selects(&screen, "gamma");
    screen.hides("alpha");
}

#[test]
fn a_status_filter_does_not_lose_the_row() {
    let s = with_three();
    s.program("vibe", "while read -r line; do echo \"approve it? [y/n]\"; done");
    s.file("tools/vibe.toml", "command = \"vibe\"\nprompt_patterns = [\"approve\"]\n");
    for title in ["one", "two"] {
        s.deck(&["add", &s.project(title), "-t", title, "-c", "vibe"]).ok();
        s.deck(&["keys", title, "enter"]).ok();
    }
    let screen = Screen::open(&s, "first", (120, 40), &[]);
    screen.shows("2 ask");
    screen.keys(&["@"]);
    screen.hides("alpha");
    screen.keys(&["G"]);
    let two = s.session("two")["id"].as_str().unwrap().to_owned();
    keeps(&s, &two);
    screen.keys(&["q"]);
    screen.after_end("");
    let screen = Screen::open(&s, "second", (120, 40), &[]);
    screen.shows("2 ask");
    selects(&screen, "two");
}

#[test]
fn a_session_of_the_command_line_has_the_size_at_which_it_will_be_seen() {
    let s = with_three();
    let screen = Screen::open(&s, "first", (120, 40), &[]);
    keeps(&s, "\"preview\":[73,33]");
    screen.keys(&["q"]);
    screen.after_end("");
    s.deck(&["add", &s.project("delta"), "-t", "delta", "-c", "agent"]).ok();
    let pane = s.session("delta")["tmux"]["pane_id"].as_str().unwrap().to_owned();
    let format = "#{window_width}x#{window_height}";
    assert_eq!(s.tmux(&s.socket(), &["display-message", "-p", "-t", &pane, format]).trim(), "73x33");
}
