//! Conversations: roles, messages, checkpoints, requests.

mod carried;
mod compaction;
mod handoff;
mod kills;
mod moved;
mod opening;
mod requests;
mod screen;
mod secrets;

use serde_json::Value;

use crate::support::Sandbox;

/// What a verb of conversations prints as JSON.
#[track_caller]
fn json(s: &Sandbox, args: &[&str]) -> Value {
    let all = [&["conversation"], args, &["--json"]].concat();
    serde_json::from_str(&s.deck(&all).ok()).unwrap()
}

#[track_caller]
fn conv(s: &Sandbox, args: &[&str]) -> String {
    s.deck(&[&["conversation"], args].concat()).ok()
}

#[track_caller]
fn refused(s: &Sandbox, args: &[&str], code: i32) -> String {
    s.deck(&[&["conversation"], args].concat()).fails(code)
}

/// A sandbox with a conversation of `pm` about `auth`.
fn opened() -> Sandbox {
    let s = Sandbox::new();
    conv(&s, &["open", "--role", "pm", "--feature", "auth"]);
    s
}

fn add(s: &Sandbox, role: &str, text: &str) -> String {
    conv(s, &["add", "pm-feature-auth", "--role", role, text, "-q"]).trim().to_owned()
}

/// The ids of messages.
fn ids(s: &Sandbox, args: &[&str]) -> Vec<String> {
    conv(s, &[&["messages", "pm-feature-auth", "--limit", "100000", "-q"], args].concat())
        .lines()
        .map(str::to_owned)
        .collect()
}
