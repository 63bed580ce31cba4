//! What works beside an agent: the real deck, in a real tmux.

mod agents;
mod looking;
mod stopping;
mod terminals;

use serde_json::Value;

use crate::support::{Sandbox, wait_until};

/// A worker of a session, by its name.
pub fn worker(s: &Sandbox, session: &str, name: &str) -> Value {
    let all: Value = serde_json::from_str(&s.deck(&["worker", "list", session, "--json"]).ok()).unwrap();
    let found = all.as_array().unwrap().iter().find(|w| w["name"] == name).cloned();
    found.unwrap_or_else(|| panic!("no worker {name}: {all}"))
}

/// Waits until a terminal shows something.
#[track_caller]
pub fn shows(s: &Sandbox, worker: &str, what: &str) {
    wait_until(&format!("{worker} shows {what:?}"), || {
        let text = s.deck(&["output", worker]).ok();
        if text.contains(what) { Ok(()) } else { Err(text) }
    });
}
