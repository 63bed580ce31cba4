//! The TUI in a real terminal.

mod agents;
mod answers;
mod diff;
mod fitting;
mod kept_view;
mod lists;
mod many;
mod pastes;
mod settings;
mod shells;
mod stops;
mod switching;
mod terminal;
mod tools;
mod tour;

use crate::support::Sandbox;

fn with_sessions() -> Sandbox {
    let s = Sandbox::new();
    s.program("agent", "echo \"hello from $1\"; exec cat");
    for (title, group) in [("alpha", "work"), ("beta", "work/deep"), ("gamma", "play")] {
        s.deck(&["add", &s.project(title), "-t", title, "-g", group, "-c", "agent", "--", title]).ok();
    }
    s
}
