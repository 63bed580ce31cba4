//! What is pasted while keys go to an agent.

use crate::support::{Sandbox, Screen, wait_until};

#[test]
fn lines_pasted_into_an_agent_arrive_as_lines() {
    let s = Sandbox::new();
    s.program("agent", "stty raw -echo; printf '\\033[?2004hready for it'; exec cat > got");
    let dir = s.project("p");
    s.deck(&["add", &dir, "-t", "p", "-c", "agent"]).ok();
    let screen = Screen::open(&s, "t", (100, 30), &[]);
    screen.shows("ready for it");
    screen.keys(&["i"]);
    screen.shows("ctrl-q back to deck");
    // Without -r tmux sends a carriage return for each line break, as terminals do.
    s.tmux("outer", &["set-buffer", "-b", "b", "one\ntwo\nthree"]);
    s.tmux("outer", &["paste-buffer", "-p", "-b", "b", "-t", "t"]);
    wait_until("the paste arrived", || {
        let got = std::fs::read_to_string(format!("{dir}/got")).unwrap_or_default();
        let whole = got.contains("\u{1b}[200~") && got.contains("\u{1b}[201~");
        if whole { Ok(()) } else { Err(format!("{got:?}\n{}", screen.text())) }
    });
    let got = std::fs::read_to_string(format!("{dir}/got")).unwrap();
    assert_eq!(got, "\u{1b}[200~one\rtwo\rthree\u{1b}[201~");
}
