//! Codex: `sessions/<year>/<month>/<day>/rollout-<time>-<id>.jsonl`. Seen in 0.169.0.

use serde_json::Value;

use super::found::Opening;
use super::heard::{Item, joined};
use super::{Says, by, by_code, text_at};
use crate::domain::conversation::{Digest, Said, Totals, Who, Words};
use crate::domain::status::FailKind;

pub(super) fn says(record: &Value) -> Option<Says> {
    let payload = record.get("payload").filter(|_| record.get("type").is_some_and(|t| t == "event_msg"))?;
    match payload.get("type").and_then(Value::as_str)? {
        "task_started" => Some(Says::Fine),
        "turn_aborted" => Some(Says::Interrupted),
        "task_complete" => Some(match payload.get("error").filter(|e| !e.is_null()) {
            None => Says::Fine,
            Some(error) => Says::Failed(kind(error), words(error)),
        }),
        _ => None,
    }
}

fn kind(error: &Value) -> FailKind {
    let info = error.get("codex_error_info");
    // An error by its own name, or any other that holds the status of the answer.
    let name = info.map(|i| i.as_str().map_or_else(|| first_key(i), str::to_owned)).unwrap_or_default();
    let code = info.and_then(Value::as_object).and_then(|o| o.values().next());
    let code = code.and_then(|v| v.get("http_status_code")).and_then(Value::as_u64).unwrap_or_default();
    let has = |word: &str| name.contains(word);
    if by_code(code) != FailKind::Api {
        by_code(code)
    } else if has("limit") {
        FailKind::Limit
    } else if has("unauthorized") {
        FailKind::Auth
    } else {
        FailKind::Api
    }
}

fn first_key(value: &Value) -> String {
    value.as_object().and_then(|o| o.keys().next()).cloned().unwrap_or_default()
}

/// The service's own words, which may be JSON once more.
fn words(error: &Value) -> String {
    let message = error.get("message").and_then(Value::as_str).unwrap_or_default();
    let inner = serde_json::from_str::<Value>(message).ok();
    let inner = inner.as_ref().and_then(|v| v.pointer("/error/message")).and_then(Value::as_str);
    inner.unwrap_or(message).to_owned()
}

pub(super) fn add_record(digest: &mut Digest, record: &Value) {
    let Some(payload) = record.get("payload") else { return };
    let is = |name: &str| payload.get("type").is_some_and(|t| t == name);
    match record.get("type").and_then(Value::as_str) {
        Some("turn_context") => digest.model = text_at(payload, "/model").or(digest.model.take()),
        Some("event_msg") if is("token_count") => {
            let number = |path: &str| payload.pointer(path).and_then(Value::as_u64);
            digest.context_tokens = number("/info/last_token_usage/total_tokens").or(digest.context_tokens);
            digest.context_window = number("/info/model_context_window").or(digest.context_window);
        }
        Some("event_msg") if is("task_complete") => {
            digest.last_response = text_at(payload, "/last_agent_message").or(digest.last_response.take());
        }
        Some("response_item") if is("message") => {
            let text = text_at(payload, "/content/0/text");
            match payload.get("role").and_then(Value::as_str) {
                // What the program adds by itself is in angle brackets.
                Some("user") => {
                    digest.last_prompt = text.filter(|t| !t.starts_with('<')).or(digest.last_prompt.take());
                }
                Some("assistant") => digest.last_response = text.or(digest.last_response.take()),
                _ => {}
            }
        }
        _ => {}
    }
}

