//! A tool that its user adds or changes while the TUI is open.

use crate::support::{Sandbox, Screen, wait_until};

#[test]
fn all_decks_judge_by_the_tools_as_they_are_now() {
    let s = Sandbox::new();
    s.program("vibe", "printf 'ready\\n'; read -r go; printf 'approve? [y/n] '; exec sleep 1000");
    let screen = Screen::open(&s, "t", (100, 30), &[]);
    screen.shows("add a session");
    s.file("config.toml", "[tools.vibe]\ncommand = \"vibe\"\nprompt_patterns = [\"[y/n]\"]\n");
    s.deck(&["add", &s.project("p"), "-t", "v", "-c", "vibe"]).ok();
    wait_until("it is up", || match s.deck(&["output", "--screen", "v"]).ok() {
        text if text.contains("ready") => Ok(()),
        text => Err(text),
    });
    s.deck(&["keys", "v", "Enter"]).ok();
    // The TUI sees what the command line sees, and neither takes the other's answer back.
    screen.shows("asks: permission");
    for _ in 0..5 {
        assert_eq!(s.session("v")["reason"], "permission");
    }
    screen.shows("asks: permission");
    let history = s.deck(&["explain", "--history", "v"]).ok();
    let asked = history.lines().filter(|l| l.contains("waiting · permission") && l.contains("ago")).count();
    assert_eq!(asked, 1, "{history}");
}
