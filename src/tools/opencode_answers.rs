//! What the answers of OpenCode's service mean. Seen in 1.18.33.

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use crate::domain::conversation::{Bookmark, Digest, Heard, Part, Said, Who, Words};
use crate::domain::id::is_conversation;
use crate::domain::status::{BlockKind, BusyKind, Evidence, FailKind, Observation, Source, Turn};
use crate::domain::text;

/// How long after a prompt its turn may take to count as busy.
const BEGINS: SignedDuration = SignedDuration::from_secs(5);
/// What a pane's title begins with that shows a conversation.
const TITLE: &str = "OC | ";
/// The longest title of a conversation that is shown there in full, in UTF-16 units.
const MOST_TITLE: usize = 40;
/// The most characters that are kept of a text.
const MOST_TEXT: usize = 300;

/// The one conversation of a list that a pane's title names: the title of the conversation that the program
/// shows. `None` when there are several, or it shows none.
pub(super) fn titled(list: &Value, title: &str) -> Option<String> {
    let shown = title.trim_end().strip_prefix(TITLE)?;
    let is_shown = |session: &&Value| {
        let title = session.get("title").and_then(Value::as_str).map(text::clean);
        let is_main = session.get("parentID").is_none_or(Value::is_null);
        is_main && title.is_some_and(|t| as_in_title(&t) == shown)
    };
    let mut all = list.as_array()?.iter().filter(is_shown);
    let id = all.next()?.get("id").and_then(Value::as_str).filter(|id| is_conversation(id))?;
    all.next().is_none().then(|| id.to_owned())
}

/// A conversation's title as the program shows it in the pane's.
fn as_in_title(title: &str) -> String {
    // It counts UTF-16 units.
    let units: Vec<u16> = title.encode_utf16().collect();
    match units.get(..MOST_TITLE - 3) {
        Some(start) if units.len() > MOST_TITLE => format!("{}…", String::from_utf16_lossy(start)),
        _ => title.trim_end().to_owned(),
    }
}

/// What a list of messages holds, oldest first.
pub(super) fn said_in(messages: &Value) -> Vec<Said> {
    let mut all = Vec::new();
    for message in messages.as_array().into_iter().flatten() {
        let who = match message.get("info") {
            Some(info) if is_assistant(info) => Who::Agent,
            Some(_) => Who::User,
            None => continue,
        };
        for part in message.get("parts").and_then(Value::as_array).into_iter().flatten() {
            let word = |path: &str| part.pointer(path).and_then(Value::as_str);
            let (who, text) = match word("/type") {
                Some("text") => (who, word("/text").map(str::to_owned)),
                Some("tool") => {
                    let about = word("/state/title").or_else(|| word("/state/input/command"));
                    (
                        Who::Tool,
                        Some(format!("{} {}", word("/tool").unwrap_or_default(), about.unwrap_or_default())),
                    )
                }
                _ => continue,
            };
            let text = text.filter(|t| !t.trim().is_empty());
            all.extend(text.map(|text| Said { who, text }));
        }
    }
    all
}

