//! What an agent's hook reported: one line of JSON on the session.
//!
//! The events and fields are those that Claude Code 2.1 and Codex 0.169 pass to their hooks: both
//! use the same names. A note holds what happened, never what it means: that is decided when it is read.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::evidence::{BlockKind, BusyKind, Evidence, FailKind, Observation, Source, Turn};
use crate::domain::text;

/// The version of the format. A note of another version is ignored.
const VERSION: u32 = 1;
/// The rule of evidence that was late when it came.
pub(super) const LATE: &str = "reminder";
/// The most characters that are kept of a text.
const MAX_BYTES: usize = 300;

/// One event that a hook reported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookNote {
    v: u32,
    /// When the hook ran, in milliseconds of Unix time.
    pub at: i64,
    /// The event's name, as the agent has it.
    pub event: String,
    /// The tool it is about.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tool: String,
    /// What is asked, or what went wrong.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The event's own word for its kind: a start's source, a failure's error, a notification's type.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub kind: String,
}

impl HookNote {
    /// What is worth noting of an event; `None` when it reports nothing about the status.
    pub fn of(event: &str, payload: &Value, at: Timestamp) -> Option<Self> {
        let word = |name: &str| payload.get(name).and_then(Value::as_str).unwrap_or_default();
        let (kind, told) = match event {
            "SessionStart" => (word("source"), String::new()),
            "StopFailure" => (word("error"), word("last_assistant_message").to_owned()),
            "Notification" => (word("notification_type"), word("message").to_owned()),
            "Stop" if has_agents(payload) => ("background", String::new()),
            "PreToolUse" | "PermissionRequest" => ("", asked(payload)),
            "Elicitation" => ("", word("message").to_owned()),
            "UserPromptSubmit" | "PostToolUse" | "PostToolUseFailure" | "ElicitationResult" | "Stop"
            | "PreCompact" => ("", String::new()),
            // What ended is reported by the process, and by the start that follows.
            "SessionEnd" => (word("reason"), String::new()),
            _ => return None,
        };
        // What is known already: a reminder a while later, an answer that its own event reported.
        if matches!(kind, "idle_prompt" | "elicitation_response") {
            return None;
        }
        let cut = |s: &str| text::clean(s).chars().take(MAX_BYTES).collect::<String>();
        Some(Self {
            v: VERSION,
            at: at.as_millisecond(),
            event: event.to_owned(),
            tool: cut(word("tool_name")),
            text: cut(&told),
            kind: cut(kind),
        })
    }

    /// Reads the option's value; `None` for none, for another version, and for what can't be read.
    pub fn parse(text: &str) -> Option<Self> {
        serde_json::from_str::<Self>(text).ok().filter(|n| n.v == VERSION)
    }

    /// The option's value.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// What it reports about the session.
    pub fn evidence(&self, now: Timestamp) -> Evidence {
        let what = match (self.event.as_str(), self.kind.as_str()) {
            ("UserPromptSubmit" | "PostToolUse" | "PostToolUseFailure", _) => {
                Observation::Busy(BusyKind::Thinking)
            }
            // The tool that asked runs on with the answer.
            ("PreToolUse" | "ElicitationResult", _) => Observation::Busy(BusyKind::Tool),
            ("PreCompact", _) => Observation::Busy(BusyKind::Compacting),
            ("PermissionRequest", _) => Observation::Blocked(self.block_kind()),
            // Claude Code reminds of questions and plans by this word, too.
            ("Notification", "permission_prompt") => Observation::Blocked(BlockKind::Dialog),
            ("Elicitation", _) | ("Notification", "elicitation_dialog" | "elicitation_url_dialog") => {
                Observation::Blocked(BlockKind::Question)
            }
            ("Stop", "background") => Observation::Busy(BusyKind::Background),
            ("Stop", _) => Observation::Ready(Turn::Finished),
            ("StopFailure", "rate_limit") => Observation::Failed(FailKind::Limit),
            ("StopFailure", "authentication_failed" | "billing_error") => Observation::Failed(FailKind::Auth),
            ("StopFailure", _) => Observation::Failed(FailKind::Api),
            // A user who clears, resumes or forks a conversation knows how the one before ended.
            ("SessionStart", "clear" | "resume" | "fork") => Observation::Ready(Turn::ByUser),
            ("SessionStart", "startup") => Observation::Ready(Turn::Unmarked),
            // After `compact` a turn continues.
            _ => Observation::Unknown,
        };
        let mut evidence = Evidence::new(Source::Hook, what, now);
        evidence.since = Timestamp::from_millisecond(self.at).ok();
        evidence.asks = Some(self.asks()).filter(|t| !t.is_empty());
        let tool = if self.tool.is_empty() { String::new() } else { format!(" {}", self.tool) };
        let kind = if self.kind.is_empty() { String::new() } else { format!(" ({})", self.kind) };
        evidence.line = Some(format!("{}{tool}{kind}", self.event));
        // A notification is a reminder: its dialog may be gone already.
        evidence.rule = (self.event == "Notification").then(|| LATE.to_owned());
        evidence
    }

