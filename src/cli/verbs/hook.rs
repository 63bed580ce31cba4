//! `deck hook`: what an agent reports about itself. It must never keep the agent waiting, print
//! anything or fail: an agent may take a hook's output or failure as an instruction.

use std::io::Read;

use serde_json::Value;

use crate::config::paths::Environment;
use crate::domain::id::SessionId;
use crate::domain::session::IdSource;
use crate::domain::status::HookNote;
use crate::ops;
use crate::ports::Clock;
use crate::sys::clock::SystemClock;
use crate::sys::spawn;
use crate::wiring::{Wiring, note_hook};

/// The most that is read of a hook's payload, in bytes.
const MAX_BYTES: u64 = 64 * 1024;

/// Record a hook's report from an agent.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What happened, as the agent calls it.
    event: String,
}

/// Reads no settings unless it has to: the agent waits for it.
pub(super) fn run(args: &Args, profile: Option<&str>, env: &Environment) {
    // The time first: it orders the notes.
    let now = SystemClock.now();
    let Some(session) = env.get("DECK_SESSION_ID").and_then(SessionId::parse) else { return };
    let mut text = Vec::new();
    // What can't be read is an event without details.
    let _ = std::io::stdin().lock().take(MAX_BYTES).read_to_end(&mut text);
    let payload = serde_json::from_slice(&text).unwrap_or(Value::Null);
    let note = HookNote::of(&args.event, &payload, now);
    if let (Some(note), Some(tmux), Some(pane)) = (&note, env.get("TMUX"), env.get("TMUX_PANE"))
        && let Err(error) = note_hook(&session, tmux, pane, note)
    {
        tracing::debug!(%error, "can't store a hook's report on its session");
    }
    if args.event == "SessionStart" {
        record_conversation_id(env, profile, &session, &payload);
    }
    if args.event == "PreCompact" {
        keep_checkpoint(env, profile, &session);
    }
}

/// Keeps a checkpoint of a session that carries a conversation, before its agent replaces its context by a summary: in a process
/// of its own, which the agent doesn't wait for.
fn keep_checkpoint(env: &Environment, profile: Option<&str>, session: &SessionId) {
    let Ok(wiring) = Wiring::new(env.clone(), profile) else { return };
    if wiring.cx().session(session).is_ok_and(|session| session.carries.is_none()) {
        return;
    }
    let Ok(deck) = std::env::current_exe() else { return };
    if let Err(error) = spawn::apart(spawn::command(deck).args(["checkpoint", "--quiet", session.as_str()])) {
        tracing::warn!(%error, "can't keep a checkpoint before an agent compacts its context");
    }
}

/// Takes the conversation's id into the ledger.
fn record_conversation_id(env: &Environment, profile: Option<&str>, session: &SessionId, payload: &Value) {
    let id = payload.get("session_id").and_then(Value::as_str);
    let (Some(id), Ok(wiring)) = (id, Wiring::new(env.clone(), profile)) else { return };
    crate::sys::logging::start(&wiring.paths.state, env.get("DECK_LOG"));
    let cx = wiring.cx();
    if cx.session(session).is_ok_and(|s| s.resume.id.as_deref() == Some(id)) {
        return;
    }
    // An invalid id is ignored and logged.
    if let Err(error) = ops::record_conversation_id(&cx, session, id, IdSource::Reported) {
        tracing::warn!(%error, "can't record the id that a hook reported");
    }
}