/// What a list of messages, oldest first, says after a bookmark; `None` if the bookmark isn't in it. It ends before an answer that
/// is still being given.
pub(super) fn heard_in(messages: &Value, from: &Bookmark) -> Option<Part> {
    let all = messages.as_array()?;
    let id_of = |message: &Value| message.pointer("/info/id").and_then(Value::as_str).map(str::to_owned);
    let start = match &from.last {
        None => 0,
        Some(last) => all.iter().position(|m| id_of(m).as_ref() == Some(last))? + 1,
    };
    let mut part = Part { bookmark: from.clone(), whole: true, ..Part::default() };
    let new = all.get(start..).unwrap_or_default();
    for (at, message) in new.iter().enumerate() {
        let (Some(info), Some(id)) = (message.get("info"), id_of(message)) else { continue };
        let number = |path: &str| info.pointer(path).and_then(Value::as_u64).unwrap_or_default();
        let by_agent = is_assistant(info);
        // One that another answer follows was cut off: it gets no more. A prompt that waits may follow one that still grows.
        let is_open = by_agent && info.pointer("/time/completed").is_none();
        let is_answer = |later: &Value| later.get("info").is_some_and(is_assistant);
        if is_open && !new.iter().skip(at + 1).any(is_answer) {
            break;
        }
        part.bookmark.last = Some(id.clone());
        if by_agent && info.get("summary").is_some_and(|summary| *summary == Value::Bool(true)) {
            part.context = None;
            part.heard.push(Heard::Compacted { id });
            continue;
        }
        let is_said = |part: &&Value| {
            let is_added = part.get("synthetic").and_then(Value::as_bool).unwrap_or_default();
            part.get("type").is_some_and(|kind| kind == "text") && !is_added
        };
        let parts = message.get("parts").and_then(Value::as_array).into_iter().flatten().filter(is_said);
        let texts: Vec<&str> = parts.filter_map(|part| part.get("text").and_then(Value::as_str)).collect();
        let text = texts.join("\n\n");
        let at = info.pointer("/time/created").and_then(Value::as_i64);
        let at = at.and_then(|ms| Timestamp::from_millisecond(ms).ok()).map(|at| at.to_string());
        let input = number("/tokens/input") + number("/tokens/cache/read") + number("/tokens/cache/write");
        let used = by_agent.then(|| (input, number("/tokens/output")));
        part.context = used.map(|(input, output)| input + output).or(part.context);
        if !text.trim().is_empty() {
            let model = info.get("modelID").and_then(Value::as_str).map(str::to_owned);
            part.heard.push(Heard::Words(Words { id, by_agent, text, at, model, used }));
        }
    }
    Some(part)
}

/// The last words of both sides in a list of messages, oldest first.
pub(super) fn digest_of(messages: &Value) -> Digest {
    let mut digest = Digest::default();
    for message in messages.as_array().into_iter().flatten() {
        let parts = message.get("parts").and_then(Value::as_array);
        let text = parts.and_then(|p| {
            let mut texts = p.iter().filter(|p| p.get("type").is_some_and(|t| t == "text"));
            texts.next_back()?.get("text").and_then(Value::as_str).map(str::to_owned)
        });
        let Some(info) = message.get("info") else { continue };
        if is_assistant(info) {
            digest.last_response = text.or(digest.last_response.take());
            digest.model =
                info.get("modelID").and_then(Value::as_str).map(str::to_owned).or(digest.model.take());
            let tokens = info.pointer("/tokens/total").and_then(Value::as_u64);
            digest.context_tokens = tokens.or(digest.context_tokens);
            let at = info.pointer("/time/completed").and_then(Value::as_i64);
            digest.used_at = at.and_then(|ms| Timestamp::from_millisecond(ms).ok()).or(digest.used_at);
        } else {
            digest.last_prompt = text.or(digest.last_prompt.take());
        }
    }
    digest
}

fn says(what: Observation, line: &str, now: Timestamp) -> Evidence {
    let mut evidence = Evidence::new(Source::Report, what, now);
    evidence.line = Some(line.to_owned());
    evidence
}

fn words(text: &str) -> String {
    text::clean(text).chars().take(MOST_TEXT).collect()
}

pub(super) fn at_work(busy: &[(&String, &Value)], now: Timestamp) -> Evidence {
    let retry = busy.iter().find(|(_, s)| s.get("type").is_some_and(|t| t == "retry"));
    match retry {
        Some((_, status)) => {
            let attempt = status.get("attempt").and_then(Value::as_u64).and_then(|n| u32::try_from(n).ok());
            says(Observation::Busy(BusyKind::Retrying(attempt)), "retry", now)
        }
        None => says(Observation::Busy(BusyKind::Thinking), "busy", now),
    }
}

/// The first request that waits for the user.
pub(super) fn blocked(request: &Value, is_permission: bool, now: Timestamp) -> Option<Evidence> {
    let word = |path: &str| request.pointer(path).and_then(Value::as_str);
    let (kind, asks) = if is_permission {
        let name = word("/permission")?;
        let about =
            word("/metadata/command").or_else(|| word("/metadata/filepath")).or_else(|| word("/patterns/0"));
        (BlockKind::Permission, about.map_or_else(|| name.to_owned(), |a| format!("{name}: {a}")))
    } else {
        (BlockKind::Question, word("/questions/0/question")?.to_owned())
    };
    let mut evidence = says(Observation::Blocked(kind), kind_word(kind), now);
    evidence.asks = Some(words(&asks));
    Some(evidence)
}

