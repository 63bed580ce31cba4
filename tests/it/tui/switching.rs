//! Going from one profile to another and back.

use crate::support::{Sandbox, Screen, wait_until};

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
    // Not before the first poll.
    screen.shows("s send");
    screen.keys(&["s"]);
    screen.shows("│ half written");
    screen.keys(&["Up"]);
    screen.shows("│ sent before");
}

/// The name in the header, as it is painted.
fn name_of(screen: &Screen<'_>) -> String {
    let painted = screen.painted();
    let line = painted.lines().next().unwrap_or_default();
    line.split_once("deck").map(|(before, _)| before.to_owned()).unwrap_or_default()
}

#[test]
fn keys_theme_log_and_draft_are_those_of_before_the_switch() {
    let s = Sandbox::new();
    s.agent("agent");
    s.deck(&["add", &s.project("p"), "-t", "alpha", "-c", "agent"]).ok();
    let screen = Screen::open(&s, "t", (100, 30), &[]);
    screen.shows("agent ");
    let dark = name_of(&screen);
    // Changed while deck is open: what was read at its start must not come back.
    s.file("config.toml", "keys = { new-group = \"f9\" }\n[ui]\ntheme = \"high-contrast\"\nsplit = 60\n");
    screen.shows("3 settings changed");
    let changed = name_of(&screen);
    assert!(changed != dark, "{changed:?}");
    let edge = |screen: &Screen<'_>| screen.text().lines().nth(2).and_then(|l| l.find('┬'));
    let wide = edge(&screen);
    screen.keys(&["["]);
    wait_until("the list is narrower", || match edge(&screen) {
        now if now < wide => Ok(()),
        now => Err(format!("{wide:?} {now:?}")),
    });
    let split = edge(&screen);
    screen.keys(&["s", "half written", "Escape"]);
    screen.hides("To alpha");
    // A message that is logged.
    screen.keys(&["y"]);
    screen.shows("no answer found");
    screen.keys(&["p", "other", "Enter"]);
    screen.shows("created profile other");

    assert_eq!(name_of(&screen), changed);
    screen.keys(&["M"]);
    screen.shows("no answer found");
    screen.shows("3 settings changed");
    screen.keys(&["Escape"]);
    screen.hides("no answer found");
    screen.keys(&["F9"]);
    screen.shows("New group");
    screen.keys(&["Escape"]);
    screen.hides("New group");
    screen.keys(&["p", "default", "Enter"]);
    screen.shows("alpha");
    wait_until("the list is as wide as it was", || match edge(&screen) {
        now if now == split => Ok(()),
        now => Err(format!("{split:?} {now:?}\n{}", screen.text())),
    });
    assert_eq!(name_of(&screen), changed);
    screen.shows("s send");
    screen.keys(&["s"]);
    screen.shows("│ half written");
}

#[test]
fn a_first_prompt_arrives_though_the_user_has_gone_to_another_profile_by_then() {
    let s = Sandbox::new();
    s.agent("agent");
    let log = s.path("tmp/lines");
    s.program(
        "reader",
        &format!("while IFS= read -r line; do echo \"$line\" >> {}; echo \"got $line\"; done", log.display()),
    );
    s.file("config.toml", "[tools.reader]\ncommand = \"reader\"\nsend = { delay_ms = 0 }\n");
    s.deck(&["add", &s.project("p"), "-t", "alpha", "-c", "agent"]).ok();
    let screen = Screen::open(&s, "t", (100, 40), &[]);
    screen.shows("agent ");
    screen.keys(&["n"]);
    screen.shows("New session");
    screen.keys(&["BTab"]);
    screen.keys(&["fix it"]);
    screen.shows("fix it");
    screen.keys(&["Tab", "C-u"]);
    screen.keys(&[&s.project("fresh"), "Tab"]);
    screen.shows("choose");
    screen.keys(&["Left"]);
    screen.shows("Command");
    screen.keys(&["reader"]);
    screen.shows("in ");
    // Creating it waits for as long as somebody else changes the profile.
    let lock = std::fs::File::open(s.path("deck/profiles/default/sessions.json.lock")).unwrap();
    lock.lock().unwrap();
    screen.keys(&["Enter"]);
    screen.hides("New session");
    screen.keys(&["p", "other", "Enter"]);
    screen.shows("created profile other");
    drop(lock);
    wait_until("the prompt has arrived", || match std::fs::read_to_string(&log) {
        Ok(text) if text == "fix it\n" => Ok(()),
        other => Err(format!("{other:?}\n{}", screen.text())),
    });
    screen.shows("prompt for fresh: delivered");
    assert_eq!(s.session("fresh")["draft"], serde_json::Value::Null);
}
