//! Putting a hook's note on its session, from the agent's own process tree.
//!
//! Invariants: the agent doesn't wait for tmux: one child, on its own, carries the note; notes that
//! overtake each other are distinguished by their times, and the newer one stays; a pane that isn't a session of this
//! deck is left alone.

use std::os::unix::process::CommandExt;
use std::process::Stdio;

use super::connection::program;
use super::oneshot::whole;
use super::quote;
use crate::domain::id::SessionId;
use crate::domain::status::HookNote;

/// Where a hook runs.
#[derive(Debug, Clone, Copy)]
pub struct HookPlace<'a> {
    /// The session it was started for.
    pub session: &'a SessionId,
    /// The agent's `TMUX`: socket, server and session.
    pub tmux: &'a str,
    /// The agent's `TMUX_PANE`.
    pub pane: &'a str,
}

/// Starts the child that puts the note on the session; waits for nothing.
///
/// # Errors
/// The system's error when it can't be started.
pub fn put_hook_note(place: HookPlace<'_>, note: &HookNote) -> std::io::Result<()> {
    let socket = place.tmux.split(',').next().unwrap_or_default();
    let [condition, command] = words(place, note);
    let line = quote::line(&["if-shell", "-F", "-t", place.pane, &condition, &command]);
    // On stdin, since every user can read the arguments of a process, and a note may hold a password.
    program("tmux")
        .args(["-N", "-S", socket, "source-file", "-"])
        .process_group(0)
        .stdin(whole(&line)?)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map(drop)
}

/// The condition under which the note is put, and the commands that put it.
fn words(place: HookPlace<'_>, note: &HookNote) -> [String; 2] {
    // An id that deck didn't make fits no session, and must not be read as a format.
    let id: String =
        place.session.as_str().chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
    let at = note.at;
    let last = "#{?@deck_hook_at,#{@deck_hook_at},0}";
    let condition = format!("#{{&&:#{{==:#{{@deck_id}},{id}}},#{{e|<=:{last},{at}}}}}");
    let set = |name: &str, value: &str| quote::line(&["set-option", "-t", place.pane, name, value]);
    let command =
        format!("{} ; {}", set("@deck_hook_at", &at.to_string()), set("@deck_hook", &note.to_json()));
    [condition, command]
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::Timestamp;
    use serde_json::json;

    #[test]
    fn nothing_foreign_is_read_as_a_command() {
        let payload =
            json!({ "tool_name": "Bash", "tool_input": { "command": "echo 'x' ; #(touch pwned) $HOME" } });
        let note = HookNote::of("PermissionRequest", &payload, Timestamp::UNIX_EPOCH).unwrap();
        let id = SessionId::new("0197-a#(touch x)},b");
        let place = HookPlace { session: &id, tmux: "/tmp/s,1,2", pane: "%3" };
        insta::assert_snapshot!(words(place, &note).join("\n"));
    }
}
