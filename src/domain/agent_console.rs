//! The sessions file of agent-console (`~/.agent-console/sessions.json`), in both of its forms.
//!
//! Invariant: it is read and never written; what isn't known in it is passed over.

use jiff::Timestamp;
use serde_json::Value;

/// The id of the repository of a session without one, in the old form.
const NO_REPOSITORY: &str = "default";
/// The agent that both forms begin with.
const CLAUDE: &str = "claude-code-builtin";

/// A session of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConsoleSession {
    pub id: String,
    /// The folder that it works in.
    pub path: String,
    /// Whether that is a worktree.
    pub is_worktree: bool,
    pub created_at: Timestamp,
    pub workers: Vec<ConsoleWorker>,
}

/// A worker of a session of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConsoleWorker {
    pub id: String,
    pub name: String,
    /// The tool of an agent; none of a terminal.
    pub tool: Option<String>,
    pub created_at: Timestamp,
}

/// Reads the file; and for entries that can't be used, the reason.
///
/// # Errors
/// Why it isn't such a file.
pub fn parse(text: &str) -> Result<(Vec<ConsoleSession>, Vec<String>), String> {
    let value: Value = serde_json::from_str(text).map_err(|error| format!("is not JSON: {error}"))?;
    let entries = value.as_array().ok_or("is not a list of sessions")?;
    let (mut sessions, mut skipped) = (Vec::new(), Vec::new());
    for (at, entry) in entries.iter().enumerate() {
        match session(entry) {
            Ok(session) => sessions.push(session),
            Err(why) => skipped.push(format!("entry {}: {why}", at + 1)),
        }
    }
    Ok((sessions, skipped))
}

fn session(entry: &Value) -> Result<ConsoleSession, String> {
    let text = |key: &str| entry.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    let id = text("id").ok_or("it has no id")?;
    let created_at = time(entry);
    let is_new = text("type").is_some() && entry.get("workers").is_some_and(Value::is_array);
    let path = text(if is_new { "locationPath" } else { "worktreePath" }).ok_or("it has no folder")?;
    if !path.starts_with('/') {
        return Err(format!("the folder {path:?} is not absolute"));
    }
    let is_worktree = match text("type") {
        Some(kind) if is_new => kind == "worktree",
        _ => text("repositoryId").is_some_and(|id| id != NO_REPOSITORY),
    };
    let workers = if is_new {
        entry.get("workers").and_then(Value::as_array).into_iter().flatten().filter_map(worker).collect()
    } else {
        let tool = Some("claude".to_owned());
        vec![ConsoleWorker { id: format!("{id}-agent"), name: "Claude".to_owned(), tool, created_at }]
    };
    Ok(ConsoleSession { id: id.to_owned(), path: path.to_owned(), is_worktree, created_at, workers })
}

/// One worker; none for a type that isn't known.
fn worker(entry: &Value) -> Option<ConsoleWorker> {
    let text = |key: &str| entry.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    let tool = match text("type")? {
        "agent" => Some(match text("agentId") {
            Some(CLAUDE) | None => "claude".to_owned(),
            Some(other) => other.to_owned(),
        }),
        "terminal" => None,
        _ => return None,
    };
    let name = text("name").unwrap_or_default().to_owned();
    Some(ConsoleWorker { id: text("id")?.to_owned(), name, tool, created_at: time(entry) })
}

fn time(entry: &Value) -> Timestamp {
    let time = entry.get("createdAt").and_then(Value::as_str).and_then(|text| text.parse().ok());
    time.unwrap_or(Timestamp::UNIX_EPOCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms() {
        let text = r#"[
            {"id":"new","type":"worktree","locationPath":"/w","repositoryId":"r","worktreeId":"x","serverPid":1,
             "createdAt":"2025-01-01T00:00:00.000Z","workers":[
                {"id":"w1","type":"agent","name":"Claude","agentId":"claude-code-builtin","pid":2,"createdAt":"2025-01-01T00:00:00.000Z"},
                {"id":"w2","type":"terminal","name":"Terminal 1","pid":3,"createdAt":"2025-01-01T00:00:05.000Z"},
                {"id":"w3","type":"hologram","name":"x"}]},
            {"id":"quick","type":"quick","locationPath":"/q","workers":[{"id":"w4","type":"agent","name":"G","agentId":"gemini"}]},
            {"id":"old","worktreePath":"/o","repositoryId":"default","pid":1},
            {"id":"old-wt","worktreePath":"/p","repositoryId":"r"},
            {"id":"bad","worktreePath":"relative"}, {"no":"id"}]"#;
        let (all, skipped) = parse(text).unwrap();
        let seen: Vec<_> = all.iter().map(|s| (s.id.as_str(), s.is_worktree, s.workers.len())).collect();
        assert_eq!(seen, [("new", true, 2), ("quick", false, 1), ("old", false, 1), ("old-wt", true, 1)]);
        assert_eq!(all[0].workers[0].tool.as_deref(), Some("claude"));
        assert_eq!(
            (all[0].workers[1].tool.as_deref(), all[0].workers[1].name.as_str()),
            (None, "Terminal 1")
        );
        assert_eq!(all[1].workers[0].tool.as_deref(), Some("gemini"));
        assert_eq!(all[2].workers[0].id, "old-agent");
        assert_eq!(skipped, ["entry 5: the folder \"relative\" is not absolute", "entry 6: it has no id"]);
        assert!(parse("{}").is_err() && parse("[").is_err());
    }
}