const fn kind_word(kind: BlockKind) -> &'static str {
    if matches!(kind, BlockKind::Permission) { "permission asked" } else { "question asked" }
}

/// How the last turn ended: on the last message of the conversation.
pub(super) fn at_rest(messages: &Value, now: Timestamp) -> Evidence {
    let Some(last) = messages.get(0).and_then(|m| m.get("info")) else {
        return says(Observation::Ready(Turn::Unmarked), "idle, nothing said", now);
    };
    let time = |name: &str| {
        let ms = last.pointer(&format!("/time/{name}")).and_then(Value::as_i64);
        ms.and_then(|ms| Timestamp::from_millisecond(ms).ok())
    };
    if !is_assistant(last) && time("created").is_some_and(|at| now.duration_since(at) < BEGINS) {
        return says(Observation::Busy(BusyKind::Thinking), "a prompt came just now", now)
            .since(time("created"));
    }
    let since = time("completed");
    let error = last.pointer("/error/name").and_then(Value::as_str);
    let (what, line) = match (error, last.get("finish").and_then(Value::as_str)) {
        (Some("MessageAbortedError"), _) => (Observation::Ready(Turn::ByUser), "idle, aborted"),
        (Some(name), _) => (Observation::Failed(fail_kind(name, last)), "idle, error"),
        // A turn that ends with a call of a tool, or without any end, was refused or interrupted.
        (None, None | Some("tool-calls")) => (Observation::Ready(Turn::ByUser), "idle, refused"),
        (None, _) => (Observation::Ready(Turn::Finished), "idle"),
    };
    let mut evidence = says(what, line, now).since(since);
    evidence.asks = last.pointer("/error/data/message").and_then(Value::as_str).map(words);
    if !matches!(evidence.what, Observation::Failed(_)) {
        evidence.asks = None;
    }
    evidence
}

fn is_assistant(message: &Value) -> bool {
    message.get("role").is_some_and(|r| r == "assistant")
}

fn fail_kind(name: &str, message: &Value) -> FailKind {
    let code = message.pointer("/error/data/statusCode").and_then(Value::as_u64);
    match (name, code) {
        ("ProviderAuthError", _) | (_, Some(401 | 403)) => FailKind::Auth,
        (_, Some(429)) => FailKind::Limit,
        _ => FailKind::Api,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recorded_conversation_that_was_compacted_is_heard_from_a_bookmark_on() {
        let recorded = include_str!("../../tests/fixtures/opencode/export-1.18.33-compacted.json");
        let export: Value = serde_json::from_str(recorded).unwrap();
        let messages = export.get("messages").unwrap();
        let whole = heard_in(messages, &Bookmark::default()).unwrap();
        insta::assert_debug_snapshot!("opencode_heard", whole);
        let middle = whole.heard.iter().find_map(|heard| match heard {
            Heard::Words(words) if words.text == "ECHO second words" => Some(words.id.clone()),
            _ => None,
        });
        let rest = heard_in(messages, &Bookmark { last: middle, ..Bookmark::default() }).unwrap();
        assert_eq!(rest.heard[..], whole.heard[3..]);
        assert_eq!(heard_in(messages, &whole.bookmark).unwrap().heard, []);
        // An answer that still grows is waited for, also behind a prompt that waits for it; one that was cut off is not.
        let message = |id: &str, role: &str, time: Value| serde_json::json!({"info": {"id": id, "role": role, "time": time}, "parts": [{"type": "text", "text": id}]});
        let (open, done) =
            (serde_json::json!({"created": 1}), serde_json::json!({"created": 1, "completed": 2}));
        let mut growing = vec![message("a", "assistant", open.clone()), message("b", "user", open)];
        let count = |all: &[Value]| heard_in(&all.to_vec().into(), &Bookmark::default()).unwrap().heard.len();
        assert_eq!(count(&growing), 0);
        growing.push(message("c", "assistant", done));
        assert_eq!(count(&growing), 3);
        let unknown = Bookmark { last: Some("msg_none".to_owned()), ..Bookmark::default() };
        assert_eq!(heard_in(messages, &unknown), None);
    }
}
