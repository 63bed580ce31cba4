//! One command on many sessions.

use crate::support::{Sandbox, Screen, wait_until};

#[test]
fn a_message_to_many_waits_for_none_of_them() {
    let s = Sandbox::new();
    // Nothing of theirs shows that they took it: each is looked at for seconds.
    s.program("deaf", "stty -echo; echo up; exec cat > got");
    let dirs: Vec<String> = (0..14).map(|n| s.project(&format!("s{n}"))).collect();
    for dir in &dirs {
        s.deck(&["add", dir, "-c", "deaf"]).ok();
    }
    let screen = Screen::open(&s, "t", (100, 30), &[]);
    screen.shows("up");
    screen.keys(&["v"; 14]);
    screen.shows("14 marked");
    screen.keys(&["s", "to all of you", "Enter"]);
    let got = |dir: &String| std::fs::read_to_string(format!("{dir}/got")).unwrap_or_default();
    wait_until("all got it", || {
        let missing = dirs.iter().filter(|d| !got(d).contains("to all of you")).count();
        if missing == 0 { Ok(()) } else { Err(format!("{missing} did not\n{}", screen.text())) }
    });
}
