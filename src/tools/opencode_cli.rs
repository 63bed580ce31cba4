//! OpenCode's conversations, which it keeps in a database: reported by its own commands.
//!
//! `opencode db QUERY`, `opencode session list --format json` and `opencode export ID`; seen in 1.18.33. Each takes about a
//! second, so they are for what is asked once, not for polls.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::Value;

use super::opencode_answers::{digest_of, heard_in, said_in};
use crate::domain::conversation::{Bookmark, Digest, Found, Part, Said};
use crate::domain::id::is_conversation;
use crate::domain::text;
use crate::ports::reports::Asked;
use crate::sys::spawn;

/// How long it may take.
const TIMEOUT: Duration = Duration::from_secs(15);
/// The conversations with their first prompts, but those of sub-agents and archived ones.
const QUERY: &str = "select s.id, s.directory, s.title, s.time_updated as updated, \
    (select substr(json_extract(p.data, '$.text'), 1, 200) from message m join part p on p.message_id = m.id \
    where m.session_id = s.id and json_extract(m.data, '$.role') = 'user' \
    and json_extract(p.data, '$.type') = 'text' and json_extract(p.data, '$.synthetic') is not 1 \
    order by m.time_created, p.id limit 1) as first_prompt \
    from session s where s.parent_id is null and s.time_archived is null order by s.time_updated desc";
/// The most that is read of what it prints, in bytes.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// Its conversations, newest first.
pub(super) fn conversations(asked: &Asked<'_>, folder: Option<&Path>, most: usize) -> Vec<Found> {
    if !was_used(asked) {
        return Vec::new();
    }
    // Its list has titles only, and only those of one project.
    let list = ask(asked, folder, &["db", QUERY, "--format", "json"])
        .or_else(|| ask(asked, folder, &["session", "list", "--format", "json"]));
    let mut found = list.map(|l| all_found(&l, &asked.tool.name)).unwrap_or_default();
    found.retain(|f| folder.is_none_or(|dir| f.folder.as_deref().is_some_and(|o| Path::new(o) == dir)));
    found.sort_by_key(|f| std::cmp::Reverse(f.used_at));
    found.truncate(most);
    found
}

/// Whether it has any data: asked where it has none, it would make its folders.
fn was_used(asked: &Asked<'_>) -> bool {
    let own = asked.var("HOME").map(|home| Path::new(home).join(".local/share"));
    let set = std::env::var_os("XDG_DATA_HOME").map(std::path::PathBuf::from);
    own.into_iter().chain(set).any(|data| data.join("opencode").is_dir())
}

fn all_found(list: &Value, tool: &str) -> Vec<Found> {
    list.as_array().into_iter().flatten().filter_map(|s| found(s, tool)).collect()
}

fn found(session: &Value, tool: &str) -> Option<Found> {
    let word = |name: &str| session.get(name).and_then(Value::as_str).map(text::clean);
    let at = session.get("updated").and_then(Value::as_i64);
    let first_prompt = match session.get("first_prompt") {
        // Nothing was said in it.
        Some(Value::Null) => return None,
        Some(_) => word("first_prompt"),
        None => word("title"),
    };
    Some(Found {
        id: word("id").filter(|id| is_conversation(id))?,
        tool: tool.to_owned(),
        folder: word("directory"),
        first_prompt,
        used_at: at.and_then(|ms| Timestamp::from_millisecond(ms).ok()),
        bytes: None,
    })
}

/// What its export of a conversation reports.
pub(super) fn digest(asked: &Asked<'_>) -> Option<Digest> {
    let id = asked.conversation.filter(|id| !id.starts_with('-'))?;
    let export = ask(asked, None, &["export", id])?;
    exported(&export)
}

/// What was said in a conversation.
pub(super) fn said(asked: &Asked<'_>) -> Vec<Said> {
    let id = asked.conversation.filter(|id| !id.starts_with('-'));
    let export = id.and_then(|id| ask(asked, None, &["export", id]));
    export.and_then(|e| e.get("messages").map(said_in)).unwrap_or_default()
}

/// What was said in a conversation after a bookmark.
pub(super) fn hear(asked: &Asked<'_>, from: &Bookmark) -> Option<Part> {
    let id = asked.conversation.filter(|id| !id.starts_with('-'))?;
    let export = ask(asked, None, &["export", id])?;
    let messages = export.get("messages")?;
    // A bookmark that is nowhere is of a conversation that was rewritten.
    heard_in(messages, from).or_else(|| heard_in(messages, &Bookmark { last: None, ..from.clone() }))
}

fn exported(export: &Value) -> Option<Digest> {
    let mut digest = digest_of(export.get("messages")?);
    let cost = export.pointer("/info/cost").and_then(Value::as_f64);
    digest.cost_usd = cost.filter(|c| *c > 0.0);
    let at = export.pointer("/info/time/updated").and_then(Value::as_i64);
    digest.used_at = at.and_then(|ms| Timestamp::from_millisecond(ms).ok()).or(digest.used_at);
    Some(digest)
}

/// Runs the program with the environment that conversations are looked for in.
fn ask(asked: &Asked<'_>, folder: Option<&Path>, args: &[&str]) -> Option<Value> {
    let program = asked.tool.command.split_whitespace().next()?;
    let mut command = spawn::command(program);
    command.args(args).envs(asked.env).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    if let Some(folder) = folder.filter(|f| f.is_dir()) {
        command.current_dir(folder);
    }
    match spawn::output_within(&mut command, TIMEOUT, MAX_BYTES) {
        Ok(Some(text)) => serde_json::from_slice(&text).ok(),
        Ok(None) => {
            tracing::debug!(program, "listing its conversations timed out");
            None
        }
        Err(error) => {
            tracing::debug!(%error, program, "can't list its conversations");
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversations_are_listed_by_what_was_said_first() {
        let recorded = include_str!("../../tests/fixtures/opencode/db-1.18.33.json");
        let list: Value = serde_json::from_str(recorded).unwrap();
        let all: Vec<Found> = list.as_array().unwrap().iter().filter_map(|s| found(s, "opencode")).collect();
        let words: Vec<_> = all.iter().map(|f| f.first_prompt.as_deref()).collect();
        assert_eq!(words, [Some("ECHO open-one")], "one in which nothing was said is none");
    }

    #[test]
    fn lists_and_exports() {
        let list = r#"{"id":"ses_1","title":"a \u001b[31mtitle","updated":1795334562624,"directory":"/p"}"#;
        let one = found(&serde_json::from_str(list).unwrap(), "opencode").unwrap();
        assert_eq!((one.id.as_str(), one.first_prompt.as_deref()), ("ses_1", Some("a title")));
        assert_eq!(one.folder.as_deref(), Some("/p"));
        let export = r#"{"info":{"cost":0.5,"time":{"updated":1795334562624}},"messages":[
            {"info":{"role":"user"},"parts":[{"type":"text","text":"do it"}]},
            {"info":{"role":"assistant","modelID":"m"},"parts":[{"type":"text","text":"done"}]}]}"#;
        let digest = exported(&serde_json::from_str(export).unwrap()).unwrap();
        assert_eq!(digest.last_prompt.as_deref(), Some("do it"));
        assert_eq!((digest.last_response.as_deref(), digest.cost_usd), (Some("done"), Some(0.5)));
    }
}
