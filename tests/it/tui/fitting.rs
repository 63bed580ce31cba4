//! The selected session has the size of its preview while nobody is attached to it.

use crate::support::{Sandbox, Screen, wait_until};

/// Columns and rows of a session's window, as tmux has them.
fn size_of(s: &Sandbox, title: &str) -> String {
    let pane = s.session(title)["tmux"]["pane_id"].as_str().unwrap().to_owned();
    let format = "#{window_width}x#{window_height} #{session_attached}";
    s.tmux(&s.socket(), &["display-message", "-p", "-t", &pane, format]).trim().to_owned()
}

#[track_caller]
fn becomes(s: &Sandbox, title: &str, size: &str) {
    wait_until(&format!("{title} is {size}"), || match size_of(s, title) {
        now if now == size => Ok(()),
        now => Err(now),
    });
}

fn resize(s: &Sandbox, name: &str, columns: &str, rows: &str) {
    s.tmux("outer", &["resize-window", "-t", name, "-x", columns, "-y", rows]);
}

/// A program that says how large its terminal is, whenever that changes.
const RULER: &str = "trap 'stty size' WINCH; stty size; while :; do read -r _ || :; done";

fn rulers(titles: &[&str]) -> Sandbox {
    let s = Sandbox::new();
    s.program("ruler", RULER);
    for title in titles {
        s.deck(&["add", &s.project(title), "-t", title, "-c", "ruler"]).ok();
    }
    s
}

#[test]
fn the_selected_session_has_the_size_of_its_preview() {
    let s = rulers(&["alpha", "beta"]);
    let before = size_of(&s, "beta");
    let screen = Screen::open(&s, "t", (120, 40), &[]);
    becomes(&s, "alpha", "73x33 0");
    // What the program draws for its new size is seen.
    screen.shows("33 73");
    assert_eq!(size_of(&s, "beta"), before, "nobody looks at it");
    // Another row, another terminal.
    screen.keys(&["j"]);
    becomes(&s, "beta", "73x33 0");
    resize(&s, "t", "200", "50");
    becomes(&s, "beta", "102x43 0");
    // The preview of a small terminal shows the end of a screen in which agents still draw well.
    resize(&s, "t", "80", "24");
    becomes(&s, "beta", "79x24 0");
    assert_eq!(size_of(&s, "alpha"), "73x33 0", "left as it was seen last");
}

#[test]
fn an_attached_session_has_its_terminals_size_and_the_previews_again_afterwards() {
    let s = rulers(&["alpha"]);
    let screen = Screen::open(&s, "t", (120, 40), &[]);
    becomes(&s, "alpha", "73x33 0");
    screen.keys(&["Enter"]);
    // One row is tmux's own.
    becomes(&s, "alpha", "120x39 1");
    resize(&s, "t", "150", "45");
    becomes(&s, "alpha", "150x44 1");
    screen.keys(&["C-q"]);
    becomes(&s, "alpha", "87x38 0");
}

#[test]
fn of_two_decks_the_one_that_was_used_last_decides() {
    let s = rulers(&["alpha", "beta"]);
    let small = Screen::open(&s, "small", (120, 40), &[]);
    becomes(&s, "alpha", "73x33 0");
    let large = Screen::open(&s, "large", (200, 50), &[]);
    becomes(&s, "alpha", "102x43 0");
    // The other one doesn't fight for it, and shows that lines go on. It has it again once it is used.
    small.shows("43 102");
    small.keys(&["M"]);
    small.keys(&["Escape"]);
    becomes(&s, "alpha", "73x33 0");
    // Only who sees that it has another size can want it back.
    wait_until("the other one sees it", || match large.text() {
        text if text.matches("33 73").count() == 2 => Ok(()),
        text => Err(text),
    });
    large.keys(&["M"]);
    large.keys(&["Escape"]);
    becomes(&s, "alpha", "102x43 0");
}

#[test]
fn a_session_keeps_its_size_where_the_user_wants_that() {
    let s = rulers(&["alpha"]);
    s.file("config.toml", "[ui]\npreview_fit = false\n");
    let before = size_of(&s, "alpha");
    let screen = Screen::open(&s, "t", (120, 40), &[]);
    screen.shows("s send");
    screen.keys(&["i"]);
    screen.shows("typing");
    screen.keys(&["x"]);
    // What was typed has arrived, so what was asked for before it was done, too.
    screen.shows("x");
    assert_eq!(size_of(&s, "alpha"), before);
    screen.keys(&["C-q"]);
    screen.hides("typing");
    s.file("config.toml", "[ui]\npreview_fit = true\n");
    becomes(&s, "alpha", "73x33 0");
}
