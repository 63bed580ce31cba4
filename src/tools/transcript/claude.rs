//! Claude Code: `projects/<folder>/<id>.jsonl`. Seen in 2.1.330.

use serde_json::Value;

use super::found::Opening;
use super::heard::{Item, joined};
use super::{Says, by, by_code, text_at};
use crate::domain::conversation::{Digest, Said, Totals, Who, Words};

/// What marks a turn that the user interrupted.
const INTERRUPTED: &str = "[Request interrupted by user";

pub(super) fn says(record: &Value) -> Option<Says> {
    let is = |name: &str| record.get(name).and_then(Value::as_bool).unwrap_or_default();
    // Sub-agents' records, and notes that nobody typed.
    if is("isSidechain") || is("isMeta") {
        return None;
    }
    match record.get("type").and_then(Value::as_str)? {
        "assistant" if is("isApiErrorMessage") => {
            let code = record.get("apiErrorStatus").and_then(Value::as_u64).unwrap_or_default();
            Some(Says::Failed(by_code(code), words(record)))
        }
        "user" if words(record).starts_with(INTERRUPTED) => Some(Says::Interrupted),
        "assistant" | "user" => Some(Says::Fine),
        _ => None,
    }
}

/// The text of a message, whichever form it has.
fn words(record: &Value) -> String {
    let content = record.pointer("/message/content");
    let text = content.and_then(|c| c.pointer("/0/text")).or(content);
    text.and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// The model's name in records that no model gave.
const SYNTHETIC: &str = "<synthetic>";

pub(super) fn add_record(digest: &mut Digest, record: &Value) {
    let is = |name: &str| record.get(name).and_then(Value::as_bool).unwrap_or_default();
    if is("isSidechain") || is("isMeta") {
        return;
    }
    match record.get("type").and_then(Value::as_str) {
        Some("last-prompt") => {
            digest.last_prompt = text_at(record, "/lastPrompt").or(digest.last_prompt.take())
        }
        Some("user") => {
            let prompt = Some(words(record)).filter(|w| !w.trim().is_empty() && is_typed(record, w));
            digest.last_prompt = prompt.or(digest.last_prompt.take());
        }
        Some("cost-state") => {
            digest.cost_usd = record.get("totalCostUSD").and_then(Value::as_f64).or(digest.cost_usd);
        }
        Some("assistant") => {
            let Some(model) = text_at(record, "/message/model").filter(|m| m != SYNTHETIC) else { return };
            let blocks = record.pointer("/message/content").and_then(Value::as_array);
            let text = blocks.and_then(|b| b.iter().rev().find_map(|b| text_at(b, "/text")));
            digest.last_response = text.or(digest.last_response.take());
            digest.model = Some(model);
            let usage =
                |name: &str| record.pointer(&format!("/message/usage/{name}")).and_then(Value::as_u64);
            let parts =
                ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens"];
            let known: Vec<u64> = parts.iter().filter_map(|p| usage(p)).collect();
            if !known.is_empty() {
                digest.context_tokens = Some(known.iter().sum());
            }
        }
        _ => {}
    }
}

/// The parts of an answer's usage that the model read.
const READ: [&str; 3] = ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"];

pub(super) fn adds(totals: &mut Totals, record: &Value) {
    let is = |name: &str| record.get(name).and_then(Value::as_bool).unwrap_or_default();
    match record.get("type").and_then(Value::as_str) {
        Some("user") if !is("isSidechain") && !is("isMeta") => {
            let text = words(record);
            totals.prompts += u64::from(!text.trim().is_empty() && is_typed(record, &text));
        }
        // Each block of an answer is its own record, and each reports the whole answer's usage.
        Some("assistant") => {
            let id = text_at(record, "/message/id");
            if id.is_none() || id != totals.last_answer {
                let usage =
                    |name: &str| record.pointer(&format!("/message/usage/{name}")).and_then(Value::as_u64);
                totals.input_tokens += READ.iter().filter_map(|p| usage(p)).sum::<u64>();
                totals.output_tokens += usage("output_tokens").unwrap_or_default();
                totals.last_answer = id;
            }
        }
        _ => {}
    }
}

pub(super) fn opens(opening: &mut Opening, record: &Value) {
    let is = |name: &str| record.get(name).and_then(Value::as_bool).unwrap_or_default();
    opening.id = opening.id.take().or_else(|| text_at(record, "/sessionId"));
    opening.folder = opening.folder.take().or_else(|| text_at(record, "/cwd"));
    let text = words(record);
    let is_users = record.get("type").is_some_and(|t| t == "user") && is_typed(record, &text);
    if is_users && !is("isSidechain") && !is("isMeta") {
        opening.prompt(text);
    }
}

pub(super) fn talks(record: &Value) -> Vec<Said> {
    let is = |name: &str| record.get(name).and_then(Value::as_bool).unwrap_or_default();
    if is("isSidechain") || is("isMeta") {
        return Vec::new();
    }
    match record.get("type").and_then(Value::as_str) {
        Some("user") => {
            let text = words(record);
            // What was interrupted is worth seeing, though nobody typed these words.
            let is_shown = text.starts_with(INTERRUPTED) || is_typed(record, &text);
            by(Who::User, Some(text).filter(|_| is_shown)).into_iter().collect()
        }
        Some("assistant") => {
            let blocks = record.pointer("/message/content").and_then(Value::as_array);
            let said = |block: &Value| match block.get("type").and_then(Value::as_str) {
                Some("text") => by(Who::Agent, text_at(block, "/text")),
                Some("tool_use") => {
                    let name = text_at(block, "/name").unwrap_or_default();
                    let about = ["command", "file_path", "pattern", "query", "url", "prompt"];
                    let about = about.iter().find_map(|a| text_at(block, &format!("/input/{a}")));
                    by(Who::Tool, Some(format!("{name} {}", about.unwrap_or_default())))
                }
                _ => None,
            };
            blocks.into_iter().flatten().filter_map(said).collect()
        }
        _ => Vec::new(),
    }
}

/// What the program writes in its user's name: the output of its own commands.
const NOT_TYPED: [&str; 4] = ["<command-", "<local-command-", "<bash-", "<system-reminder>"];

/// Whether a user's record is what somebody typed. A summary that replaces the context isn't.
fn is_typed(record: &Value, text: &str) -> bool {
    let is = |name: &str| record.get(name).and_then(Value::as_bool).unwrap_or_default();
    let by_other = record.pointer("/origin/kind").and_then(Value::as_str).is_some_and(|kind| kind != "human");
    let is_note = NOT_TYPED.iter().any(|start| text.starts_with(start)) || text.starts_with(INTERRUPTED);
    !is("isCompactSummary") && !is("isVisibleInTranscriptOnly") && !by_other && !is_note
}

pub(super) fn hears(record: &Value) -> Vec<Item> {
    let is = |name: &str| record.get(name).and_then(Value::as_bool).unwrap_or_default();
    if is("isSidechain") || is("isMeta") {
        return Vec::new();
    }
    let id = text_at(record, "/uuid").unwrap_or_default();
    let at = text_at(record, "/timestamp");
    let content = record.pointer("/message/content");
    let text = || match content {
        Some(Value::String(text)) => text.clone(),
        Some(blocks) => joined(blocks, |block| block.get("type").is_some_and(|t| t == "text")),
        None => String::new(),
    };
    match record.get("type").and_then(Value::as_str) {
        Some("system") if record.get("subtype").is_some_and(|s| s == "compact_boundary") => {
            vec![Item::Compacted { id }]
        }
        Some("user") => {
            let text = text();
            let words = Words { id, by_agent: false, text, at, ..Words::default() };
            if is_typed(record, &words.text) { vec![Item::Words(words)] } else { Vec::new() }
        }
        Some("assistant") => {
            let Some(model) = text_at(record, "/message/model").filter(|m| m != SYNTHETIC) else {
                return Vec::new();
            };
            let usage =
                |name: &str| record.pointer(&format!("/message/usage/{name}")).and_then(Value::as_u64);
            let words =
                Words { id, by_agent: true, text: text(), at, model: Some(model), ..Words::default() };
            let mut items = vec![Item::Words(words)];
            if let Some(output) = usage("output_tokens") {
                // Each block of an answer is its own record, and each reports the whole answer's usage.
                let input = READ.iter().filter_map(|part| usage(part)).sum();
                items.push(Item::Used { answer: text_at(record, "/message/id"), input, output });
            }
            items
        }
        _ => Vec::new(),
    }
}