    fn block_kind(&self) -> BlockKind {
        match self.tool.as_str() {
            "AskUserQuestion" => BlockKind::Question,
            "ExitPlanMode" | "EnterPlanMode" => BlockKind::Plan,
            _ => BlockKind::Permission,
        }
    }

    fn asks(&self) -> String {
        match (self.event.as_str(), self.block_kind()) {
            ("PermissionRequest", BlockKind::Permission) if self.text.is_empty() => self.tool.clone(),
            ("PermissionRequest", BlockKind::Permission) => format!("{}: {}", self.tool, self.text),
            ("PermissionRequest" | "StopFailure" | "Elicitation", _) => self.text.clone(),
            _ => String::new(),
        }
    }
}

/// What a tool call is about: its command, file, question or address.
fn asked(payload: &Value) -> String {
    let Some(input) = payload.get("tool_input") else { return String::new() };
    let question = input.pointer("/questions/0/question");
    let known = ["command", "file_path", "path", "url", "query", "pattern", "prompt"];
    let value = question.or_else(|| known.iter().find_map(|name| input.get(name)));
    value.and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Whether sub-agents continue after the end of a turn. A shell in the background needs nobody.
fn has_agents(payload: &Value) -> bool {
    let tasks = payload.get("background_tasks").and_then(Value::as_array);
    let is_agent = |task: &Value| {
        task.get("type")
            .and_then(Value::as_str)
            .is_some_and(|t| t.contains("agent") || t.contains("workflow"))
    };
    tasks.is_some_and(|tasks| tasks.iter().any(is_agent))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLAUDE: &str = include_str!("../../../tests/fixtures/hooks/claude-2.1.330.json");
    const GEMINI: &str = include_str!("../../../tests/fixtures/hooks/gemini-0.61.0.json");
    const CODEX: &str = include_str!("../../../tests/fixtures/hooks/codex-0.169.0.json");

    /// What each recorded payload is read as.
    fn readings(recorded: &str) -> Vec<String> {
        let all: serde_json::Map<String, Value> = serde_json::from_str(recorded).unwrap();
        all.iter()
            .map(|(name, payload)| {
                let event = payload.get("hook_event_name").and_then(Value::as_str).unwrap_or(name);
                let note = HookNote::of(event, payload, Timestamp::UNIX_EPOCH);
                let read = note.map(|n| {
                    assert_eq!(HookNote::parse(&n.to_json()).as_ref(), Some(&n));
                    let e = n.evidence(Timestamp::UNIX_EPOCH);
                    format!("{:?} {}", e.what, e.asks.unwrap_or_default())
                });
                format!("{name}: {}", read.as_deref().unwrap_or("nothing").trim_end())
            })
            .collect()
    }

    #[test]
    fn recorded_payloads() {
        insta::assert_snapshot!("claude_hooks", readings(CLAUDE).join("\n"));
        insta::assert_snapshot!("codex_hooks", readings(CODEX).join("\n"));
        insta::assert_snapshot!("gemini_hooks", readings(GEMINI).join("\n"));
    }

    #[test]
    fn a_note_is_one_short_clean_line() {
        let command = format!("touch \u{1b}[31mx\n{}", "y".repeat(5000));
        let payload = serde_json::json!({ "tool_name": "Bash", "tool_input": { "command": command } });
        let note = HookNote::of("PermissionRequest", &payload, Timestamp::UNIX_EPOCH).unwrap();
        assert!(note.to_json().len() < 600 && !note.to_json().contains(['\n', '\u{1b}']));
        assert!(note.evidence(Timestamp::UNIX_EPOCH).asks.unwrap().starts_with("Bash: touch x"));
        assert_eq!(HookNote::parse(&note.to_json().replace("\"v\":1", "\"v\":9")), None);
        assert_eq!(HookNote::parse(""), None);
    }

    #[test]
    fn what_is_no_status_is_no_note() {
        let nothing = Value::Null;
        assert_eq!(HookNote::of("MessageDisplay", &nothing, Timestamp::UNIX_EPOCH), None);
        // A payload that can't be read still reports that its event happened.
        assert!(HookNote::of("Stop", &nothing, Timestamp::UNIX_EPOCH).is_some());
    }
}
