//! One command on many sessions.

use crate::support::{Sandbox, Screen, wait_until};

const DEAF: &str = r#"
command = "deaf"
fallback = "unknown"
conversation_files = ["~/none/{id}.jsonl"]
prompt_patterns = []

[[rules]]
name = "prompt"
in = "last"
all = ['re:^> *$']
is = "ready"
priority = 10
"#;

#[test]
fn a_message_to_many_waits_for_none_of_them() {
    let s = Sandbox::new();
    // Nothing confirms that they received it: one after the other they would take six minutes.
    s.file("tools/deaf.toml", &format!("{DEAF}\n[send]\nwait_ms = 60000\n"));
    s.program("deaf", "stty -echo; echo up; printf '> '; exec cat > got");
    let dirs: Vec<String> = (0..6).map(|n| s.project(&format!("s{n}"))).collect();
    for dir in &dirs {
        s.deck(&["add", dir, "-c", "deaf"]).ok();
    }
    for n in 0..6 {
        s.deck(&["wait", &format!("s{n}"), "--for", "idle", "--timeout", "120"]).ok();
    }
    let screen = Screen::open(&s, "t", (100, 30), &[]);
    screen.shows("up");
    screen.keys(&["v"; 6]);
    screen.shows("6 marked");
    screen.keys(&["s", "to all of you", "Enter"]);
    let got = |dir: &String| std::fs::read_to_string(format!("{dir}/got")).unwrap_or_default();
    wait_until("all got it", || {
        let missing = dirs.iter().filter(|d| !got(d).contains("to all of you")).count();
        if missing == 0 { Ok(()) } else { Err(format!("{missing} did not\n{}", screen.text())) }
    });
}

#[test]
fn a_receipt_waits_for_no_agent_that_hangs() {
    let s = Sandbox::new();
    s.asker();
    // deck waits a minute for what would show that they received it.
    s.file("tools/deaf.toml", &format!("{DEAF}\n[send]\nwait_ms = 60000\n"));
    s.program("deaf", "stty -echo; echo up; printf '> '; exec cat > got");
    for title in ["one", "two"] {
        s.deck(&["add", &s.project(title), "-t", title, "-c", "deaf"]).ok();
        s.deck(&["wait", title, "--for", "idle", "--timeout", "120"]).ok();
    }
    s.ask_session("three");
    let screen = Screen::open(&s, "t", (100, 30), &[]);
    screen.shows("up");
    screen.keys(&["v"; 3]);
    screen.shows("3 marked");
    screen.keys(&["s", "work", "Enter"]);
    wait_until("the third's receipt is there while the others are waited for", || {
        let text = screen.text();
        let waits = text.matches(" sending ").count();
        if text.contains("three: delivered") && waits == 2 { Ok(()) } else { Err(text) }
    });
}
