//! Settings, and the demo.

use super::with_sessions;
use crate::support::{Sandbox, Screen, wait_until};

#[test]
fn settings_are_read_again_and_changed_in_place() {
    let s = with_sessions();
    s.file("config.toml", "# mine\n[ui]\ntheme = \"dark\" # here\n");
    let screen = Screen::open(&s, "t", (110, 30), &[]);
    screen.shows("hello from alpha");
    s.file(
        "config.toml",
        "# mine\nkeys = { rename = \"f2\", stop = \"r\" }\n[ui]\ntheme = \"dark\" # here\n",
    );
    screen.shows("keys is now { rename");
    screen.keys(&["F2"]);
    screen.shows("Rename session");
    screen.keys(&["Escape"]);
    screen.hides("Rename session");
    screen.keys(&["r"]);
    screen.shows("Stop alpha?");
    screen.keys(&["Escape"]);
    screen.hides("Stop alpha?");
    s.file("config.toml", "[ui\n");
    screen.shows("config.toml:1: ");
    screen.shows("keeping the previous settings");
    s.file("config.toml", "# mine\nkeys = { nonsense = \"x\" }\n[ui]\ntheme = \"dark\" # here\n");
    screen.shows("unknown command `nonsense`");
    let check = s.deck(&["config", "check"]);
    assert!(check.stdout().contains("config.toml:2: unknown command `nonsense`"));
    check.fails(1);
    screen.keys(&[","]);
    screen.shows("Settings");
    let text = || std::fs::read_to_string(s.path("deck/config.toml")).unwrap();
    // From the top to the theme.
    for _ in 0..4 {
        screen.keys(&["j"]);
    }
    screen.shows("by the terminal's background");
    screen.keys(&["Enter"]);
    wait_until("it is in the file", || {
        if text().contains("theme = \"light\" # here") { Ok(()) } else { Err(text()) }
    });
    assert!(text().starts_with("# mine\n"), "{}", text());
    screen.keys(&["Escape"]);
    screen.hides("by the terminal's background");
    s.file("themes/own.toml", "accent = { fg = \"#ff0000\", fg16 = \"red\" }\n");
    s.file("config.toml", "[ui]\ntheme = \"own\"\n");
    screen.shows("2 settings changed");
    s.file("config.toml", "[ui]\ntheme = \"gone\"\n");
    screen.shows("unknown theme");
}

#[test]
fn a_config_file_full_of_mistakes_keeps_nobody_out() {
    let s = with_sessions();
    s.file(
        "config.toml",
        "[ui]\ntheem = \"dark\"\ntheme = \"darkk\"\nsplit = 30\n[keys]\nfork = \"f9\"\nnew = \"f9\"\ndown = \"x\"\n\
         [notify\nbell = false\n",
    );
    let screen = Screen::open(&s, "t", (120, 30), &[]);
    screen.shows("hello from alpha");
    screen.shows("config.toml:2: unknown key `ui.theem`; did you mean `ui.theme`? (and 3 more");
    screen.keys(&["M"]);
    for words in [
        "config.toml:3: `ui.theme`: unknown theme",
        "key `f9` is bound twice",
        "config.toml:9: invalid TOML",
        "config.toml:8: `keys.down`: `x` was bound to `stop`",
    ] {
        screen.shows(words);
    }
    screen.keys(&["Escape", "q"]);
    screen.after_end("");
    s.file("config.toml", "[ui\n");
    let screen = Screen::open(&s, "u", (80, 24), &[]);
    screen.shows("config.toml:1: invalid TOML");
    screen.shows("alpha");
    s.deck(&["config", "check"]).fails(1);
}

#[test]
fn the_demo_shows_every_status_and_leaves_nothing() {
    let s = Sandbox::new();
    let screen = Screen::open(&s, "t", (120, 40), &["demo"]);
    for status in ["◐", "●", "✕", "■"] {
        screen.shows(status);
    }
    screen.shows("permission");
    screen.shows("idle");
    screen.keys(&["q"]);
    screen.after_end("");
    let left: Vec<_> = std::fs::read_dir(s.path("tmp")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(left.is_empty(), "{left:?}");
}