pub(super) fn adds(totals: &mut Totals, record: &Value) {
    let Some(payload) = record.get("payload") else { return };
    let is = |name: &str| payload.get("type").is_some_and(|t| t == name);
    match record.get("type").and_then(Value::as_str) {
        // It adds up by itself.
        Some("event_msg") if is("token_count") => {
            let total = |name: &str| {
                payload.pointer(&format!("/info/total_token_usage/{name}")).and_then(Value::as_u64)
            };
            totals.input_tokens = total("input_tokens").unwrap_or(totals.input_tokens);
            totals.output_tokens = total("output_tokens").unwrap_or(totals.output_tokens);
        }
        Some("response_item") if is("message") && payload.get("role").is_some_and(|r| r == "user") => {
            let text = text_at(payload, "/content/0/text");
            totals.prompts += u64::from(text.is_some_and(|t| !t.starts_with('<')));
        }
        _ => {}
    }
}

pub(super) fn opens(opening: &mut Opening, record: &Value) {
    let Some(payload) = record.get("payload") else { return };
    match record.get("type").and_then(Value::as_str) {
        Some("session_meta") => {
            opening.id = text_at(payload, "/id");
            opening.folder = text_at(payload, "/cwd");
            // The program's own side threads, such as the one that thinks of a title.
            opening.is_own |= text_at(payload, "/thread_source").is_some_and(|source| source != "user");
        }
        Some("response_item") if payload.get("role").is_some_and(|r| r == "user") => {
            opening.prompt(text_at(payload, "/content/0/text").unwrap_or_default());
        }
        _ => {}
    }
}

pub(super) fn talks(record: &Value) -> Vec<Said> {
    let payload = record.get("payload").filter(|_| record.get("type").is_some_and(|t| t == "response_item"));
    let Some(payload) = payload else { return Vec::new() };
    let word = |name: &str| payload.get(name).and_then(Value::as_str);
    let text = text_at(payload, "/content/0/text");
    let said = match (word("type"), word("role")) {
        (Some("message"), Some("user")) => by(Who::User, text.filter(|t| !t.starts_with('<'))),
        (Some("message"), Some("assistant")) => by(Who::Agent, text),
        (Some("function_call"), _) => {
            let name = word("name").unwrap_or_default();
            by(Who::Tool, Some(format!("{name} {}", word("arguments").unwrap_or_default())))
        }
        _ => None,
    };
    said.into_iter().collect()
}

/// The words are in the notes of what was shown: what the program adds to the context, and the answer that is the summary of a
/// compaction, are in none of them.
pub(super) fn hears(record: &Value) -> Vec<Item> {
    let Some(payload) = record.get("payload") else { return Vec::new() };
    let at = text_at(record, "/timestamp");
    let number = |path: &str| payload.pointer(path).and_then(Value::as_u64);
    let item = match (record.get("type").and_then(Value::as_str), payload.get("type").and_then(Value::as_str))
    {
        (Some("event_msg"), Some("item_completed")) => {
            let by_agent = match payload.pointer("/item/type").and_then(Value::as_str) {
                Some("UserMessage") => false,
                Some("AgentMessage") => true,
                _ => return Vec::new(),
            };
            let is_text = |part: &Value| {
                part.get("type").and_then(Value::as_str).is_some_and(|kind| kind.eq_ignore_ascii_case("text"))
            };
            let text = payload.pointer("/item/content").map(|parts| joined(parts, is_text));
            let id = text_at(payload, "/item/id").unwrap_or_default();
            Item::Words(Words { id, by_agent, text: text.unwrap_or_default(), at, ..Words::default() })
        }
        (Some("token_usage_record"), _) => {
            let (input, output) = (number("/usage/input_tokens"), number("/usage/output_tokens"));
            let Some((input, output)) = input.zip(output) else { return Vec::new() };
            Item::Used { answer: text_at(payload, "/response_id"), input, output }
        }
        (Some("event_msg"), Some("token_count")) => {
            let Some(tokens) = number("/info/last_token_usage/total_tokens") else { return Vec::new() };
            Item::Context(tokens)
        }
        (Some("turn_context"), _) => {
            let Some(model) = text_at(payload, "/model") else { return Vec::new() };
            Item::Model(model)
        }
        (Some("compacted"), _) => Item::Compacted { id: at.unwrap_or_default() },
        _ => return Vec::new(),
    };
    vec![item]
}
