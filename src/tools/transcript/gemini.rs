//! Gemini CLI: `tmp/<folder>/chats/session-<time>-<id>.jsonl`. Seen in 0.61.0.

use serde_json::Value;

use super::found::Opening;
use super::heard::{Item, joined};
use super::{Says, by, by_code, text_at};
use crate::domain::conversation::{Digest, Said, Totals, Who, Words};

pub(super) fn says(record: &Value) -> Option<Says> {
    let content = || record.get("content").and_then(Value::as_str).unwrap_or_default();
    match record.get("type").and_then(Value::as_str)? {
        "user" | "gemini" => Some(Says::Fine),
        "error" => {
            let (code, words) = parts(content());
            Some(Says::Failed(by_code(code), words))
        }
        "info" if content().starts_with("Request cancelled") => Some(Says::Interrupted),
        _ => None,
    }
}

/// The status and the words of `[API Error: {"error":{"code":400,"message":"…"}}]`.
fn parts(text: &str) -> (u64, String) {
    let json = text.find('{').zip(text.rfind('}')).and_then(|(from, to)| text.get(from..=to));
    let value = json.and_then(|j| serde_json::from_str::<Value>(j).ok()).unwrap_or_default();
    let code = value.pointer("/error/code").and_then(Value::as_u64).unwrap_or_default();
    let words = value.pointer("/error/message").and_then(Value::as_str).unwrap_or(text);
    (code, words.to_owned())
}

pub(super) fn add_record(digest: &mut Digest, record: &Value) {
    let text = || text_at(record, "/content").or_else(|| text_at(record, "/content/0/text"));
    match record.get("type").and_then(Value::as_str) {
        Some("user") => {
            // What the program adds by itself is in angle brackets.
            digest.last_prompt = text().filter(|t| !t.starts_with('<')).or(digest.last_prompt.take());
        }
        Some("gemini") => {
            digest.last_response = text().or(digest.last_response.take());
            digest.model = text_at(record, "/model").or(digest.model.take());
            let total = record.pointer("/tokens/total").and_then(Value::as_u64);
            digest.context_tokens = total.or(digest.context_tokens);
        }
        _ => {}
    }
}

pub(super) fn adds(totals: &mut Totals, record: &Value) {
    let text = || text_at(record, "/content").or_else(|| text_at(record, "/content/0/text"));
    match record.get("type").and_then(Value::as_str) {
        Some("user") => totals.prompts += u64::from(text().is_some_and(|t| !t.starts_with('<'))),
        // An answer is written again when its tools have run.
        Some("gemini") => {
            let id = text_at(record, "/id");
            if id.is_none() || id != totals.last_answer {
                let tokens = |name: &str| record.pointer(&format!("/tokens/{name}")).and_then(Value::as_u64);
                totals.input_tokens += tokens("input").unwrap_or_default();
                totals.output_tokens += tokens("output").unwrap_or_default();
                totals.last_answer = id;
            }
        }
        _ => {}
    }
}

pub(super) fn opens(opening: &mut Opening, record: &Value) {
    opening.id = opening.id.take().or_else(|| text_at(record, "/sessionId"));
    opening.hash = opening.hash.take().or_else(|| text_at(record, "/projectHash"));
    opening.is_own |= text_at(record, "/kind").is_some_and(|kind| kind != "main");
    if record.get("type").is_some_and(|t| t == "user") {
        let text = text_at(record, "/content").or_else(|| text_at(record, "/content/0/text"));
        opening.prompt(text.unwrap_or_default());
    }
}

pub(super) fn talks(record: &Value) -> Vec<Said> {
    let text = || text_at(record, "/content").or_else(|| text_at(record, "/content/0/text"));
    let said = match record.get("type").and_then(Value::as_str) {
        Some("user") => by(Who::User, text().filter(|t| !t.starts_with('<'))),
        Some("gemini") => by(Who::Agent, text()),
        _ => None,
    };
    // An answer is written again when its tools have run.
    let calls = record.get("toolCalls").and_then(Value::as_array).into_iter().flatten();
    let used = calls.filter_map(|call| {
        let about = ["command", "file_path", "pattern", "query", "prompt"];
        let about = about.iter().find_map(|a| text_at(call, &format!("/args/{a}")));
        by(Who::Tool, Some(format!("{} {}", text_at(call, "/name")?, about.unwrap_or_default())))
    });
    said.into_iter().chain(used).collect()
}

/// How what the program adds to the first request begins.
const ADDED: &str = "<session_context>";

/// The text of a record, whichever form it has.
fn words(record: &Value) -> String {
    match record.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(parts) => joined(parts, |_| true),
        None => String::new(),
    }
}

pub(super) fn hears(record: &Value) -> Vec<Item> {
    // The whole context, written again: by a compaction, whose summary is in it as a user's words, or where a conversation is
    // resumed, with the messages that were there before.
    if let Some(all) = record.pointer("/$set/messages").and_then(Value::as_array) {
        let is_first = |m: &&Value| {
            m.get("type").is_some_and(|t| t == "user") && !words(m).is_empty() && !words(m).starts_with(ADDED)
        };
        let id = all.iter().find(is_first).and_then(|first| text_at(first, "/id"));
        return id.map(|id| Item::Compacted { id }).into_iter().collect();
    }
    let id = text_at(record, "/id").unwrap_or_default();
    let at = text_at(record, "/timestamp");
    match record.get("type").and_then(Value::as_str) {
        Some("user") => {
            let words = Words { id, by_agent: false, text: words(record), at, ..Words::default() };
            if words.text.starts_with(ADDED) { Vec::new() } else { vec![Item::Words(words)] }
        }
        Some("gemini") => {
            let model = text_at(record, "/model");
            let answer = Some(id.clone());
            let words = Words { id, by_agent: true, text: words(record), at, model, ..Words::default() };
            let tokens = |name: &str| record.pointer(&format!("/tokens/{name}")).and_then(Value::as_u64);
            let used = tokens("input").zip(tokens("output"));
            let used = used.map(|(input, output)| Item::Used { answer, input, output });
            std::iter::once(Item::Words(words)).chain(used).collect()
        }
        _ => Vec::new(),
    }
}
