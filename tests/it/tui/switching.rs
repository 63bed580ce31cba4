//! Going from one profile to another and back.

use crate::support::{Sandbox, Screen};

#[test]
fn a_profile_is_left_and_found_again_with_all_that_is_the_users() {
    let s = Sandbox::new();
    s.agent("agent");
    s.deck(&["add", &s.project("p"), "-t", "alpha", "-c", "agent"]).ok();
    s.file("config.toml", "keys = { new-group = \"f9\" }\n");
    let screen = Screen::open(&s, "t", (100, 30), &[]);
    screen.shows("agent ");
    screen.keys(&["s", "sent before", "Enter"]);
    screen.shows("alpha: ");
    screen.keys(&["s", "half written", "Escape"]);
    screen.hides("To alpha");
    screen.keys(&["p", "other", "Enter"]);
    screen.shows("created profile other");
    screen.keys(&["F9"]);
    screen.shows("New group");
    screen.keys(&["Escape"]);
    screen.hides("New group");
    screen.keys(&["M"]);
    screen.shows("alpha: ");
    screen.keys(&["Escape"]);
    screen.keys(&["p", "default", "Enter"]);
    screen.shows("alpha");
    screen.keys(&["s"]);
    screen.shows("│ half written");
    screen.keys(&["Up"]);
    screen.shows("│ sent before");
}
